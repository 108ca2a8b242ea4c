package dev.cede.testbed.apiserver;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kubernetes quantities: {@code 64}, {@code 500m}, {@code 1.5Gi}, {@code 2e3}. */
final class Quantities {

    private static final Pattern FORM = Pattern.compile(
            "([+-]?(?:\\d+\\.?\\d*|\\.\\d+))([eE][+-]?\\d+|[KMGTPE]i|[numkMGTPE]?)");

    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);

    private static final Map<String, BigDecimal> FACTORS = Map.ofEntries(
            Map.entry("", BigDecimal.ONE),
            Map.entry("n", BigDecimal.ONE.scaleByPowerOfTen(-9)),
            Map.entry("u", BigDecimal.ONE.scaleByPowerOfTen(-6)),
            Map.entry("m", BigDecimal.ONE.scaleByPowerOfTen(-3)),
            Map.entry("k", BigDecimal.ONE.scaleByPowerOfTen(3)),
            Map.entry("M", BigDecimal.ONE.scaleByPowerOfTen(6)),
            Map.entry("G", BigDecimal.ONE.scaleByPowerOfTen(9)),
            Map.entry("T", BigDecimal.ONE.scaleByPowerOfTen(12)),
            Map.entry("P", BigDecimal.ONE.scaleByPowerOfTen(15)),
            Map.entry("E", BigDecimal.ONE.scaleByPowerOfTen(18)),
            Map.entry("Ki", KIBI),
            Map.entry("Mi", KIBI.pow(2)),
            Map.entry("Gi", KIBI.pow(3)),
            Map.entry("Ti", KIBI.pow(4)),
            Map.entry("Pi", KIBI.pow(5)),
            Map.entry("Ei", KIBI.pow(6)));

    private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    private static final List<String> DECIMAL =
            List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");

    /** Power of ten of the first of {@link #DECIMAL}; each next one is three more. */
    private static final int SMALLEST_POWER = -9;

    private static final int LARGEST_POWER = 18;

    private Quantities() {}

    /** A refusal with code 400 if the text is no quantity, as when a real server decodes it. */
    static BigDecimal parse(String text) {
        Matcher form = match(text);
        BigDecimal number = new BigDecimal(form.group(1));
        String suffix = form.group(2);
        if (FACTORS.containsKey(suffix)) {
            return number.multiply(FACTORS.get(suffix));
        }
        return number.scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)));
    }

    private static Matcher match(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw Refusal.badRequest("quantities must match the regular expression "
                    + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$': \"" + text + "\"");
        }
        return form;
    }

    /**
     * As a real server answers it: a whole number with the largest suffix of its kind that leaves it
     * whole, so 1000 as {@code 1k}; a plus sign and leading zeros stay if nothing else changes.
     */
    static String canonical(String text) {
        String suffix = match(text).group(2);
        BigDecimal value = parse(text);
        boolean binary = suffix.endsWith("i") && value.abs().compareTo(KIBI) >= 0;
        String shortest = binary ? binary(value) : decimal(value, !FACTORS.containsKey(suffix));
        return shortest.equals(text.replaceFirst("^[+]?0*(?=[0-9])", "")) ? text : shortest;
    }

    private static String binary(BigDecimal value) {
        BigInteger number = value.setScale(0, RoundingMode.UP).toBigIntegerExact();
        BigInteger kibi = KIBI.toBigIntegerExact();
        int power = 0;
        while (power < BINARY.size() - 1 && number.mod(kibi).signum() == 0) {
            number = number.divide(kibi);
            power++;
        }
        return number + BINARY.get(power);
    }

    private static String decimal(BigDecimal value, boolean asExponent) {
        BigDecimal rounded = value.setScale(-SMALLEST_POWER, RoundingMode.UP).stripTrailingZeros();
        int power = Math.min(Math.floorDiv(-rounded.scale(), 3) * 3, LARGEST_POWER);
        String number = rounded.scaleByPowerOfTen(-power).toPlainString();
        if (asExponent) {
            return power == 0 ? number : number + "e" + power;
        }
        return number + DECIMAL.get((power - SMALLEST_POWER) / 3);
    }

    static boolean isWhole(BigDecimal quantity) {
        return quantity.stripTrailingZeros().scale() <= 0;
    }
}
