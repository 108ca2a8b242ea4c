package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.CardId;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Resources;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import dev.cede.testbed.kubelet.core.PodStatusView;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The invariants, each checked when something happens that could break it. */
final class Checks {
    /** A node is calm when neither kubelet nor agent has stopped or started for so long. */
    private static final long CALM = 5_000;

    private final World world;
    private final Map<String, Map<ShareKey, BookedShare>> books = new TreeMap<>();
    private final Map<String, Long> bindSentAt = new HashMap<>();
    private final Set<String> bound = new HashSet<>();

    Checks(World world) {
        this.world = world;
    }

    void reported(Site site, NodeReport report) {
        if (!report.cards().isEmpty()) {
            CardSums.check(site.name(), report);
        }
        report.shares().forEach(booked -> asked(booked.share()));
        report.reservations().forEach(r -> r.shares().forEach(this::asked));
        Map<ShareKey, BookedShare> now = new TreeMap<>();
        report.shares().forEach(booked -> now.put(booked.share().key(), booked));
        Map<ShareKey, BookedShare> before = books.put(site.name(), now);
        if (before != null) {
            before.forEach((key, booked) -> {
                if (!now.containsKey(key)) {
                    measuredFree(site, booked.share());
                }
            });
        }
    }

    /** Books never say more than the pod asked for, of each of its cards. */
    private void asked(Share share) {
        Optional<PodFacts> pod = world.lastOf(share.pod().uid());
        Amount asks = pod.flatMap(found -> found.containers().stream()
                        .filter(each -> each.name().equals(share.container()))
                        .findFirst()
                        .map(each -> amount(each, cards(found))))
                .orElse(Amount.NONE);
        Violation.unless(
                asks.equals(share.amount()),
                "books say what nobody asked",
                () -> share + " where " + asks + " is asked");
    }

    /** On each of so many cards. */
    static Amount amount(ContainerFacts container, int cards) {
        return new Amount(number(container.memory()) / cards, number(container.core()) / cards);
    }

    static int cards(PodFacts pod) {
        return Integer.parseInt(pod.labels().getOrDefault(Resources.GPU_NUMBER, "1"));
    }

    private static int number(String text) {
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    /** E9, as far as anybody outside the agent can tell. */
    private void measuredFree(Site site, Share share) {
        world.tally.count("shares released");
        String uid = share.pod().uid();
        Optional<PodFacts> pod = world.api.pod(uid);
        Violation.unless(
                pod.map(PodFacts::finished).orElse(true),
                "released before kubelet let go",
                () -> share + " on " + site.name());
        Violation.unless(
                site.driver().usedUnits(share.card(), uid) == 0,
                "released while the driver shows it",
                () -> share + " on " + site.name());
    }

    void kubeletGives(Site site) {
        Map<String, String> owners = new HashMap<>();
        for (var entry : site.kubeletCheckpoint().entries()) {
            if (world.api.pod(entry.podUid()).filter(pod -> !pod.finished()).isEmpty()) {
                continue;
            }
            for (String id : entry.grant().ids()) {
                String before = owners.put(entry.resource() + id, entry.podUid());
                Violation.unless(
                        before == null || before.equals(entry.podUid()),
                        "device given twice",
                        () -> id + " to " + before + " and " + entry.podUid());
            }
        }
    }

    void kubeletSays(Site site, PodStatusView status) {
        if (status.phase() != Phase.FAILED || status.reason().isEmpty()) {
            return;
        }
        world.tally.count("pods rejected by kubelet");
        long sent = bindSentAt.getOrDefault(status.pod().uid(), 0L);
        Violation.unless(
                site.upsetAt() > sent - CALM
                        || world.api.pod(status.pod().uid()).isEmpty(),
                "winner rejected",
                () -> status.pod() + " on " + site.name() + ": " + status.message());
    }

    void bindSent(Effect.Bind bind) {
        bindSentAt.put(bind.pod().uid(), world.time.now());
    }

    void bound(Effect.Bind bind, long term) {
        PodRef pod = bind.pod().ref();
        countLate(term);
        world.tally.count("pods bound");
        Violation.unless(bound.add(pod.uid()), "bound twice", pod::toString);
        Site site = site(bind.node());
        List<Share> room = roomOf(site, pod.uid());
        Violation.unless(!room.isEmpty(), "bound without room", () -> pod + " on " + bind.node());
        for (Share share : room) {
            int taken = takenByOthers(site, share.card(), pod.uid());
            int capacity = site.driver().card(share.card()).capacityUnits();
            Violation.unless(
                    taken + share.amount().units() <= capacity,
                    "bound to memory not free",
                    () -> share + " on " + site.name() + " beside " + taken + " of " + capacity
                            + ": " + site.driver().podsOn(share.card()));
        }
    }

    private void countLate(long term) {
        if (term < world.zookeeper.epoch().value()) {
            world.tally.count("late calls accepted");
        }
    }

    private Site site(String name) {
        return world.sites.stream()
                .filter(site -> site.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** What the agent has on its disk for the pod, holds left out. */
    private static List<Share> roomOf(Site site, String uid) {
        return site.disk().stream()
                .flatMap(disk -> disk.reservations().stream())
                .filter(reservation -> reservation.pod().uid().equals(uid))
                .filter(reservation -> !reservation.isHold())
                .flatMap(reservation -> reservation.shares().stream())
                .toList();
    }

    /** What the driver lists, or kubelet has given to pods that are not over. */
    private int takenByOthers(Site site, CardId card, String uid) {
        Map<String, Integer> taken = new TreeMap<>();
        site.driver()
                .podsOn(card)
                .forEach(other -> taken.put(other, site.driver().usedUnits(card, other)));
        site.kubeletEntries().stream()
                .filter(entry -> entry.kind() == DeviceKind.MEMORY)
                .filter(entry -> world.api
                        .pod(entry.podUid())
                        .filter(pod -> !pod.finished())
                        .isPresent())
                .forEach(entry ->
                        taken.merge(entry.podUid(), unitsOn(site, card, entry), Math::max));
        taken.remove(uid);
        return taken.values().stream().mapToInt(each -> each).sum();
    }

    private static int unitsOn(Site site, CardId card, KubeletEntry entry) {
        return Math.toIntExact(entry.ids().stream()
                .filter(id -> site.driver().cardOf(id).equals(card))
                .count());
    }

    void evictionBegins(Effect.Evict evict) {
        SavedPlan plan = world.zookeeper
                .everSaved(evict.plan())
                .orElseThrow(() -> new Violation("eviction without a saved plan", evict.plan()));
        Violation.unless(
                plan.victims().stream()
                        .anyMatch(each -> each.pod().equals(evict.victim().ref())),
                "victim outside its plan",
                () -> evict.victim().ref() + " for " + plan);
        Violation.unless(
                plan.placements().stream()
                        .filter(place -> place.node().equals(nodeOf(plan, evict)))
                        .flatMap(place -> world.lastOf(place.pod().uid()).stream())
                        .anyMatch(member -> evict.victim().priority() < member.priority()),
                "victim of no lower priority",
                () -> evict.victim().ref() + " for " + plan);
    }

    private static String nodeOf(SavedPlan plan, Effect.Evict evict) {
        return plan.victims().stream()
                .filter(each -> each.pod().equals(evict.victim().ref()))
                .map(SavedPlan.PlannedVictim::node)
                .findFirst()
                .orElseThrow();
    }

    /** The API server took its deletion. */
    void evicted(Effect.Evict evict, long term) {
        countLate(term);
        world.tally.count("victims evicted");
        PodRef victim = evict.victim().ref();
        Violation.unless(
                world.zookeeper.open().stream()
                        .flatMap(plan -> plan.victims().stream())
                        .anyMatch(each -> each.pod().equals(victim)),
                "evicted outside an open plan",
                () -> victim + " for " + evict.plan());
    }

    static List<Reservation> reservations(Site site) {
        return site.disk().map(dev.cede.agent.core.Checkpoint::reservations).orElse(List.of());
    }
}
