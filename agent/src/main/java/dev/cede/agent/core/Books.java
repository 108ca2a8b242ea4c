package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.DeviceNames;
import dev.cede.deviceplugin.Expected;
import dev.cede.deviceplugin.Given;
import dev.cede.deviceplugin.Steering;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.CardId;
import dev.cede.model.Reservation;
import dev.cede.model.ShareKey;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who has what, immutable.
 *
 * @param order pod UIDs of the reservations: first those that kubelet may ask for, oldest first,
 *     then the holds, each of which is the youngest when it stops being one
 * @param held containers identified
 * @param over pods that kubelet is done with: their devices are not expected to be asked for, and
 *     what they have is releasing
 * @param freed pods, and containers, out of the books that kubelet may still name, and since when,
 *     in ms
 */
record Books(
        NodeLedger ledger,
        List<String> order,
        SortedMap<ContainerKey, Held> held,
        Steering steering,
        SortedSet<String> over,
        SortedMap<String, Long> freed) {

    Books {
        order = List.copyOf(order);
        held = Collections.unmodifiableSortedMap(new TreeMap<>(held));
        over = Collections.unmodifiableSortedSet(new TreeSet<>(over));
        freed = Collections.unmodifiableSortedMap(new TreeMap<>(freed));
    }

    static Books empty(int maxShares) {
        return new Books(
                NodeLedger.empty(maxShares),
                List.of(),
                new TreeMap<>(),
                Steering.none(),
                new TreeSet<>(),
                new TreeMap<>());
    }

    DeviceNames names() {
        return steering.names();
    }

    Books withLedger(NodeLedger next) {
        return new Books(next, order, held, steering, over, freed);
    }

    Books withSteering(Steering next) {
        return new Books(ledger, order, held, next, over, freed);
    }

    Books withNames(DeviceNames names) {
        return withSteering(steering.expecting(names, steering.expected()));
    }

    Books reserve(Reservation reservation) {
        List<String> next = new ArrayList<>(order);
        String uid = reservation.pod().uid();
        if (!next.contains(uid)) {
            next.add(uid);
        }
        return new Books(ledger.with(reservation), next, held, steering, over, freed);
    }

    Books drop(String podUid) {
        return withLedger(ledger.without(podUid));
    }

    Books hold(Held container) {
        SortedMap<ContainerKey, Held> next = new TreeMap<>(held);
        next.put(container.key(), container);
        return new Books(ledger, order, next, steering, over, freed);
    }

    Books over(String podUid) {
        SortedSet<String> next = new TreeSet<>(over);
        next.add(podUid);
        Set<Given> gone = steering.given().stream()
                .filter(each -> each.podUid().equals(podUid))
                .collect(Collectors.toSet());
        return new Books(
                ledger.releasing(podUid), order, held, steering.without(gone), next, freed);
    }

    Books free(ShareKey share) {
        return withLedger(ledger.free(share));
    }

    /** Out of the books, though kubelet may go on naming them for a while. */
    Books freed(Collection<String> keys, long now) {
        SortedMap<String, Long> next = new TreeMap<>(freed);
        keys.forEach(key -> next.putIfAbsent(key, now));
        return new Books(ledger, order, held, steering, over, next);
    }

    /**
     * Forgets those that kubelet names no more: kubelet looks for dead pods before it gives out
     * devices, so its checkpoint after a grant tells, and one from before does not.
     *
     * @param named what its checkpoint names
     * @param after the latest grant that it shows, in ms
     */
    Books unnamed(Set<String> named, long after) {
        SortedMap<String, Long> next = new TreeMap<>(freed);
        next.entrySet()
                .removeIf(each -> each.getValue() < after
                        && !named.contains(each.getKey())
                        && !over.contains(each.getKey()));
        return new Books(ledger, order, held, steering, over, next);
    }

    boolean isGiven(String podUid) {
        return steering.given().stream().anyMatch(each -> each.podUid().equals(podUid));
    }

    /**
     * Whether kubelet may have devices for what is reserved for the pod: some that were granted, or
     * some that kubelet, which is done with the pod, may name when its checkpoint is read.
     */
    boolean mayBeGiven(String podUid) {
        boolean unread = over.contains(podUid) && !freed.containsKey(podUid);
        return isGiven(podUid) || (unread && ledger.reservations().containsKey(podUid));
    }

    boolean hasShares(String podUid) {
        return !ledger.sharesOf(podUid).isEmpty();
    }

    boolean isOurs(String podUid) {
        return ledger.reservations().containsKey(podUid) || hasShares(podUid);
    }

    /** The container that has exactly these devices. */
    Optional<Held> holder(DeviceKind kind, List<String> ids) {
        List<String> sorted = ids.stream().sorted().toList();
        return held.values().stream()
                .filter(each -> each.ids(kind).equals(sorted) && !sorted.isEmpty())
                .findFirst();
    }

    /**
     * Whether a container has its limits under this name. One that was freed of its first card lends
     * its name to the next container there until it is freed of the others.
     */
    boolean hasLimits(String name) {
        return held.values().stream().anyMatch(each -> each.limitName().equals(name))
                || steering.given().stream()
                        .anyMatch(each -> each.kind() == DeviceKind.MEMORY
                                && each.ids().getFirst().equals(name));
    }

    /** Devices of this kind that shares in the books stand for. */
    Set<String> heldIds(DeviceKind kind) {
        Set<String> ids = new TreeSet<>();
        held.values()
                .forEach(each -> each.ids(kind).stream()
                        .filter(id -> names().cardOf(kind, id)
                                .map(card -> stands(each, card))
                                .orElse(true))
                        .forEach(ids::add));
        return ids;
    }

    private boolean stands(Held container, CardId card) {
        ContainerKey key = container.key();
        return ledger.shares().containsKey(new ShareKey(key.podUid(), key.container(), card));
    }

    /** Containers whose last share is out of the books. */
    List<Held> emptied() {
        return held.values().stream()
                .filter(each -> ledger.sharesOf(each.pod().uid()).stream()
                        .noneMatch(share -> share.share().container().equals(each.container())))
                .toList();
    }

    Books withoutHeld(List<Held> gone) {
        SortedMap<ContainerKey, Held> next = new TreeMap<>(held);
        gone.forEach(each -> next.remove(each.key()));
        return new Books(ledger, order, next, steering, over, freed);
    }

    /** Brings what follows from the ledger in line with it. */
    Books settled() {
        List<String> open = Stream.concat(reserved(false), reserved(true)).toList();
        SortedSet<String> stillOver = new TreeSet<>(over);
        stillOver.removeIf(uid -> !isOurs(uid) && freed.containsKey(uid));
        return new Books(
                ledger,
                open,
                held,
                steering.expecting(names(), expected(open, stillOver)),
                stillOver,
                freed);
    }

    private Stream<String> reserved(boolean hold) {
        return order.stream().filter(uid -> {
            Reservation reservation = ledger.reservations().get(uid);
            return reservation != null && reservation.isHold() == hold;
        });
    }

    private List<Expected> expected(List<String> open, SortedSet<String> stillOver) {
        return open.stream()
                .filter(uid -> !stillOver.contains(uid))
                .map(uid -> ledger.reservations().get(uid))
                .filter(reservation -> !reservation.isHold())
                .flatMap(reservation -> Expected.of(reservation).stream())
                .toList();
    }
}
