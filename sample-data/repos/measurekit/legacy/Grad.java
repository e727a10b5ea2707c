package measurekit;

/** Ein Grad sind sechzig Minuten: 1° = 60'. Written in 1999, in Latin-1; nobody has touched it since. */
public class Grad {

    public static String schreibe(int minuten) {
        return minuten / 60 + "° " + minuten % 60 + "'";
    }
}
