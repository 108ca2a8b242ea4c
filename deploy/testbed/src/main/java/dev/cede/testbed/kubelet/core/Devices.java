package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.testbed.kubelet.core.Choice.Open;
import dev.cede.testbed.kubelet.core.Choice.Wish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Kubelet's books about devices: which there are, which are in use, and whose they are. A device in
 * use is not asked whether a process still uses it; it is free again when its pod is dropped here.
 */
final class Devices {
    private final KubeletSettings settings;
    private final Picker picker;

    private final SortedMap<String, NavigableSet<String>> healthy = new TreeMap<>();
    private final SortedMap<String, NavigableSet<String>> unhealthy = new TreeMap<>();
    private final SortedMap<String, Map<String, PluginDevice>> all = new TreeMap<>();
    private SortedMap<String, NavigableSet<String>> inUse = new TreeMap<>();
    /** Pod UID, container, resource. */
    private final Map<String, Map<String, SortedMap<String, Grant>>> grants = new LinkedHashMap<>();
    /** Pod UID, resource: devices that the pod's init containers leave to later ones. */
    private final Map<String, SortedMap<String, NavigableSet<String>>> reuse =
            new LinkedHashMap<>();
    /** Resources whose plugins have been away too long. */
    private final Set<String> dropped = new TreeSet<>();

    /** Choices whose Allocate has not been answered yet. */
    private final Set<Open> underWay = new LinkedHashSet<>();

    Devices(KubeletSettings settings, Picker picker, Checkpoint checkpoint) {
        this.settings = settings;
        this.picker = picker;
        for (String resource : checkpoint.registered().keySet()) {
            healthy.put(resource, new TreeSet<>());
            unhealthy.put(resource, new TreeSet<>());
        }
        checkpoint
                .entries()
                .forEach(entry ->
                        put(entry.podUid(), entry.container(), entry.resource(), entry.grant()));
        rebuildInUse(false);
    }

    void list(String resource, List<PluginDevice> devices) {
        NavigableSet<String> good = new TreeSet<>();
        NavigableSet<String> bad = new TreeSet<>();
        Map<String, PluginDevice> table = new LinkedHashMap<>();
        for (PluginDevice device : devices) {
            table.put(device.id(), device);
            (device.healthy() ? good : bad).add(device.id());
        }
        healthy.put(resource, good);
        unhealthy.put(resource, bad);
        all.put(resource, table);
    }

    void markUnhealthy(String resource) {
        NavigableSet<String> lost = healthy.put(resource, new TreeSet<>());
        if (lost != null) {
            unhealthy.computeIfAbsent(resource, unused -> new TreeSet<>()).addAll(lost);
        }
    }

    void drop(String resource) {
        healthy.remove(resource);
        unhealthy.remove(resource);
        dropped.add(resource);
    }

    /** The Node object says 0 of a resource that it has had; of a strange one it says nothing. */
    boolean zero(String resource) {
        return dropped.contains(resource) && !known(resource);
    }

    /** A resource that is not known is skipped at admission, without a word. */
    boolean known(String resource) {
        return healthy.containsKey(resource) || inUse.containsKey(resource);
    }

    NavigableSet<String> healthyIds(String resource) {
        return healthy.getOrDefault(resource, new TreeSet<>());
    }

    NavigableSet<String> registered() {
        return new TreeSet<>(healthy.keySet());
    }

    long capacity(String resource) {
        long bad = unhealthy.getOrDefault(resource, new TreeSet<>()).size();
        return bad + healthyIds(resource).size();
    }

    Optional<Grant> grant(String podUid, String container, String resource) {
        return Optional.ofNullable(
                grantsOf(podUid).getOrDefault(container, new TreeMap<>()).get(resource));
    }

    Map<String, SortedMap<String, Grant>> grantsOf(String podUid) {
        return grants.getOrDefault(podUid, Map.of());
    }

    NavigableSet<String> inUse(String resource) {
        return inUse.getOrDefault(resource, new TreeSet<>());
    }

    /** Forgets the devices of pods that are not active any more. */
    void free(Set<String> activePodUids) {
        if (grants.keySet().retainAll(activePodUids)) {
            rebuildInUse(!settings.quirks().rebuildForgetsPicks());
        }
    }

    /**
     * Begins to choose devices.
     *
     * @param keepRunning the container ran when kubelet started, and kubelet does not know all pods
     *     yet: it is left as it is
     * @param asksPreference the plugin wants to be asked
     */
    Choice choose(Wish wish, boolean keepRunning, boolean asksPreference) {
        String resource = wish.resource();
        Optional<Grant> had = grant(wish.podUid(), wish.container(), resource);
        long hadCount = had.map(grant -> (long) grant.ids().size()).orElse(0L);
        if (had.isPresent() && hadCount != wish.count()) {
            return new Choice.Refused(
                    "pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
                            .formatted(
                                    wish.podUid(),
                                    wish.container(),
                                    resource,
                                    hadCount,
                                    wish.count()));
        }
        if (keepRunning) {
            return new Choice.Nothing();
        }
        Optional<String> sick = sickness(resource, had);
        if (sick.isPresent()) {
            return new Choice.Refused(sick.get());
        }
        if (hadCount == wish.count()) {
            return new Choice.Nothing();
        }
        return take(new Open(wish), asksPreference);
    }

    private Optional<String> sickness(String resource, Optional<Grant> had) {
        NavigableSet<String> good = healthy.get(resource);
        if (good == null) {
            return Optional.of("cannot allocate unregistered device " + resource);
        }
        if (good.isEmpty()) {
            return Optional.of(
                    "no healthy devices present; cannot allocate unhealthy devices " + resource);
        }
        if (had.isPresent() && !good.containsAll(had.get().ids())) {
            return Optional.of(
                    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
                            + resource);
        }
        return Optional.empty();
    }

    private Choice take(Open open, boolean asksPreference) {
        underWay.add(open);
        Wish wish = open.wish;
        NavigableSet<String> reusable = reuse.getOrDefault(wish.podUid(), new TreeMap<>())
                .getOrDefault(wish.resource(), new TreeSet<>());
        takeFrom(reusable, open);
        if (open.missing() == 0) {
            return picked(open);
        }
        NavigableSet<String> available = new TreeSet<>(healthyIds(wish.resource()));
        available.removeAll(inUse(wish.resource()));
        if (available.size() < open.missing()) {
            return refused(
                    open,
                    "requested number of devices unavailable for %s. Requested: %d, Available: %d"
                            .formatted(wish.resource(), open.missing(), available.size()));
        }
        Aligned sets = align(wish.resource(), available);
        NavigableSet<String> offered = available;
        if (open.missing() < sets.aligned.size()) {
            offered = sets.aligned;
            open.fallbacks = List.of(sets.aligned);
        } else {
            takeFrom(sets.aligned, open);
            open.fallbacks = List.of(sets.unaligned, sets.none);
        }
        if (open.missing() == 0) {
            return picked(open);
        }
        open.preferable = offered;
        if (!asksPreference) {
            return preferred(open, List.of());
        }
        NavigableSet<String> offer = new TreeSet<>(offered);
        offer.addAll(open.taken);
        return new Choice.Ask(open, offer, new TreeSet<>(open.taken));
    }

    /** Goes on with the plugin's preference, which may be short, long or full of strange IDs. */
    Choice preferred(Open open, Collection<String> preference) {
        NavigableSet<String> usable = new TreeSet<>(preference);
        usable.retainAll(open.preferable);
        takeFrom(usable, open);
        open.fallbacks.forEach(set -> takeFrom(set, open));
        return open.missing() == 0
                ? picked(open)
                : refused(
                        open,
                        "unexpectedly allocated less resources than required. Requested: %d, Got: %d"
                                .formatted(open.wish.count(), open.taken.size()));
    }

    /** The plugin could not say what it prefers. */
    Choice preferenceFailed(Open open, String why) {
        return refused(open, why);
    }

    private Choice picked(Open open) {
        return new Choice.Picked(open, picker.shuffled(open.taken));
    }

    private Choice refused(Open open, String why) {
        unanswered(open);
        return new Choice.Refused(why);
    }

    /** A choice came to nothing, and kubelet forgets that it had taken devices for it. */
    void unanswered(Open open) {
        underWay.remove(open);
        if (!settings.quirks().chooseErrorLeaks()) {
            rebuildInUse(true);
        }
    }

    private void takeFrom(Collection<String> ids, Open open) {
        List<String> free = new ArrayList<>(ids);
        free.removeAll(open.taken);
        NavigableSet<String> used =
                inUse.computeIfAbsent(open.wish.resource(), unused -> new TreeSet<>());
        for (String id : picker.order(free, had(open))) {
            if (open.missing() == 0) {
                return;
            }
            open.taken.add(id);
            used.add(id);
        }
    }

    private List<String> had(Open open) {
        List<String> had = new ArrayList<>(open.taken);
        grantsOf(open.wish.podUid())
                .getOrDefault(open.wish.container(), new TreeMap<>())
                .values()
                .forEach(grant -> had.addAll(grant.ids()));
        return had;
    }

    private record Aligned(
            NavigableSet<String> aligned,
            NavigableSet<String> unaligned,
            NavigableSet<String> none) {}

    private Aligned align(String resource, NavigableSet<String> available) {
        Aligned sets = new Aligned(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
        for (String id : available) {
            List<Long> nodes = numaNodes(resource, id);
            if (settings.numaHint().isEmpty() || nodes.isEmpty()) {
                sets.none.add(id);
            } else if (nodes.stream().anyMatch(settings.numaHint()::contains)) {
                sets.aligned.add(id);
            } else {
                sets.unaligned.add(id);
            }
        }
        return sets;
    }

    private List<Long> numaNodes(String resource, String id) {
        PluginDevice device = all.getOrDefault(resource, Map.of()).get(id);
        return device == null ? List.of() : device.numaNodes();
    }

    /** The plugin took the choice. */
    void granted(Open open, Collection<String> ids, ContainerAllocateResponse response) {
        underWay.remove(open);
        Wish wish = open.wish;
        SortedMap<Long, List<String>> byNuma = new TreeMap<>();
        for (String id : new TreeSet<>(ids)) {
            List<Long> nodes = numaNodes(wish.resource(), id);
            for (long node : nodes.isEmpty() ? List.of(Grant.NO_NUMA) : nodes) {
                byNuma.computeIfAbsent(node, unused -> new ArrayList<>()).add(id);
            }
        }
        put(wish.podUid(), wish.container(), wish.resource(), new Grant(byNuma, response));
        inUse.computeIfAbsent(wish.resource(), unused -> new TreeSet<>()).addAll(ids);
    }

    /** The plugin refused the choice. */
    void denied(Open open) {
        underWay.remove(open);
        rebuildInUse(!settings.quirks().rebuildForgetsPicks());
    }

    void beginReuse(String podUid) {
        reuse.keySet().removeIf(uid -> !uid.equals(podUid));
        reuse.computeIfAbsent(podUid, unused -> new TreeMap<>());
    }

    /** Leaves an init container's devices to later containers, or takes away what others used. */
    void updateReuse(String podUid, String container, boolean leaves) {
        SortedMap<String, NavigableSet<String>> pool =
                reuse.computeIfAbsent(podUid, unused -> new TreeMap<>());
        grantsOf(podUid).getOrDefault(container, new TreeMap<>()).forEach((resource, grant) -> {
            NavigableSet<String> ids = pool.computeIfAbsent(resource, unused -> new TreeSet<>());
            if (leaves) {
                ids.addAll(grant.ids());
            } else {
                grant.ids().forEach(ids::remove);
            }
        });
    }

    Checkpoint checkpoint() {
        List<Checkpoint.Entry> entries = new ArrayList<>();
        grants.forEach((uid, containers) ->
                containers.forEach((container, resources) -> resources.forEach((resource, grant) ->
                        entries.add(new Checkpoint.Entry(uid, container, resource, grant)))));
        SortedMap<String, List<String>> registered = new TreeMap<>();
        healthy.forEach((resource, ids) -> registered.put(resource, List.copyOf(ids)));
        return new Checkpoint(entries, registered);
    }

    private void put(String podUid, String container, String resource, Grant grant) {
        grants.computeIfAbsent(podUid, unused -> new LinkedHashMap<>())
                .computeIfAbsent(container, unused -> new TreeMap<>())
                .put(resource, grant);
    }

    private void rebuildInUse(boolean keepPicks) {
        SortedMap<String, NavigableSet<String>> used = new TreeMap<>();
        grants.values()
                .forEach(containers -> containers
                        .values()
                        .forEach(resources -> resources.forEach((resource, grant) ->
                                used.computeIfAbsent(resource, unused -> new TreeSet<>())
                                        .addAll(grant.ids()))));
        if (keepPicks) {
            underWay.forEach(
                    open -> used.computeIfAbsent(open.wish.resource(), unused -> new TreeSet<>())
                            .addAll(open.taken));
        }
        inUse = used;
    }
}
