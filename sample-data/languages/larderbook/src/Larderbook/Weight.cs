using System.Globalization;
using System.Numerics;

namespace Larderbook;

/// <summary>So many grams.</summary>
public readonly struct Weight : IEquatable<Weight>
#if NET7_0_OR_GREATER
    , IAdditionOperators<Weight, Weight, Weight>
#endif
{
    private const decimal GramsOfAPound = 453.59237m;

    public Weight(decimal grams)
    {
        if (grams < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(grams));
        }

        Grams = grams;
    }

    public decimal Grams { get; }

    /// <summary>The same in pounds, to a hundredth.</summary>
    public decimal Pounds
    {
        get { return Math.Round(Grams / GramsOfAPound, 2); }
    }

    /// <summary>Reads "250 g" and "1.5 kg".</summary>
    public static Weight Parse(string text)
    {
        string[] parts = text.Trim().Split(' ');
        if (parts.Length != 2)
        {
            throw new FormatException("a number and a unit expected: " + text);
        }

        decimal number = decimal.Parse(parts[0], CultureInfo.InvariantCulture);
        return new Weight(number * GramsOf(parts[1]));
    }

    private static decimal GramsOf(string unit)
    {
        switch (unit)
        {
            case "g":
                return 1;
            case "kg":
                return 1000;
            case "lb":
                return GramsOfAPound;
            default:
                throw new FormatException("no unit of weight: " + unit);
        }
    }

    public Weight Times(int count)
    {
        return Times((decimal)count);
    }

    public Weight Times(decimal factor)
    {
        return new Weight(Grams * factor);
    }

    public static Weight operator +(Weight left, Weight right) => new(left.Grams + right.Grams);

    public static bool operator ==(Weight left, Weight right) => left.Equals(right);

    public static bool operator !=(Weight left, Weight right) => !left.Equals(right);

    public bool Equals(Weight other) => Grams == other.Grams;

    public override bool Equals(object obj) => obj is Weight other && Equals(other);

    public override int GetHashCode() => Grams.GetHashCode();

    public override string ToString() => Grams.ToString("0.##", CultureInfo.InvariantCulture) + " g";
}
