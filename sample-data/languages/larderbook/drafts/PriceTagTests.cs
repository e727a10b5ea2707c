using Larderbook;
using Xunit;

namespace Larderbook.Drafts;

// Left in the middle of a sentence; no project takes in this folder.
public class PriceTagTests
{
    [Fact]
    public void Parse_TheWeightOnATag()
    {
        Weight weight = Weight.Parse("340 g");

        Assert.Equal(340, weight.Grams);
    }

    [Fact]
    public void Times_TwoOfATag()
    {
        var tag = Weight.Parse("340 g").Times(2,);

        Assert.Equal(680, tag.
    }
}
