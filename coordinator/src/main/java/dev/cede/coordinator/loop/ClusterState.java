package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.PodRef;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Kubernetes objects as last seen, whoever leads. */
final class ClusterState {
    private final NavigableMap<PodRef, PodFacts> pods = new TreeMap<>();
    private final Map<String, PodRef> byUid = new HashMap<>();
    private final SortedMap<String, NodeFacts> nodes = new TreeMap<>();
    private final Map<String, OwnerFacts> owners = new HashMap<>();
    private final Map<GroupRef, GroupFacts> groups = new LinkedHashMap<>();

    /** Objects that are gone while their shares still stand in some node's books. */
    private final Map<String, PodFacts> departed = new HashMap<>();

    /** UIDs that a read past all caches did not find (E9). */
    private final TreeSet<String> confirmedGone = new TreeSet<>();

    /** Takes a pod; false when nothing that a decision uses has changed. */
    boolean put(PodFacts pod) {
        byUid.put(pod.uid(), pod.ref());
        PodFacts before = pods.put(pod.ref(), pod);
        return before == null || !sameForDecisions(before, pod);
    }

    private static boolean sameForDecisions(PodFacts a, PodFacts b) {
        return a.nodeName().equals(b.nodeName())
                && a.phase() == b.phase()
                && a.deletionTimestamp().equals(b.deletionTimestamp())
                && a.gated() == b.gated()
                && a.started().equals(b.started())
                && a.labels().equals(b.labels())
                && a.annotations().equals(b.annotations())
                && a.requests().equals(b.requests());
    }

    void podGone(PodRef ref) {
        byUid.remove(ref.uid());
        PodFacts last = pods.remove(ref);
        if (last != null) {
            departed.put(ref.uid(), last);
        }
    }

    void confirmGone(PodRef ref) {
        podGone(ref);
        confirmedGone.add(ref.uid());
    }

    boolean isConfirmedGone(String uid) {
        return confirmedGone.contains(uid);
    }

    /** Forgets departed pods whose UIDs no books name any more. */
    void forgetDepartedExcept(Collection<String> uidsInBooks) {
        departed.keySet().retainAll(uidsInBooks);
        confirmedGone.retainAll(uidsInBooks);
    }

    Optional<PodFacts> pod(String uid) {
        return Optional.ofNullable(byUid.get(uid)).map(pods::get);
    }

    /** Also a pod that is gone while its shares are still in the books. */
    Optional<PodFacts> podOrDeparted(String uid) {
        return pod(uid).or(() -> Optional.ofNullable(departed.get(uid)));
    }

    boolean isDeparted(String uid) {
        return departed.containsKey(uid) || confirmedGone.contains(uid);
    }

    /** In the order of namespace and name. */
    List<PodFacts> pods() {
        return List.copyOf(pods.values());
    }

    boolean put(NodeFacts node) {
        return !node.equals(nodes.put(node.name(), node));
    }

    void nodeGone(String name) {
        nodes.remove(name);
    }

    Optional<NodeFacts> node(String name) {
        return Optional.ofNullable(nodes.get(name));
    }

    List<NodeFacts> nodes() {
        return List.copyOf(nodes.values());
    }

    boolean put(OwnerFacts owner) {
        return !owner.equals(owners.put(owner.ref().uid(), owner));
    }

    void ownerGone(String uid) {
        owners.remove(uid);
    }

    Optional<OwnerFacts> owner(String uid) {
        return Optional.ofNullable(owners.get(uid));
    }

    boolean put(GroupFacts group) {
        return !group.equals(groups.put(group.ref(), group));
    }

    void groupGone(GroupRef ref) {
        groups.remove(ref);
    }

    Collection<GroupFacts> groups() {
        return groups.values();
    }

    Optional<GroupFacts> group(GroupRef ref) {
        return Optional.ofNullable(groups.get(ref));
    }
}
