package dev.cede.sandbox.picture;

import java.util.List;

/**
 * A card as it is drawn; units of 128 MiB.
 *
 * @param kind what it serves now, a few words
 * @param foreign units used by nobody's share
 * @param held units that holds claim beyond the shares they stand behind
 */
public record CardView(
        String node,
        int index,
        int capacity,
        int free,
        int foreign,
        int held,
        String kind,
        List<ShareView> shares,
        List<HoldView> holds) {
    public CardView {
        shares = List.copyOf(shares);
        holds = List.copyOf(holds);
    }

    /** How a share stands. */
    public enum State {
        RESERVED,
        ALLOCATED,
        RELEASING
    }

    /**
     * A container's part of the card.
     *
     * @param core percent, 0 for memory only
     */
    public record ShareView(String pod, String container, int units, int core, State state) {}

    /** Room that is promised to a pod once others have left. */
    public record HoldView(String pod, int units) {}

    public String name() {
        return node + "/c" + index;
    }
}
