package measurekit;

/** So much of a unit. */
public final class Quantity implements Comparable<Quantity> {

    private final Fraction amount;
    private final Unit unit;

    public Quantity(Fraction amount, Unit unit) {
        this.amount = amount;
        this.unit = unit;
    }

    public Fraction getAmount() {
        return amount;
    }

    public Unit getUnit() {
        return unit;
    }

    /** The same quantity in another unit of its dimension. */
    public Quantity in(Unit other) {
        requireSameDimension(other);
        return new Quantity(inBaseUnits().dividedBy(other.factor()), other);
    }

    public Quantity plus(Quantity other) {
        return new Quantity(amount.plus(other.in(unit).amount), unit);
    }

    public Quantity scaleBy(long factor) {
        return new Quantity(amount.times(factor), unit);
    }

    @Override
    public int compareTo(Quantity other) {
        requireSameDimension(other.unit);
        return inBaseUnits().compareTo(other.inBaseUnits());
    }

    private Fraction inBaseUnits() {
        return amount.times(unit.factor());
    }

    private void requireSameDimension(Unit other) {
        if (!unit.measuresLike(other)) {
            throw new IllegalArgumentException(unit.name() + " is no " + other.dimension());
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Quantity that
                && unit.measuresLike(that.unit)
                && inBaseUnits().equals(that.inBaseUnits());
    }

    @Override
    public int hashCode() {
        return inBaseUnits().hashCode();
    }

    @Override
    public String toString() {
        return amount + " " + unit.symbol();
    }
}
