package dev.cede.testbed.kubelet.core;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The pods kubelet knows. A pod whose object is gone leaves the first map at once, and with it the
 * device books, even while its processes still end (a force delete).
 */
final class Pods {
    private final Map<String, PodEntry> known = new LinkedHashMap<>();
    private final Map<String, PodEntry> orphans = new LinkedHashMap<>();
    private boolean complete;

    void add(PodEntry entry) {
        known.put(entry.spec.uid(), entry);
    }

    Optional<PodEntry> known(String uid) {
        return Optional.ofNullable(known.get(uid));
    }

    /** Also those whose object is gone. */
    Optional<PodEntry> any(String uid) {
        return known(uid).or(() -> Optional.ofNullable(orphans.get(uid)));
    }

    boolean orphaned(String uid) {
        return orphans.containsKey(uid);
    }

    void objectGone(String uid) {
        PodEntry entry = known.remove(uid);
        if (entry != null) {
            orphans.put(uid, entry);
        }
    }

    void forget(String uid) {
        orphans.remove(uid);
    }

    Collection<PodEntry> all() {
        return List.copyOf(known.values());
    }

    List<PodEntry> active() {
        return known.values().stream().filter(PodEntry::active).toList();
    }

    void complete() {
        complete = true;
    }

    /** Empty while kubelet does not know all its pods. */
    Optional<Set<String>> activeUids() {
        if (!complete) {
            return Optional.empty();
        }
        Set<String> uids = new TreeSet<>();
        active().forEach(entry -> uids.add(entry.spec.uid()));
        return Optional.of(uids);
    }
}
