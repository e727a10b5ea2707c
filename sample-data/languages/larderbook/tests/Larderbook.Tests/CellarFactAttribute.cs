using System.Runtime.CompilerServices;

namespace Larderbook.Tests;

/// <summary>A fact that is listed as one of the cellar.</summary>
public sealed class CellarFactAttribute : FactAttribute
{
    public CellarFactAttribute([CallerMemberName] string name = "")
    {
        DisplayName = "cellar: " + name;
    }
}
