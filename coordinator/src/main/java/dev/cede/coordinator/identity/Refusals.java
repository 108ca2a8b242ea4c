package dev.cede.coordinator.identity;

import dev.cede.coordinator.identity.Refused.Reason;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts who was not let in since the process began. An agent tries again every two seconds, so each
 * is logged once for each reason, and again only after it was let in meanwhile.
 */
public final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

    /** Peers remembered as told; the oldest is forgotten, and would be told again. */
    static final int MOST_TOLD = 10_000;

    private static final int LONGEST_DETAIL = 300;

    /**
     * How often, and the newest.
     *
     * @param last as it was told to the agent
     */
    public record Count(long count, String last) {}

    private record Told(String peer, Reason reason) {}

    private final Map<Reason, Count> counts = new EnumMap<>(Reason.class);
    private final Map<Told, Boolean> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Told, Boolean> eldest) {
            return size() > MOST_TOLD;
        }
    };

    /**
     * Notes one, and says whether it is new.
     *
     * @param peer who, for the log; from the network, like all of the detail
     */
    public synchronized boolean add(String peer, Refused refused) {
        String detail = printable(refused.detail());
        counts.merge(
                refused.reason(),
                new Count(1, detail),
                (old, one) -> new Count(old.count() + 1, one.last()));
        boolean isNew = told.put(new Told(printable(peer), refused.reason()), true) == null;
        if (isNew) {
            LOG.warn(
                    "agent_refused peer={} reason={} detail=\"{}\"",
                    printable(peer),
                    refused.reason(),
                    detail);
        }
        return isNew;
    }

    /** It was let in: what comes next is news. */
    synchronized void forget(String peer) {
        String name = printable(peer);
        told.keySet().removeIf(each -> each.peer().equals(name));
    }

    /** By the reason's name. */
    public synchronized Map<String, Count> counts() {
        Map<String, Count> copy = new TreeMap<>();
        counts.forEach((reason, count) -> copy.put(reason.name(), count));
        return copy;
    }

    /** Nobody outside may write lines of our log. */
    private static String printable(String text) {
        String line = text.replaceAll("[^\\x20-\\x7e]", "?").replace('"', '\'');
        return line.length() <= LONGEST_DETAIL ? line : line.substring(0, LONGEST_DETAIL) + "...";
    }
}
