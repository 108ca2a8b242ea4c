package dev.cede.model;

import java.util.Comparator;

/** What the books are keyed by (B7). */
public record ShareKey(String podUid, String container, CardId card)
        implements Comparable<ShareKey> {
    private static final Comparator<ShareKey> ORDER = Comparator.comparing(ShareKey::podUid)
            .thenComparing(ShareKey::container)
            .thenComparing(ShareKey::card);

    @Override
    public int compareTo(ShareKey other) {
        return ORDER.compare(this, other);
    }
}
