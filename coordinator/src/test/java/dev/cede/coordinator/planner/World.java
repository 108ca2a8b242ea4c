package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision.NoRoom;
import dev.cede.coordinator.planner.Decision.Place;
import dev.cede.coordinator.planner.NodeView.PodOnNode;
import dev.cede.coordinator.planner.Planner.Question;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A cluster in the rule book's notation. {@code c0[64u]} is a card of node n0, {@code n1/c0[64u]}
 * one of n1, {@code c0[8192MiB-210MiB]} one with memory kept by the driver; further words in the
 * brackets: {@code foreign=32}, {@code sick}, {@code whole=V*2} (two devices of pod V that are it). {@code L(p0,32u)@c0} is a pod on it, see {@link Pods}.
 */
final class World {
    private static final long MIB = 1L << 20;

    private final TreeMap<String, List<Card>> cards = new TreeMap<>();
    private final TreeMap<String, List<Pods.Placed>> pods = new TreeMap<>();
    private final TreeMap<String, String> closed = new TreeMap<>();
    private final TreeSet<String> mayReturn = new TreeSet<>();
    private final TreeMap<String, Map<String, Long>> allocatable = new TreeMap<>();
    private final List<Hold> holds = new ArrayList<>();
    private PlannerSettings settings = PlannerSettings.DEFAULTS;
    private boolean mayEvict = true;

    private record Hold(Pods.Placed pod, List<String> behind) {}

    private World() {}

    /** Cards and pods in any order, separated by blanks. */
    static World of(String... texts) {
        World world = new World();
        for (String word : String.join(" ", texts).trim().split("\\s+", -1)) {
            if (word.contains("(")) {
                world.add(Pods.placed(word));
            } else {
                world.addCard(word);
            }
        }
        return world;
    }

    World add(Pods.Placed pod) {
        pods.computeIfAbsent(pod.node(), name -> new ArrayList<>()).add(pod);
        return this;
    }

    private void addCard(String word) {
        String path = word.substring(0, word.indexOf('['));
        String[] said = word.substring(word.indexOf('[') + 1, word.length() - 1).split(",", -1);
        String node = path.contains("/") ? path.substring(0, path.indexOf('/')) : "n0";
        String name = path.substring(path.indexOf('/') + 1);
        int index = Integer.parseInt(name.substring(1));
        List<String> words = Arrays.asList(said);
        int foreign = words.stream()
                .filter(each -> each.startsWith("foreign="))
                .mapToInt(each -> Integer.parseInt(each.substring(8)))
                .sum();
        boolean sick = words.contains("sick");
        cards.computeIfAbsent(node, key -> new ArrayList<>())
                .add(new Card(
                        cardId(node, name),
                        index,
                        index,
                        "Simulated",
                        total(said[0]),
                        reserved(said[0]),
                        sick ? CardHealth.UNHEALTHY : CardHealth.HEALTHY,
                        sick ? "Xid 79" : "",
                        foreign,
                        wholeCardDevices(words)));
    }

    private static SortedMap<String, Integer> wholeCardDevices(List<String> words) {
        TreeMap<String, Integer> devices = new TreeMap<>();
        words.stream()
                .filter(each -> each.startsWith("whole="))
                .map(each -> each.substring(6).split("\\*", -1))
                .forEach(each -> devices.put("uid-" + each[0], Integer.valueOf(each[1])));
        return devices;
    }

    static CardId cardId(String node, String card) {
        return new CardId("GPU-" + node + "-" + card);
    }

    private static long total(String size) {
        return size.endsWith("u")
                ? Integer.parseInt(size.substring(0, size.length() - 1)) * 128L * MIB
                : Long.parseLong(size.substring(0, size.indexOf("MiB"))) * MIB;
    }

    private static long reserved(String size) {
        int minus = size.indexOf('-');
        return minus < 0 ? 0 : Long.parseLong(size.substring(minus + 1, size.length() - 3)) * MIB;
    }

    World withSwitch(boolean on) {
        return with(settings.withTopologyAware(on));
    }

    World with(PlannerSettings changed) {
        settings = changed;
        return this;
    }

    World noEviction() {
        mayEvict = false;
        return this;
    }

    /** A node whose agent is away. */
    World lost(String node, boolean expectedBack) {
        cards.computeIfAbsent(node, key -> new ArrayList<>());
        closed.put(node, "its agent is away");
        if (expectedBack) {
            mayReturn.add(node);
        }
        return this;
    }

    /** Ordinary resources of a node; 64 CPUs, else. */
    World allocatable(String node, Map<String, Long> amounts) {
        allocatable.put(node, amounts);
        return this;
    }

    /** A pod that is not bound yet and waits behind all shares of others on its cards. */
    World hold(String pod, String... behind) {
        holds.add(new Hold(Pods.placed(pod), List.of(behind)));
        return this;
    }

    SortedMap<String, NodeView> nodes() {
        SortedMap<String, NodeView> nodes = new TreeMap<>();
        for (Map.Entry<String, List<Card>> each : cards.entrySet()) {
            String name = each.getKey();
            nodes.put(
                    name,
                    new NodeView(
                            facts(name),
                            ledger(name),
                            podsOn(name),
                            Optional.ofNullable(closed.get(name)),
                            mayReturn.contains(name)));
        }
        return nodes;
    }

    private NodeFacts facts(String name) {
        return new NodeFacts(
                name,
                "uid-" + name,
                false,
                true,
                Map.of("kubernetes.io/hostname", name),
                List.of(),
                allocatable.getOrDefault(name, Map.of("cpu", 64_000L, "pods", 110L)),
                true);
    }

    private List<PodOnNode> podsOn(String node) {
        return pods.getOrDefault(node, List.of()).stream()
                .map(Pods.Placed::onNode)
                .sorted(Comparator.comparing(there -> there.pod().ref()))
                .toList();
    }

    NodeLedger ledger(String node) {
        NodeLedger ledger =
                NodeLedger.empty(settings.maxSharesPerCard()).withCards(cards.get(node));
        for (Pods.Placed pod : pods.getOrDefault(node, List.of())) {
            ledger = pod.book(ledger);
        }
        for (Hold hold : holds) {
            if (hold.pod.node().equals(node)) {
                ledger = ledger.with(reservation(hold, ledger));
            }
        }
        return ledger;
    }

    private static Reservation reservation(Hold hold, NodeLedger ledger) {
        TreeSet<ShareKey> behind = new TreeSet<>();
        ledger.shares().values().stream()
                .map(booked -> booked.share())
                .filter(share -> hold.behind.contains(share.pod().name()))
                .map(Share::key)
                .forEach(behind::add);
        return new Reservation(
                hold.pod.pod().ref(), hold.pod.shares(), behind, new Epoch(1), "plan-1");
    }

    Question question(String... asks) {
        List<PodFacts> asked = Arrays.stream(asks).map(Pods::pending).toList();
        return new Question(asked, nodes(), settings, mayEvict, Pods.NOW);
    }

    Decision decide(String... asks) {
        return Planner.decide(question(asks));
    }

    /** The decision in one line: {@code H@n0/c0 after L, evicting L}, or the reason. */
    String plan(String... asks) {
        return switch (decide(asks)) {
            case NoRoom none -> none.reason();
            case Place place -> {
                String victims = place.victims().stream()
                        .map(victim -> victim.pod().ref().name())
                        .collect(Collectors.joining(" "));
                yield place.placements().stream().map(World::line).collect(Collectors.joining(" "))
                        + (victims.isEmpty() ? "" : ", evicting " + victims)
                        + (place.note().isEmpty() ? "" : ", " + place.note());
            }
        };
    }

    private static String line(Placement placement) {
        String cards = placement.shares().stream()
                .map(share -> share.card().uuid().substring(4).replace('-', '/'))
                .map(path -> path.substring(path.indexOf('/') + 1))
                .collect(Collectors.joining("+"));
        String behind = placement.behind().stream()
                .map(key -> key.podUid().substring(4))
                .distinct()
                .collect(Collectors.joining("+"));
        return placement.pod().name() + "@" + placement.node()
                + (cards.isEmpty() ? "" : "/" + cards)
                + (behind.isEmpty() ? "" : " after " + behind);
    }
}
