package dev.cede.coordinator.loop;

import dev.cede.ledger.LedgerRefusal;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Drift;
import dev.cede.model.Epoch;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.OrderResult.Refusal;
import dev.cede.model.PodRef;
import dev.cede.model.ReleaseWatch;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.Units;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** An agent as its coordinator sees it: the real books, and a driver that forgets on command. */
final class AgentModel {
    final String node;
    NodeLedger ledger;
    long stream;
    private long version;
    private Epoch highest = Epoch.NONE;
    private boolean welcomed;

    /** Pods asked to be freed whose memory is still there. */
    private final Map<String, PodRef> watches = new TreeMap<>();

    /** Pods whose memory is gone. */
    private final Set<String> empty = new TreeSet<>();

    final List<Drift> drifts = new ArrayList<>();

    AgentModel(String node, int... cardUnits) {
        this.node = node;
        List<Card> cards = new ArrayList<>();
        for (int i = 0; i < cardUnits.length; i++) {
            cards.add(new Card(
                    new CardId("GPU-" + node + "-" + i),
                    i,
                    i,
                    "H200",
                    cardUnits[i] * Units.BYTES,
                    0,
                    CardHealth.HEALTHY,
                    "",
                    0));
        }
        ledger = NodeLedger.empty(NodeLedger.DEFAULT_MAX_SHARES).withCards(cards);
    }

    /** Kubelet gave a card to a pod whole, through the vendor's own plugin. */
    void givesWhole(int card, PodRef pod) {
        ledger = ledger.withCards(ledger.cards().values().stream()
                .map(each -> each.index() == card
                        ? each.withWholeCardDevices(new TreeMap<>(Map.of(pod.uid(), 1)))
                        : each)
                .toList());
    }

    void newStream() {
        stream++;
        welcomed = false;
    }

    void allocate(Share share) {
        ledger = ledger.allocate(share);
    }

    /** Units of the first card, whether or not they are reserved. */
    void allocate(PodRef pod, int units) {
        allocate(new Share(pod, "c", ledger.cards().firstKey(), new Amount(units, 0)));
    }

    /** True if a release was waiting for it. */
    boolean driverEmpty(String uid) {
        empty.add(uid);
        return watches.containsKey(uid) && free(watches.get(uid));
    }

    private boolean free(PodRef pod) {
        if (!empty.contains(pod.uid())) {
            watches.put(pod.uid(), pod);
            return false;
        }
        watches.remove(pod.uid());
        ledger = ledger.freePod(pod.uid());
        return true;
    }

    OrderResult obey(Effect.Send send) {
        if (send.epoch().isOlderThan(highest)) {
            return new OrderResult(send.orderId(), Refusal.STALE_EPOCH, "older than " + highest);
        }
        highest = send.epoch();
        Optional<LedgerRefusal> refusal = switch (send.order()) {
            case Order.Welcome welcome -> welcome(welcome);
            case Order.Reserve reserve -> reserve(reserve.reservation());
            case Order.Drop drop -> {
                ledger = ledger.without(drop.podUid());
                yield Optional.empty();
            }
            case Order.Free free -> {
                free(free.pod());
                yield Optional.empty();
            }
            case Order.Move move -> {
                ledger = ledger.without(move.fromPodUid()).with(move.to());
                yield Optional.empty();
            }
        };
        return refusal.map(why -> new OrderResult(send.orderId(), why.kind(), why.reason()))
                .orElse(new OrderResult(send.orderId(), Refusal.NONE, ""));
    }

    private Optional<LedgerRefusal> welcome(Order.Welcome welcome) {
        Set<String> wanted = new TreeSet<>();
        welcome.wanted().forEach(reservation -> wanted.add(reservation.pod().uid()));
        for (String uid : List.copyOf(ledger.reservations().keySet())) {
            ledger = wanted.contains(uid) ? ledger : ledger.without(uid);
        }
        welcome.wanted().forEach(reservation -> ledger = ledger.with(reservation));
        welcome.frees().forEach(this::free);
        welcomed = true;
        return Optional.empty();
    }

    private Optional<LedgerRefusal> reserve(Reservation reservation) {
        Optional<LedgerRefusal> refusal = ledger.refusal(reservation);
        if (refusal.isEmpty()) {
            ledger = ledger.with(reservation);
        }
        return refusal;
    }

    NodeReport report() {
        version++;
        List<ReleaseWatch> releases = watches.values().stream()
                .map(pod -> new ReleaseWatch(
                        pod, List.of(new GpuProcess(4242, "hog", ledger.cards().firstKey(), 6000))))
                .toList();
        return new NodeReport(
                node,
                "instance",
                version,
                highest,
                welcomed,
                welcomed ? "" : "not welcomed",
                ledger.cardsByIndex(),
                List.copyOf(ledger.shares().values()),
                List.copyOf(ledger.reservations().values()),
                releases,
                drifts);
    }
}
