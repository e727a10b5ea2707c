namespace Larderbook;

/// <summary>A jar of something, filled in some year.</summary>
public record Jar(string Content, Weight Weight, int Year) : IStored
{
    private const int YearsItKeeps = 3;

    /// <summary>Only shelves ask; people open the jar.</summary>
    bool IStored.IsGoodIn(int year)
    {
        return year >= Year && year <= Year + YearsItKeeps;
    }
}
