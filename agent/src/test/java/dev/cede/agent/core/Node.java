package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.KubeletBooks;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.deviceplugin.Offer;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A node's core in a test: keeps state and time, and answers the core's requests as told. */
final class Node {
    static final long MIB = 1L << 20;
    static final NodeSettings SETTINGS = new NodeSettings("n0", "i1", 20, false, 250, 50);

    NodeState state;
    long now = 1_000;
    List<NodeEffect> last = List.of();
    final List<NodeEffect> all = new ArrayList<>();
    final List<Card> cards;
    final List<DriverEntry> entries = new ArrayList<>();
    final TreeMap<String, List<LiveProcess>> pods = new TreeMap<>();
    final TreeSet<CardId> unread = new TreeSet<>();
    private int orders;
    private long calls;

    Node(NodeSettings settings, Card... cards) {
        this.state = NodeState.fresh(settings);
        this.cards = new ArrayList<>(List.of(cards));
    }

    /** Two cards of 64 units, read, listened to and welcomed. */
    static Node ready() {
        return ready(SETTINGS);
    }

    static Node withCards(int count) {
        Card[] cards = IntStream.range(0, count).mapToObj(Node::card).toArray(Card[]::new);
        Node node = new Node(SETTINGS, cards);
        node.boot();
        return node;
    }

    static Node ready(NodeSettings settings) {
        Node node = new Node(settings, card(0), card(1));
        node.boot();
        return node;
    }

    void boot() {
        on(new NodeEvent.Tick());
        readDriver();
        on(new NodeEvent.KubeletRead(KubeletBooks.EMPTY));
        on(new NodeEvent.Listening(DeviceKind.MEMORY, true));
        on(new NodeEvent.Listening(DeviceKind.CORE, true));
        on(new NodeEvent.Connected());
        order(1, new Order.Welcome(List.of(), List.of()));
    }

    static Card card(int index) {
        char digit = (char) ('a' + index);
        String uuid = "GPU-" + String.valueOf(digit).repeat(8) + "-0000-0000-0000-000000000000";
        return new Card(
                new CardId(uuid), index, index, "model", 8192 * MIB, 0, CardHealth.HEALTHY, "", 0);
    }

    static PodRef pod(String name) {
        return new PodRef("default", name, "uid-" + name);
    }

    static Share share(String pod, String container, Card card, int units, int core) {
        return new Share(pod(pod), container, card.id(), new Amount(units, core));
    }

    static Reservation reservation(Share... shares) {
        return new Reservation(shares[0].pod(), List.of(shares), new TreeSet<>(), new Epoch(1), "");
    }

    static Reservation hold(ShareKey behind, Share... shares) {
        return new Reservation(
                shares[0].pod(),
                List.of(shares),
                new TreeSet<>(List.of(behind)),
                new Epoch(1),
                "plan");
    }

    Card card0() {
        return cards.get(0);
    }

    Card card1() {
        return cards.get(1);
    }

    void on(NodeEvent event) {
        NodeCore.Step step = NodeCore.step(state, event, now);
        state = step.state();
        last = step.effects();
        all.addAll(last);
    }

    void later(long millis) {
        now += millis;
        on(new NodeEvent.Tick());
    }

    OrderResult order(long epoch, Order order) {
        return order(epoch, "o" + ++orders, order);
    }

    OrderResult order(long epoch, String id, Order order) {
        on(new NodeEvent.Ordered(new Epoch(epoch), id, order));
        return only(NodeEffect.SendResult.class).orElseThrow().result();
    }

    OrderResult reserve(Share... shares) {
        return order(1, new Order.Reserve(reservation(shares)));
    }

    <E extends NodeEffect> Optional<E> only(Class<E> kind) {
        return last.stream().filter(kind::isInstance).map(kind::cast).findFirst();
    }

    NodeReport report() {
        return state.reported().orElseThrow();
    }

    /** Kubelet asks what to take of everything, takes it, and is answered. */
    List<String> take(DeviceKind kind, int size) {
        List<String> free = new ArrayList<>();
        cards.forEach(card -> free.addAll(state.books().names().devices(card, kind)));
        on(new NodeEvent.Prefer(++calls, kind, List.of(new Offer(free, List.of(), size))));
        List<String> ids =
                only(NodeEffect.AnswerPreferred.class).orElseThrow().ids().getFirst();
        allocate(kind, ids);
        if (only(NodeEffect.AnswerAllocated.class).isEmpty()) {
            throw new AssertionError("refused: " + last);
        }
        return ids;
    }

    void allocate(DeviceKind kind, List<String> ids) {
        on(new NodeEvent.Allocate(++calls, kind, List.of(ids)));
    }

    List<String> ids(Card card, DeviceKind kind, int from, int count) {
        return state.books().names().devices(card, kind).subList(from, from + count);
    }

    void kubeletSays(KubeletEntry... entries) {
        on(new NodeEvent.KubeletRead(new KubeletBooks(List.of(entries), new TreeMap<>())));
    }

    static KubeletEntry entry(String pod, String container, DeviceKind kind, List<String> ids) {
        return new KubeletEntry("uid-" + pod, container, kind, ids);
    }

    long start(List<String> ids) {
        on(new NodeEvent.PreStart(++calls, DeviceKind.MEMORY, ids));
        return calls;
    }

    /** A pod that runs with so much of each of these cards. */
    List<String> running(String pod, int units, Card... on) {
        reserve(Arrays.stream(on)
                .map(card -> share(pod, "main", card, units, 0))
                .toArray(Share[]::new));
        List<String> ids = take(DeviceKind.MEMORY, units * on.length);
        kubeletSays(entry(pod, "main", DeviceKind.MEMORY, ids));
        return ids;
    }

    List<String> running(String pod, Card card, int units) {
        return running(pod, units, card);
    }

    void process(int pid, String pod, Card card, int mib) {
        LiveProcess process = live(pid, pod);
        entries.add(new DriverEntry(card.id(), pid, mib * MIB, Optional.of(process)));
        pods.merge("uid-" + pod, List.of(process), (a, b) -> {
            List<LiveProcess> both = new ArrayList<>(a);
            both.addAll(b);
            return both;
        });
    }

    static LiveProcess live(int pid, String pod) {
        return new LiveProcess(pid, 100L + pid, "python", Optional.of("uid-" + pod));
    }

    /** The process ends, and with it the driver's entry. */
    void ends(int pid) {
        entries.removeIf(entry -> entry.pid() == pid);
        dies(pid);
    }

    /** The process ends; the driver's entry stays for a while. */
    void lingers(int pid) {
        entries.replaceAll(entry -> entry.pid() == pid
                ? new DriverEntry(entry.card(), pid, entry.usedBytes(), Optional.empty())
                : entry);
        dies(pid);
    }

    private void dies(int pid) {
        pods.replaceAll((uid, list) ->
                list.stream().filter(process -> process.pid() != pid).toList());
    }

    /** Answers the reading that is under way, or asks for one first. */
    void readDriver() {
        if (!state.driver().reading()) {
            now = Math.max(now, state.driver().nextAt());
            on(new NodeEvent.Tick());
        }
        TreeMap<String, List<LiveProcess>> asked = new TreeMap<>();
        pods.forEach((uid, list) -> {
            if (!list.isEmpty()) {
                asked.put(uid, list);
            }
        });
        on(new NodeEvent.DriverRead(
                new DriverReading(state.driver().issued(), cards, unread, entries, asked)));
    }

    List<String> allocated() {
        return report().shares().stream()
                .map(booked ->
                        booked.share().pod().name() + "/" + booked.share().container()
                                + "=" + booked.share().amount() + "@"
                                + index(booked.share().card()) + " " + booked.state())
                .toList();
    }

    private int index(CardId card) {
        return cards.stream()
                .filter(each -> each.id().equals(card))
                .findFirst()
                .orElseThrow()
                .index();
    }
}
