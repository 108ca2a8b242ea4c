package dev.cede.deviceplugin;

import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A device's name for kubelet: {@code 8dcd427f-m0007}, {@code 8dcd427f-c07}. Short, because kubelet
 * may copy each into the pod's status, and never alike for two resources.
 *
 * @param prefix of the card's UUID
 * @param number from 0
 */
record DeviceId(String prefix, DeviceKind kind, int number) implements Comparable<DeviceId> {
    private static final Pattern FORM = Pattern.compile("([0-9A-Za-z]+)-([mc])([0-9]{1,6})");
    private static final Comparator<DeviceId> ORDER = Comparator.comparing(DeviceId::prefix)
            .thenComparing(DeviceId::kind)
            .thenComparingInt(DeviceId::number);

    static Optional<DeviceId> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        DeviceKind kind = form.group(2).equals("m") ? DeviceKind.MEMORY : DeviceKind.CORE;
        DeviceId id = new DeviceId(form.group(1), kind, Integer.parseInt(form.group(3)));
        return Optional.of(id).filter(parsed -> parsed.toString().equals(text));
    }

    @Override
    public int compareTo(DeviceId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        String form = kind == DeviceKind.MEMORY ? "%s-%s%04d" : "%s-%s%02d";
        return String.format(Locale.ROOT, form, prefix, kind.letter(), number);
    }
}
