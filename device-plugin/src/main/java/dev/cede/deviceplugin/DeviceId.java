package dev.cede.deviceplugin;

import java.util.Comparator;
import java.util.Optional;

/**
 * A device's name for kubelet: {@code 8dcd427f-m0007}, {@code 8dcd427f-c07}. Short, because kubelet
 * may copy each into the pod's status, and never alike for two resources.
 *
 * @param prefix of the card's UUID
 * @param number from 0
 */
record DeviceId(String prefix, DeviceKind kind, int number) implements Comparable<DeviceId> {
    /** Dash, letter and at most six digits. */
    private static final int LONGEST_TAIL = 8;

    private static final Comparator<DeviceId> ORDER = Comparator.comparing(DeviceId::prefix)
            .thenComparing(DeviceId::kind)
            .thenComparingInt(DeviceId::number);

    /** Only exactly what {@link #toString()} writes; a node may have ten thousand of them. */
    static Optional<DeviceId> parse(String text) {
        int dash = text.lastIndexOf('-');
        if (dash < 1 || dash + 2 >= text.length() || text.length() - dash > LONGEST_TAIL) {
            return Optional.empty();
        }
        DeviceKind kind = kind(text.charAt(dash + 1));
        int number = number(text, dash + 2);
        if (kind == null || number < 0) {
            return Optional.empty();
        }
        DeviceId id = new DeviceId(text.substring(0, dash), kind, number);
        return id.toString().equals(text) ? Optional.of(id) : Optional.empty();
    }

    /** Null for a letter of no kind. */
    private static DeviceKind kind(char letter) {
        return switch (letter) {
            case 'm' -> DeviceKind.MEMORY;
            case 'c' -> DeviceKind.CORE;
            default -> null;
        };
    }

    /** The decimal digits from there on; -1 where something else stands among them. */
    private static int number(String text, int from) {
        int number = 0;
        for (int at = from; at < text.length(); at++) {
            int digit = text.charAt(at) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    @Override
    public int compareTo(DeviceId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        String digits = Integer.toString(number);
        int least = kind == DeviceKind.MEMORY ? 4 : 2;
        StringBuilder text = new StringBuilder(prefix).append('-').append(kind.letter());
        for (int length = digits.length(); length < least; length++) {
            text.append('0');
        }
        return text.append(digits).toString();
    }
}
