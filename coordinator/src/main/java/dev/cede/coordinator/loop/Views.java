package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.NodeView;
import dev.cede.coordinator.planner.NodeView.PodOnNode;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.BookedShare;
import dev.cede.model.Reservation;
import dev.cede.model.ShareKey;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The nodes as the planner sees them: what agents reported, with what was decided since. */
final class Views {
    /** Label of the nodes that Cede shares (B12). */
    static final String SHARE_LABEL = "cede.dev/share";

    private Views() {}

    static SortedMap<String, NodeView> all(LoopState state) {
        return allWithout(state, Set.of());
    }

    /** As if these pods had no place. */
    static SortedMap<String, NodeView> allWithout(LoopState state, Set<String> podUids) {
        SortedMap<String, NodeView> views = new TreeMap<>();
        state.cluster.nodes().forEach(node -> views.put(node.name(), of(state, node, podUids)));
        return views;
    }

    static NodeView of(LoopState state, NodeFacts node) {
        return of(state, node, Set.of());
    }

    private static NodeView of(LoopState state, NodeFacts node, Set<String> without) {
        NodeLedger ledger = ledger(state, node.name(), without);
        return new NodeView(
                node,
                ledger,
                pods(state, node.name(), ledger).stream()
                        .filter(there -> !without.contains(there.pod().uid()))
                        .toList(),
                closed(state, node),
                expected(state, node).isPresent());
    }

    /** The node's books with this term's claims, and leaving pods' shares marked so (B8). */
    private static NodeLedger ledger(LoopState state, String node, Set<String> without) {
        NodeLedger ledger = state.report(node)
                .map(report -> NodeLedger.of(report, state.planner.maxSharesPerCard()))
                .orElseGet(() -> NodeLedger.empty(state.planner.maxSharesPerCard()));
        for (Claim claim : state.claimsOn(node)) {
            ledger = claim.withoutShares() ? ledger : ledger.with(claim.reservation());
        }
        for (String uid : new TreeSet<>(without)) {
            ledger = ledger.without(uid);
        }
        for (String uid : uids(ledger)) {
            ledger = leaving(state, uid) ? ledger.releasing(uid) : ledger;
        }
        return ledger;
    }

    private static Set<String> uids(NodeLedger ledger) {
        return ledger.shares().keySet().stream()
                .map(ShareKey::podUid)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static boolean leaving(LoopState state, String uid) {
        return state.cluster.isDeparted(uid)
                || state.cluster
                        .pod(uid)
                        .filter(pod -> pod.terminating() || pod.finished())
                        .isPresent();
    }

    private static List<PodOnNode> pods(LoopState state, String node, NodeLedger ledger) {
        Set<String> inBooks = uids(ledger);
        Set<String> promised = promised(ledger);
        Stream<PodFacts> present = state.cluster.pods().stream()
                .filter(pod -> pod.nodeName().filter(node::equals).isPresent()
                        || claimedFor(state, pod, node))
                .filter(pod -> !pod.finished() || inBooks.contains(pod.uid()));
        Stream<PodFacts> gone = inBooks.stream()
                .filter(uid -> state.cluster.pod(uid).isEmpty())
                .flatMap(uid -> state.cluster.podOrDeparted(uid).stream());
        return Stream.concat(present, gone)
                .map(pod -> new PodOnNode(
                        pod,
                        promised.contains(pod.uid()) || isHandedOver(state, pod.uid()),
                        isOverdue(state, pod.uid())))
                .sorted((a, b) -> a.pod().ref().compareTo(b.pod().ref()))
                .toList();
    }

    private static boolean claimedFor(LoopState state, PodFacts pod, String node) {
        Claim claim = state.claims.get(pod.uid());
        return claim != null && claim.node().equals(node) && pod.nodeName().isEmpty();
    }

    /** Pods that some hold stands behind. */
    private static Set<String> promised(NodeLedger ledger) {
        return ledger.reservations().values().stream()
                .map(Reservation::behind)
                .flatMap(Set::stream)
                .map(ShareKey::podUid)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether its place waits for the pod that replaces it (E14). */
    private static boolean isHandedOver(LoopState state, String uid) {
        return state.claims.containsKey(uid) && leaving(state, uid);
    }

    static boolean isOverdue(LoopState state, String uid) {
        Instant at = state.overdue.get(uid);
        return at != null && !at.isAfter(state.now);
    }

    /** Why nothing may be placed there now. */
    private static Optional<String> closed(LoopState state, NodeFacts node) {
        if (!shared(node)) {
            return Optional.of("it does not carry the label " + SHARE_LABEL + "=true");
        }
        return agentClosed(state, node.name());
    }

    /** Why a pod that is bound there would not be served now. */
    static Optional<String> agentClosed(LoopState state, String node) {
        AgentState agent = state.agents.get(node);
        if (agent == null) {
            return Optional.of("its agent has not attached yet");
        }
        if (!agent.attached()) {
            return Optional.of("its agent is away");
        }
        if (!agent.welcomed()) {
            return Optional.of("its agent has just attached");
        }
        if (!agent.report().takesBinds()) {
            return Optional.of(agent.report().takesBindsReason());
        }
        return state.emptySince(node).map(since -> "its status does not show its devices yet");
    }

    private static boolean shared(NodeFacts node) {
        return "true".equals(node.labels().get(SHARE_LABEL));
    }

    /** Until when a shared node that cannot take anything now is expected back (C5). */
    static Optional<Instant> expected(LoopState state, NodeFacts node) {
        Optional<Instant> since = shared(node) ? closedSince(state, node) : Optional.empty();
        return since.map(time -> time.plus(state.settings.attachTimeout()))
                .filter(until -> until.isAfter(state.now));
    }

    private static Optional<Instant> closedSince(LoopState state, NodeFacts node) {
        AgentState agent = state.agents.get(node.name());
        if (agent == null) {
            return node.listsShares() ? Optional.of(state.termStart) : Optional.empty();
        }
        return agent.awaySince().or(agent::closedSince).or(() -> state.emptySince(node.name()));
    }

    /** All pods that any agent's books name. */
    static Set<String> uidsInBooks(LoopState state) {
        Set<String> uids = new TreeSet<>();
        state.agents.values().forEach(agent -> {
            agent.report().shares().stream()
                    .map(BookedShare::share)
                    .forEach(share -> uids.add(share.pod().uid()));
            agent.report().reservations().forEach(r -> uids.add(r.pod().uid()));
        });
        return uids;
    }
}
