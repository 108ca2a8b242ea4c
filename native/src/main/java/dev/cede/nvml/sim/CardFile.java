package dev.cede.nvml.sim;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** The text of a card file; the C side reads the same keys. */
final class CardFile {
    private static final String NOT_AVAILABLE = "n/a";

    private CardFile() {}

    static String write(SimulatedCard card) {
        StringBuilder text = new StringBuilder();
        line(text, "uuid", card.uuid());
        line(text, "name", card.name());
        line(text, "pci", card.pciBusId());
        line(text, "minor", card.minor());
        line(text, "total_mib", card.totalMib());
        line(text, "reserved_mib", card.reservedMib());
        line(text, "linger_ms", card.linger().toMillis());
        card.ghosts().forEach(ghost -> line(text, "process", ghostText(ghost)));
        text.append(faultLines(card.faults()));
        return text.toString();
    }

    static String faultLines(List<Fault> faults) {
        StringBuilder text = new StringBuilder();
        faults.forEach(fault -> line(text, "error", fault.call() + ":" + fault.answer()));
        return text.toString();
    }

    private static String ghostText(Ghost ghost) {
        String mib = ghost.mib().isEmpty()
                ? NOT_AVAILABLE
                : Long.toString(ghost.mib().getAsLong());
        return ghost.pid() + "," + mib + (ghost.graphics() ? ",graphics" : "");
    }

    static void line(StringBuilder text, String key, Object value) {
        text.append(key).append('=').append(value).append('\n');
    }

    /** Reads what {@link #write} wrote, or what somebody edited by hand. */
    static SimulatedCard read(int index, String text) {
        SimulatedCard card = SimulatedCard.of(index, "", 1);
        for (String line : text.lines().toList()) {
            if (!line.isEmpty() && !line.startsWith("#")) {
                card = with(card, line);
            }
        }
        return card;
    }

    private static SimulatedCard with(SimulatedCard card, String line) {
        int equals = line.indexOf('=');
        String key = equals < 0 ? line : line.substring(0, equals);
        String value = line.substring(equals + 1);
        return switch (key) {
            case "uuid" -> card.withUuid(value);
            case "name" -> card.withName(value);
            case "pci" -> card.withPciBusId(value);
            case "minor" -> card.withMinor(Integer.parseInt(value));
            case "total_mib" -> card.withTotalMib(Long.parseLong(value));
            case "reserved_mib" -> card.withReservedMib(Long.parseLong(value));
            case "linger_ms" -> card.withLinger(Duration.ofMillis(Long.parseLong(value)));
            case "process" -> card.withGhost(ghost(value));
            case "error" -> fault(card, value);
            default -> throw new IllegalArgumentException("unknown key in card file: " + line);
        };
    }

    private static Ghost ghost(String value) {
        String[] parts = value.split(",", -1);
        OptionalLong mib = parts[1].equals(NOT_AVAILABLE)
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(parts[1]));
        return new Ghost(Integer.parseInt(parts[0]), mib, parts.length > 2);
    }

    private static SimulatedCard fault(SimulatedCard card, String value) {
        int colon = value.indexOf(':');
        return card.withFault(value.substring(0, colon), value.substring(colon + 1));
    }
}
