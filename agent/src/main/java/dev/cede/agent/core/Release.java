package dev.cede.agent.core;

import dev.cede.model.BookedShare;
import dev.cede.model.CardId;
import dev.cede.model.GpuProcess;
import dev.cede.model.Share;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measured release (E9): kubelet's half is fulfilled when the coordinator asks, the driver's half
 * is what is read after that.
 */
final class Release {
    /** Fewer would forget a process that may still show; more is a pod that forks without end. */
    private static final int ATTRIBUTIONS_PER_POD = 256;

    private Release() {}

    static void begin(Turn turn, String podUid) {
        turn.books = turn.books.over(podUid);
        if (turn.books.hasShares(podUid)) {
            turn.driver = turn.driver.needing(podUid);
            turn.readDriver();
        } else if (turn.kubelet.read()) {
            forget(turn, podUid);
        }
    }

    /** Kubelet may name the pod for a while; that is then no news. */
    private static void forget(Turn turn, String podUid) {
        turn.books = turn.books.freed(List.of(podUid), turn.now);
        turn.driver = turn.driver.released(podUid);
    }

    static void driverRead(Turn turn, DriverReading reading) {
        boolean first = !turn.driver.read();
        turn.driver = turn.driver.succeeded(turn.now);
        attribute(turn, reading);
        turn.books = turn.books.withLedger(
                turn.books.ledger().withCards(Foreign.counted(turn, reading)));
        Inventories.renamed(turn, first);
        for (Map.Entry<String, Long> need : List.copyOf(turn.driver.needs().entrySet())) {
            if (reading.ticket() >= need.getValue()) {
                judge(turn, need.getKey(), reading);
            }
        }
        readAgain(turn, reading);
        if (first) {
            turn.readKubelet();
        }
    }

    /** Not before the next poll, except for pods whose request came after this reading began. */
    private static void readAgain(Turn turn, DriverReading reading) {
        boolean late =
                turn.driver.needs().values().stream().anyMatch(ticket -> ticket > reading.ticket());
        if (late) {
            turn.readDriver();
        } else {
            long delay = turn.driver.needs().isEmpty()
                    ? turn.settings().pollMillis()
                    : turn.settings().releasePollMillis();
            turn.driver = turn.driver.succeeded(turn.now + delay);
        }
    }

    /** Remembers which processes of the driver's list run in pods of ours. */
    private static void attribute(Turn turn, DriverReading reading) {
        Set<Attribution> known = new LinkedHashSet<>(turn.driver.attributions());
        for (DriverEntry entry : reading.entries()) {
            entry.process()
                    .ifPresent(process -> process.podUid()
                            .filter(turn.books::isOurs)
                            .ifPresent(uid -> known.add(
                                    new Attribution(process.pid(), process.startTime(), uid))));
        }
        List<Attribution> next = new ArrayList<>(known);
        for (String uid : podsOf(next)) {
            trim(next, uid, reading);
        }
        turn.driver = turn.driver.attributing(next);
    }

    private static Set<String> podsOf(List<Attribution> attributions) {
        Set<String> pods = new TreeSet<>();
        attributions.forEach(each -> pods.add(each.podUid()));
        return pods;
    }

    private static void trim(List<Attribution> all, String podUid, DriverReading reading) {
        long surplus = all.stream().filter(each -> each.podUid().equals(podUid)).count()
                - ATTRIBUTIONS_PER_POD;
        if (surplus <= 0) {
            return;
        }
        Set<Attribution> unlisted = new LinkedHashSet<>(all.stream()
                .filter(each -> each.podUid().equals(podUid))
                .filter(each ->
                        reading.entries().stream().noneMatch(entry -> entry.pid() == each.pid()))
                .limit(surplus)
                .toList());
        all.removeAll(unlisted);
    }

    /** Each share by itself: what keeps one does not keep another. */
    private static void judge(Turn turn, String podUid, DriverReading reading) {
        Set<GpuProcess> blocking = new LinkedHashSet<>();
        for (BookedShare booked : turn.books.ledger().sharesOf(podUid)) {
            List<GpuProcess> keeps = keeps(turn, booked.share(), reading);
            if (keeps.isEmpty()) {
                turn.books = turn.books.free(booked.share().key());
                turn.log(
                        "released",
                        "pod=%s container=%s card=%s amount=%s"
                                .formatted(
                                        booked.share().pod().namespacedName(),
                                        booked.share().container(),
                                        booked.share().card(),
                                        booked.share().amount()));
            }
            blocking.addAll(keeps);
        }
        forgetEmptied(turn);
        if (turn.books.hasShares(podUid)) {
            report(turn, podUid, List.copyOf(blocking));
        } else {
            forget(turn, podUid);
        }
    }

    private static void report(Turn turn, String podUid, List<GpuProcess> blocking) {
        if (!blocking.equals(turn.driver.blocking().get(podUid))) {
            turn.log("release_waits", "uid=%s blocking=%s".formatted(podUid, blocking));
        }
        turn.driver = turn.driver.blocked(podUid, blocking);
    }

    /** Kubelet may name them for as long as it names the pod. */
    private static void forgetEmptied(Turn turn) {
        List<Held> emptied = turn.books.emptied();
        List<String> keys = emptied.stream().map(each -> each.key().toString()).toList();
        turn.books = turn.books.withoutHeld(emptied).freed(keys, turn.now);
        emptied.stream()
                .map(Held::limitName)
                .filter(name -> !name.isEmpty() && !turn.books.hasLimits(name))
                .forEach(name -> turn.emit(new NodeEffect.ForgetLimits(name)));
    }

    private static List<GpuProcess> keeps(Turn turn, Share share, DriverReading reading) {
        String podUid = share.pod().uid();
        List<GpuProcess> keeps = new ArrayList<>();
        if (!reading.shows(share.card())) {
            keeps.add(new GpuProcess(0, "unknown: the card cannot be read", share.card(), -1));
        }
        for (DriverEntry entry : reading.entries()) {
            if (entry.card().equals(share.card()) && keepsCard(turn.driver, podUid, entry)) {
                keeps.add(entry.toModel());
            }
        }
        reading.pods().getOrDefault(podUid, List.of()).stream()
                .filter(live -> keeps.stream().noneMatch(each -> each.pid() == live.pid()))
                .map(live -> running(live, share.card()))
                .forEach(keeps::add);
        return keeps;
    }

    private static GpuProcess running(LiveProcess process, CardId card) {
        return new GpuProcess(process.pid(), process.name(), card, -1);
    }

    /**
     * An entry that was never attributed and whose process cannot be asked any more may be this
     * pod's as well as another's.
     */
    private static boolean keepsCard(DriverView driver, String podUid, DriverEntry entry) {
        if (entry.process().isEmpty()) {
            List<String> owners = driver.attributions().stream()
                    .filter(each -> each.pid() == entry.pid())
                    .map(Attribution::podUid)
                    .toList();
            return owners.isEmpty() || owners.contains(podUid);
        }
        LiveProcess process = entry.process().get();
        return driver.attributions()
                .contains(new Attribution(process.pid(), process.startTime(), podUid));
    }
}
