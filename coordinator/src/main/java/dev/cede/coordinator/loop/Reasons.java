package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot.Cause;
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

    record Reason(Cause cause, String sentence, List<Refusal> refusals) {
        static final Reason NONE = new Reason(Cause.NONE, "", List.of());
    }

    private final LoopState state;
    private final Map<String, Reason> byUid = new HashMap<>();
    private final Map<String, String> told = new HashMap<>();

    Reasons(LoopState state) {
        this.state = state;
    }

    void invalid(PodFacts pod, String sentence) {
        tell(pod, INVALID, new Reason(Cause.REFUSED, sentence, List.of()));
    }

    void noRoom(List<PodFacts> pods, Decision.NoRoom noRoom) {
        Reason why = new Reason(Cause.NO_ROOM, noRoom.reason(), noRoom.refusals());
        pods.forEach(pod -> tell(pod, UNSCHEDULABLE, why));
    }

    /** For inspection only. */
    void note(PodFacts pod, Reason reason) {
        byUid.put(pod.uid(), reason);
    }

    /** It has a place; for inspection only. */
    void placed(PodFacts pod, String note) {
        note(pod, new Reason(Cause.NONE, note, List.of()));
    }

    void waiting(PodFacts pod, Cause cause, String sentence) {
        tell(pod, UNSCHEDULABLE, new Reason(cause, sentence, List.of()));
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
