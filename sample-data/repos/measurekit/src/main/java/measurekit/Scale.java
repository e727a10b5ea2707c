package measurekit;

/** A scale of temperatures; tenths of a degree, so that the common ones are whole numbers. */
public abstract class Scale {

    /** Tenths of a kelvin for tenths of a degree of this scale. */
    public abstract long toKelvin(long tenths);

    /** Tenths of a degree of this scale for tenths of a kelvin. */
    public abstract long fromKelvin(long tenths);

    public final long convert(long tenths, Scale target) {
        return target.fromKelvin(toKelvin(tenths));
    }

    public static Scale celsius() {
        return new Scale() {
            @Override
            public long toKelvin(long tenths) {
                return shift(tenths, 2732);
            }

            @Override
            public long fromKelvin(long tenths) {
                return shift(tenths, -2732);
            }

            private long shift(long tenths, long by) {
                return tenths + by;
            }
        };
    }

    public static Scale fahrenheit() {
        return new Fahrenheit();
    }

    private static final class Fahrenheit extends Scale {
        @Override
        public long toKelvin(long tenths) {
            return Math.round((tenths - 320) * 5 / 9.0) + 2732;
        }

        @Override
        public long fromKelvin(long tenths) {
            return Math.round((tenths - 2732) * 9 / 5.0) + 320;
        }
    }
}
