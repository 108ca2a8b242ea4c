package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.model.PodRef;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds out that another scheduler uses one of our names (A7): it binds a pod with shares, and the
 * books of no agent know of it. What a leader of ours binds is annotated with its cards, and was
 * reserved at an agent before, so the agent's word counts, and only one that came after the Binding
 * was seen. A term that ended without our knowing has to show itself first, which takes less than
 * the attach timeout.
 */
final class Rivals {
    /** @param reported whether its node's agent reported since */
    private record Suspect(PodFacts pod, String node, Instant seen, boolean reported) {}

    private final LoopState state;

    /** By pod UID. */
    private final SortedMap<String, Suspect> suspects = new TreeMap<>();

    Rivals(LoopState state) {
        this.state = state;
    }

    void forgetTerm() {
        suspects.clear();
    }

    /** A pod as it was known, and as it is seen now. */
    void seen(Optional<PodFacts> before, PodFacts pod) {
        boolean boundNow = before.filter(known -> !known.bound()).isPresent() && pod.bound();
        if (boundNow && state.acting() && mayBeStolen(pod)) {
            String node = pod.nodeName().orElseThrow();
            suspects.put(pod.uid(), new Suspect(pod, node, state.now, false));
        }
    }

    private boolean mayBeStolen(PodFacts pod) {
        return !state.settings.schedulerNames().given()
                && state.ours(pod)
                && ShareAsk.asks(pod)
                && !pod.annotations().containsKey(Binder.CARDS_ANNOTATION)
                && !state.claims.containsKey(pod.uid());
    }

    void reported(String node) {
        suspects.replaceAll((uid, suspect) -> suspect.node().equals(node)
                ? new Suspect(suspect.pod(), node, suspect.seen(), true)
                : suspect);
    }

    void step() {
        if (suspects.isEmpty()) {
            return;
        }
        Set<String> inBooks = Views.uidsInBooks(state);
        suspects.keySet().removeIf(uid -> inBooks.contains(uid) || isCleared(uid));
        List.copyOf(suspects.values()).forEach(this::judge);
    }

    /** It is ours after all, or nobody can tell any more. */
    private boolean isCleared(String uid) {
        return state.claims.containsKey(uid)
                || state.cluster
                        .pod(uid)
                        .filter(pod -> !pod.terminating())
                        .filter(pod -> !pod.finished() || HandOvers.isRejected(pod))
                        .isEmpty();
    }

    private void judge(Suspect suspect) {
        Instant certain = suspect.seen().plus(state.settings.attachTimeout());
        if (certain.isAfter(state.now)) {
            state.out.wakeAt(certain);
        } else if (suspect.reported() && speaksToUs(suspect.node())) {
            suspects.remove(suspect.pod().uid());
            tell(suspect.pod(), suspect.node());
        }
    }

    private boolean speaksToUs(String node) {
        return state.agent(node)
                .filter(AgentState::welcomed)
                .filter(agent -> agent.report().highestEpoch().equals(state.epoch))
                .isPresent();
    }

    private void tell(PodFacts pod, String node) {
        String name = pod.schedulerName();
        if (state.rivals.putIfAbsent(name, pod.ref()) == null) {
            state.world++;
            state.out.add(new Effect.Announce(
                    pod.ref(),
                    true,
                    "TwoSchedulers",
                    "It was bound to " + node + ", where nothing is reserved for it: "
                            + sentence(name, pod.ref())));
            state.log("rival=found scheduler=" + name + " pod=" + pod.ref().namespacedName()
                    + " node=" + node);
        }
    }

    /** What is said of each pod that waits because of it. */
    static String sentence(String name, PodRef bound) {
        return "another scheduler uses the schedulerName " + name + ", as it bound "
                + bound.namespacedName()
                + "; no pod of that name is taken until scheduler_names is set in the configuration";
    }
}
