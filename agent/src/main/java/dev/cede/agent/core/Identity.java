package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.Given;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Who has which devices, read from kubelet's checkpoint, the only place that names the pod. The
 * books follow kubelet; where it differs from the plan, the container does not start.
 */
final class Identity {
    /** Kubelet writes within 0.2 s of Allocate; what is not there long after belongs to nobody. */
    private static final long URGENT_MILLIS = 5_000;

    /** Kubelet has written by then what it was answered before it or the agent started anew. */
    private static final long WRITTEN_MILLIS = 1_000;

    /** A grant that kubelet's checkpoint does not show after so long is not held by kubelet. */
    private static final long GRANT_MILLIS = 10_000;

    private Identity() {}

    /** Whether devices given out a moment ago are still without a name. */
    static boolean urgent(Turn turn) {
        return turn.books.steering().given().stream()
                .anyMatch(each -> turn.now - each.atMillis() <= URGENT_MILLIS);
    }

    static void kubeletRead(Turn turn, List<KubeletEntry> entries) {
        SortedMap<ContainerKey, Seen> seen = new TreeMap<>();
        for (KubeletEntry entry : entries) {
            seen.computeIfAbsent(new ContainerKey(entry.podUid(), entry.container()), Seen::new)
                    .add(entry);
        }
        long latest = latestGrant(turn, seen.values());
        seen.values().forEach(each -> look(turn, each));
        forgetTombstones(turn, seen, latest);
        forgetGrants(turn);
    }

    /**
     * Kubelet refused the pod for another reason after it was granted devices, or ended before it
     * wrote that down, or the agent ended before it had answered: then kubelet asks anew.
     */
    private static void forgetGrants(Turn turn) {
        Set<Given> stale = new HashSet<>();
        for (Given given : turn.books.steering().given()) {
            long age = turn.now - given.atMillis();
            boolean met = given.atMillis() >= turn.kubelet.metAt();
            if (age > (met ? GRANT_MILLIS : WRITTEN_MILLIS)
                    || given.atMillis() < turn.kubelet.startedAt()) {
                stale.add(given);
                turn.log(
                        "grant_forgotten",
                        "devices=%d of=%s".formatted(given.ids().size(), given.kind()));
            }
        }
        turn.books = turn.books.withSteering(turn.books.steering().without(stale));
    }

    /** A container in kubelet's checkpoint. */
    private static final class Seen {
        private final ContainerKey key;
        private List<String> memory = List.of();
        private List<String> core = List.of();

        private Seen(ContainerKey key) {
            this.key = key;
        }

        private void add(KubeletEntry entry) {
            if (entry.kind() == DeviceKind.MEMORY) {
                memory = entry.ids();
            } else {
                core = entry.ids();
            }
        }

        private List<String> ids(DeviceKind kind) {
            return kind == DeviceKind.MEMORY ? memory : core;
        }

        private Held held(PodRef pod, String problem) {
            return new Held(pod, key.container(), memory, core, problem);
        }
    }

    private static void look(Turn turn, Seen seen) {
        Held known = turn.books.held().get(seen.key);
        if (known != null) {
            compare(turn, known, seen);
        } else if (!isFreed(turn.books, seen.key)) {
            identify(turn, seen);
        }
    }

    private static boolean isFreed(Books books, ContainerKey key) {
        return books.freed().containsKey(key.podUid()) || books.freed().containsKey(key.toString());
    }

    private static void compare(Turn turn, Held known, Seen seen) {
        Held now = seen.held(known.pod(), known.problem());
        if (now.equals(known)) {
            forgetGiven(turn, given -> seen.ids(given.kind()).equals(given.ids()));
            return;
        }
        turn.drift("devices_changed", "kubelet names other devices than before for " + known.key());
        book(turn, seen, known.pod(), known.problem());
    }

    private static void identify(Turn turn, Seen seen) {
        Reservation reserved = turn.books.ledger().reservations().get(seen.key.podUid());
        SortedMap<CardId, Amount> wanted = reserved == null
                ? new TreeMap<>()
                : reserved.byContainer().getOrDefault(seen.key.container(), new TreeMap<>());
        if (wanted.isEmpty()) {
            unplanned(turn, seen, reserved);
            return;
        }
        if (isHalf(wanted.values(), seen)) {
            return;
        }
        PodRef pod = reserved.pod();
        SortedMap<CardId, Amount> actual = amounts(turn, seen);
        if (actual.equals(wanted)) {
            book(turn, seen, pod, "");
        } else if (Swap.of(
                        turn.books,
                        seen.key,
                        wanted,
                        actual,
                        given(turn, each -> isTheirs(seen, each)))
                .map(swapped -> exchange(turn, swapped, seen.key))
                .orElse(false)) {
            book(turn, seen, pod, "");
        } else {
            String problem = "kubelet gave " + actual + " where " + wanted + " is reserved";
            turn.drift(
                    "mismatch", pod.namespacedName() + " " + seen.key.container() + ": " + problem);
            book(turn, seen, pod, problem);
        }
    }

    private static boolean exchange(Turn turn, Reservation other, ContainerKey key) {
        turn.books = turn.books.reserve(other);
        turn.drift(
                "swapped",
                "kubelet served " + key + " with what was meant for an equal container of "
                        + other.pod().namespacedName());
        return true;
    }

    /** Kubelet writes between the two calls of a container, too. */
    private static boolean isHalf(Collection<Amount> wanted, Seen seen) {
        boolean wantsCore = wanted.stream().anyMatch(amount -> amount.core() > 0);
        boolean wantsMemory = wanted.stream().anyMatch(amount -> amount.units() > 0);
        return (wantsCore && seen.core.isEmpty()) || (wantsMemory && seen.memory.isEmpty());
    }

    private static void unplanned(Turn turn, Seen seen, Reservation reserved) {
        boolean half = turn.books.steering().open().stream()
                .anyMatch(each -> seen.ids(each.kind()).equals(each.ids())
                        && turn.now - each.atMillis() <= URGENT_MILLIS);
        if (half) {
            return;
        }
        PodRef pod = reserved == null
                ? turn.books.ledger().sharesOf(seen.key.podUid()).stream()
                        .findFirst()
                        .map(booked -> booked.share().pod())
                        .orElse(new PodRef("", "", seen.key.podUid()))
                : reserved.pod();
        turn.drift("unplanned", "kubelet gave " + seen.key + " devices that nobody planned");
        book(turn, seen, pod, "");
    }

    private static void book(Turn turn, Seen seen, PodRef pod, String problem) {
        forgetGiven(turn, given -> isTheirs(seen, given));
        SortedMap<CardId, Amount> actual = amounts(turn, seen);
        for (var booked : turn.books.ledger().sharesOf(pod.uid())) {
            Share share = booked.share();
            if (share.container().equals(seen.key.container())
                    && !share.amount().equals(actual.get(share.card()))) {
                turn.books = turn.books.free(share.key());
            }
        }
        List<Share> given = new ArrayList<>();
        actual.forEach(
                (card, amount) -> given.add(new Share(pod, seen.key.container(), card, amount)));
        turn.books = turn.books.withLedger(turn.books.ledger().allocate(given));
        turn.books = turn.books.hold(seen.held(pod, problem));
        turn.log(
                "allocated",
                "pod=%s uid=%s container=%s shares=%s"
                        .formatted(pod.namespacedName(), pod.uid(), seen.key.container(), actual));
        if (turn.books.over().contains(pod.uid())) {
            Release.begin(turn, pod.uid());
        }
    }

    private static void forgetGiven(Turn turn, Predicate<Given> which) {
        turn.books = turn.books.withSteering(turn.books.steering().without(given(turn, which)));
    }

    private static boolean isTheirs(Seen seen, Given given) {
        return !Collections.disjoint(seen.ids(given.kind()), given.ids());
    }

    private static Set<Given> given(Turn turn, Predicate<Given> which) {
        return turn.books.steering().given().stream()
                .filter(which)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** A card that the names do not know any more keeps nothing of the node. */
    private static SortedMap<CardId, Amount> amounts(Turn turn, Seen seen) {
        SortedMap<CardId, Integer> units = counts(turn, DeviceKind.MEMORY, seen.memory);
        SortedMap<CardId, Integer> core = counts(turn, DeviceKind.CORE, seen.core);
        Set<CardId> cards = new TreeSet<>(units.keySet());
        cards.addAll(core.keySet());
        SortedMap<CardId, Amount> amounts = new TreeMap<>();
        cards.forEach(card -> amounts.put(
                card, new Amount(units.getOrDefault(card, 0), core.getOrDefault(card, 0))));
        return amounts;
    }

    private static SortedMap<CardId, Integer> counts(Turn turn, DeviceKind kind, List<String> ids) {
        List<String> known = new ArrayList<>();
        for (String id : ids) {
            Optional<CardId> card = turn.books.names().cardOf(kind, id);
            if (card.isPresent()) {
                known.add(id);
            }
        }
        return turn.books.names().countByCard(kind, known).orElseThrow();
    }

    /** When the latest of the devices were granted that kubelet has written down since. */
    private static long latestGrant(Turn turn, Collection<Seen> seen) {
        return given(turn, given -> seen.stream().anyMatch(each -> isTheirs(each, given))).stream()
                .mapToLong(Given::atMillis)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private static void forgetTombstones(
            Turn turn, SortedMap<ContainerKey, Seen> seen, long latestGrant) {
        Set<String> named = new TreeSet<>();
        seen.keySet().forEach(key -> {
            named.add(key.podUid());
            named.add(key.toString());
        });
        List<String> emptied = turn.books.over().stream()
                .filter(uid -> !turn.books.hasShares(uid))
                .toList();
        turn.books = turn.books.freed(emptied, turn.now).unnamed(named, latestGrant);
    }
}
