namespace Larderbook.Tests;

public class WeightTests
{
    [Theory]
    [InlineData("250 g", 250)]
    [InlineData(" 1.5 kg", 1500)]
    public void Parse_ReadsGramsAndKilograms(string text, int grams)
    {
        Weight weight = Weight.Parse(text);

        Assert.Equal(grams, weight.Grams);
    }

    [Fact]
    public void Parse_RefusesSpoons()
    {
        var error = Assert.Throws<FormatException>(() => Weight.Parse("3 spoons"));

        Assert.Equal("no unit of weight: spoons", error.Message);
    }

    [Fact]
    public void Pounds_HaveTwoDecimals()
    {
        var kilogram = new Weight(1000);

        Assert.Equal(2.2m, kilogram.Pounds);
    }

    [Fact]
    public void Addition()
    {
        Weight jam = new Weight(250) + Weight.Parse("1 kg");

        Assert.Equal(new Weight(1250), jam);
    }

    [Fact]
    public void Times_TakesWholesAndParts()
    {
        Weight loaf = new(800);

        Weight dozen = loaf.Times(12);
        Weight half = loaf.Times(0.5m);

        Assert.Equal(9600, dozen.Grams);
        Assert.Equal("400 g", half.ToString());
    }
}
