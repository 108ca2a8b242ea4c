package dev.cede.testbed.apiserver;

import java.math.BigDecimal;
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

    private Quantities() {}

    /** A refusal with code 400 if the text is no quantity, as when a real server decodes it. */
    static BigDecimal parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw Refusal.badRequest("quantities must match the regular expression "
                    + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$': \"" + text + "\"");
        }
        BigDecimal number = new BigDecimal(form.group(1));
        String suffix = form.group(2);
        if (FACTORS.containsKey(suffix)) {
            return number.multiply(FACTORS.get(suffix));
        }
        return number.scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)));
    }

    static boolean isWhole(BigDecimal quantity) {
        return quantity.stripTrailingZeros().scale() <= 0;
    }
}
