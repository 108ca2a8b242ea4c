package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.Reservation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Keeps agents' reservations and this term's claims the same, level by level. */
final class Claims {
    /** Kubelet would not have the pod: its controller's next one waits a little (E12). */
    private static final String REJECTED = "rejected";

    private final LoopState state;
    private final Releases releases;
    private final Fences fences;
    private final HandOvers handOvers;

    Claims(LoopState state, Releases releases, Fences fences, HandOvers handOvers) {
        this.state = state;
        this.releases = releases;
        this.fences = fences;
        this.handOvers = handOvers;
    }

    void step() {
        endClaims();
        state.agents.forEach(this::syncAgent);
    }

    private void syncAgent(String node, AgentState agent) {
        if (agent.awaitsWelcome()) {
            adopt(node, agent.report());
            welcome(node, agent);
        } else if (agent.welcomed()) {
            reserve(node, agent, drop(node, agent));
        }
    }

    private void welcome(String node, AgentState agent) {
        state.claimsOn(node).forEach(Claim::streamChanged);
        Stream<Reservation> kept = unclaimed(node, agent).stream().filter(held -> !mayDrop(held));
        Stream<Reservation> claimed =
                state.claimsOn(node).stream().filter(Claim::wanted).map(Claim::reservation);
        List<Reservation> wanted = Stream.concat(kept, claimed).toList();
        agent.welcomeSent(state.send(node, new Order.Welcome(wanted, releases.due(agent))));
    }

    /**
     * Reservations of an earlier term become claims of this one: their pods are as good as placed,
     * and whatever the earlier leader still has on its way binds them to the same node.
     */
    private void adopt(String node, NodeReport report) {
        for (Reservation held : report.reservations()) {
            if (held.epoch().isOlderThan(state.epoch)) {
                fences.open(held.pod());
            }
            if (!state.claims.containsKey(held.pod().uid()) && belongs(node, held)) {
                adopt(node, held);
            }
        }
    }

    private void adopt(String node, Reservation held) {
        Reservation ours =
                new Reservation(held.pod(), held.shares(), held.behind(), state.epoch, "");
        state.claims.put(held.pod().uid(), new Claim(node, ours, true));
        state.log("adopted=" + held.pod().namespacedName() + " node=" + node);
    }

    /** A pod that no cache knows keeps its place until it is read. */
    private boolean belongs(String node, Reservation held) {
        Optional<PodFacts> pod = state.cluster.pod(held.pod().uid());
        if (pod.isEmpty()) {
            return !state.cluster.isConfirmedGone(held.pod().uid());
        }
        return !pod.get().finished()
                && pod.get().nodeName().map(node::equals).orElse(!pod.get().terminating());
    }

    private void reserve(String node, AgentState agent, boolean settled) {
        for (Claim claim : state.claimsOn(node)) {
            if (claim.acknowledged() || !claim.sendable()) {
                continue;
            }
            if (holdsAsClaimed(agent, claim)) {
                claim.acknowledge();
            } else if (!claim.sentOn(agent.stream()) && (settled || hasRoom(agent, claim))) {
                String order = state.send(node, new Order.Reserve(claim.reservation()));
                claim.sent(order, agent.stream());
                agent.reservesSent().sent(order, claim.reservation());
            }
        }
    }

    /** Beside what will be dropped only later. */
    private boolean hasRoom(AgentState agent, Claim claim) {
        return NodeLedger.of(agent.report(), state.planner.maxSharesPerCard())
                .refusal(claim.reservation())
                .isEmpty();
    }

    /** Of what it stands behind, some may be free by now; but behind nothing else. */
    private boolean holdsAsClaimed(AgentState agent, Claim claim) {
        return !agent.isDropSent(claim.pod().uid())
                && agent.report().reservations().stream()
                        .anyMatch(held -> held.pod().uid().equals(claim.pod().uid())
                                && held.epoch().equals(state.epoch)
                                && held.shares().equals(claim.reservation().shares())
                                && claim.reservation().behind().containsAll(held.behind()));
    }

    /** False while a pod that is to lose its place there may still come for it. */
    private boolean drop(String node, AgentState agent) {
        boolean settled = true;
        for (Reservation held : unclaimed(node, agent)) {
            if (isBoundTo(node, held)) {
                adopt(node, held);
            } else if (!mayDrop(held)) {
                settled = false;
            } else if (!agent.isDropSent(held.pod().uid())) {
                drop(node, agent, held.pod().uid());
            }
        }
        return settled;
    }

    /** Neither a Binding nor kubelet may come for it any more. */
    private boolean mayDrop(Reservation held) {
        return fences.keepBindingsOut(held.pod()) && !releases.mayBeNews(held.pod());
    }

    /** What is on its way counts: an order for the same room would come after it. */
    private List<Reservation> unclaimed(String node, AgentState agent) {
        Stream<Reservation> onTheWay = agent.reservesSent().all().stream()
                .filter(reservation -> !isBoundTo(node, reservation));
        return Stream.concat(agent.report().reservations().stream(), onTheWay)
                .filter(held -> Optional.ofNullable(state.claims.get(held.pod().uid()))
                        .filter(claim -> claim.node().equals(node))
                        .isEmpty())
                .toList();
    }

    /** By a call that was thought lost. */
    private boolean isBoundTo(String node, Reservation held) {
        return state.cluster
                .pod(held.pod().uid())
                .filter(pod -> !pod.finished())
                .flatMap(PodFacts::nodeName)
                .filter(node::equals)
                .isPresent();
    }

    /** It is refused while the agent cannot know whether kubelet will have the pod. */
    private void onDropAnswer(AgentState agent, String uid, boolean done) {
        agent.dropAnswered(uid);
        if (done) {
            state.backoff.succeeded(dropKey(uid));
        } else {
            state.out.wakeAt(state.backoff.failed(dropKey(uid), state.now));
        }
    }

    private void drop(String node, AgentState agent, String uid) {
        Instant again = state.backoff.until(dropKey(uid));
        if (again.isAfter(state.now)) {
            state.out.wakeAt(again);
        } else {
            agent.dropSent(uid, state.send(node, new Order.Drop(uid)));
        }
    }

    private static String dropKey(String uid) {
        return "drop/" + uid;
    }

    /** Claims end when kubelet has given all out, or when there is nobody to give it to. */
    private void endClaims() {
        for (Claim claim : List.copyOf(state.claims.values())) {
            whyEnded(claim).filter(reason -> !handOvers.keep(claim)).ifPresent(reason -> {
                state.claims.remove(claim.pod().uid());
                state.world++;
                if (reason.equals(REJECTED)) {
                    state.backoff.failed(Workloads.key(state, claim.pod()), state.now);
                }
                state.log("claim=ended pod=" + claim.pod().namespacedName() + " why=" + reason);
            });
        }
    }

    private Optional<String> whyEnded(Claim claim) {
        String uid = claim.pod().uid();
        Optional<PodFacts> pod = state.cluster.pod(uid);
        if (pod.isEmpty()) {
            return releases.kubeletLetGo(claim.pod()) ? Optional.of("gone") : Optional.empty();
        }
        if (pod.get().finished()) {
            return Optional.of(claim.inFlight() && !given(claim) ? REJECTED : "finished");
        }
        if (pod.get().nodeName().filter(node -> !node.equals(claim.node())).isPresent()) {
            return Optional.of("bound-elsewhere");
        }
        if (!pod.get().bound() && pod.get().terminating()) {
            return Optional.of("deleted");
        }
        if (belowMinimum(claim, pod.get())) {
            return Optional.of("group-below-minimum");
        }
        return pod.get().bound() && given(claim) ? Optional.of("allocated") : Optional.empty();
    }

    /** Its plan was closed, or others of its group have left, before it was bound (E1). */
    private boolean belowMinimum(Claim claim, PodFacts pod) {
        return !claim.inFlight()
                && !state.plans.containsKey(claim.plan())
                && !Workloads.enough(state, pod);
    }

    private boolean given(Claim claim) {
        return claim.withoutShares()
                || (state.hasShares(claim.node(), claim.pod().uid())
                        && state.reserved(claim.node(), claim.pod().uid()).isEmpty());
    }

    /** The pods whose claim an agent would not take. */
    List<Claim> onAnswer(String node, OrderResult result) {
        state.agent(node).ifPresent(agent -> {
            agent.reservesSent().answered(result.orderId(), result.done());
            agent.droppedBy(result.orderId())
                    .ifPresent(uid -> onDropAnswer(agent, uid, result.done()));
        });
        List<Claim> refused = new ArrayList<>();
        for (Claim claim : state.claimsOn(node)) {
            if (claim.isOrder(result.orderId())) {
                if (result.done()) {
                    claim.acknowledge();
                } else {
                    refused.add(claim);
                }
            }
        }
        return refused;
    }
}
