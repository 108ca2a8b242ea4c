package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision;
import dev.cede.coordinator.planner.Decision.Refusal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Why each waiting pod waits: told once each time that it changes (A12). */
final class Reasons {
    /** The pod can never be placed as it is written. */
    static final String INVALID = "InvalidRequest";

    /** More or other nodes could help; autoscalers act on this word. */
    static final String UNSCHEDULABLE = "Unschedulable";

    record Reason(String sentence, List<Refusal> refusals) {
        static final Reason NONE = new Reason("", List.of());
    }

    private final LoopState state;
    private final Map<String, Reason> byUid = new HashMap<>();
    private final Map<String, String> told = new HashMap<>();

    Reasons(LoopState state) {
        this.state = state;
    }

    void invalid(PodFacts pod, String sentence) {
        tell(pod, INVALID, new Reason(sentence, List.of()));
    }

    void noRoom(List<PodFacts> pods, Decision.NoRoom noRoom) {
        pods.forEach(
                pod -> tell(pod, UNSCHEDULABLE, new Reason(noRoom.reason(), noRoom.refusals())));
    }

    /** For inspection only. */
    void note(PodFacts pod, String note, List<Refusal> refusals) {
        byUid.put(pod.uid(), new Reason(note, refusals));
    }

    /** A pod with a place that is not its own yet. */
    void waiting(PodFacts pod, String sentence) {
        tell(pod, UNSCHEDULABLE, new Reason(sentence, List.of()));
    }

    private void tell(PodFacts pod, String reason, Reason why) {
        byUid.put(pod.uid(), why);
        String before = told.getOrDefault(pod.uid(), pod.scheduledMessage());
        if (!before.equals(why.sentence())) {
            told.put(pod.uid(), why.sentence());
            state.out.add(new Effect.ReportPending(pod.ref(), reason, why.sentence()));
        }
    }

    Reason of(String uid) {
        return byUid.getOrDefault(uid, Reason.NONE);
    }

    void forget(String uid) {
        byUid.remove(uid);
        told.remove(uid);
    }
}
