namespace Larderbook;

/// <summary>What can stand on a shelf.</summary>
public interface IStored
{
    string Content { get; }

    bool IsGoodIn(int year);
}
