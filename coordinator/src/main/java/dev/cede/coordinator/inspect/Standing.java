package dev.cede.coordinator.inspect;

import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.Snapshot.Lost;
import dev.cede.coordinator.loop.Snapshot.Stage;
import dev.cede.coordinator.loop.Standstill;
import dev.cede.model.Drift;
import dev.cede.model.GpuProcess;
import dev.cede.model.PodRef;
import dev.cede.model.Share;

import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Where a pod stands. Several can be true at once; {@link Sentences} has the words for each. */
sealed interface Standing {

    /** Of a pod of ours that has neither a node nor a place. */
    sealed interface Queued extends Standing {}

    record BeingDeleted() implements Queued {}

    record Gated() implements Queued {}

    record StandsStill(Standstill why) implements Queued {}

    record HeldBack(Instant until) implements Queued {}

    record Refused(String sentence) implements Queued {}

    record NoRoom(String sentence) implements Queued {}

    record SizeUnknown(String sentence) implements Queued {}

    record TooFew(String sentence) implements Queued {}

    record OthersFirst(String sentence) implements Queued {}

    record TwoSchedulers(String sentence) implements Queued {}

    record Undecided() implements Queued {}

    record NominatedOnly(String node) implements Queued {}

    /** Of a pod that has a place and is not bound. */
    sealed interface Placed extends Standing {
        String node();
    }

    record PlanBeingSaved(String node, String plan) implements Placed {}

    /**
     * Room is being held.
     *
     * @param nodes whose agents have not acknowledged it
     */
    record PlanBeingHeld(String node, String plan, Set<String> nodes) implements Placed {}

    record PlanEvicts(String node, String plan, List<PodRef> victims) implements Placed {}

    record PlanAwaitsRelease(String node, String plan, String sentence) implements Placed {}

    record PlanGivenUp(String node, String plan, String why) implements Placed {}

    record Contested(String node, String plan) implements Placed {}

    record AwaitsRoom(String node, String sentence) implements Placed {}

    record NodeClosed(String node, String why) implements Placed {}

    record NotReserved(String node) implements Placed {}

    record GroupFirst(String node) implements Placed {}

    record AfterAlike(String node, PodRef other) implements Placed {}

    record BindingHeldBack(String node, Instant until) implements Placed {}

    record MayBind(String node) implements Placed {}

    record BindingSent(String node) implements Placed {}

    record BindingUnknown(String node) implements Placed {}

    record BindingAnswered(String node) implements Placed {}

    /** Of a pod on its node. */
    sealed interface OnNode extends Standing {
        String node();
    }

    record NotAllocated(String node) implements OnNode {}

    record PartlyAllocated(String node, Set<String> missing) implements OnNode {}

    record NotStarted(String node) implements OnNode {}

    record Runs(String node, int priority) implements OnNode {}

    record WithoutShares(String node) implements OnNode {}

    record Unplanned(String node) implements OnNode {}

    record Leaving(String node, Instant graceEnds) implements OnNode {}

    /**
     * Its agent did not report in this term.
     *
     * @param agent what is known of it
     */
    record BooksUnknown(String node, String agent) implements OnNode {}

    /** A share of the pod. */
    record Has(Share share, String card, String node) implements OnNode {}

    /** Of a pod that is over, or whose object is gone. */
    sealed interface Ended extends Standing {}

    record Over(PodPhase phase, String reason) implements Ended {}

    record HoldsNothing() implements Ended {}

    record ObjectGone() implements Ended {}

    /** Absence from a cache proves nothing (E9). */
    record Unconfirmed(String node) implements Ended {}

    record StillReserved(String node) implements Ended {}

    record NotLetGo(String node) implements Ended {}

    record BeingMeasured(String node) implements Ended {}

    record KeptBy(GpuProcess process) implements Ended {}

    record Overdue(Instant since) implements Ended {}

    /** What else is to be known of it. */
    sealed interface Besides extends Standing {}

    record IsVictim(String plan, List<PodRef> winners, Stage stage, String reason)
            implements Besides {}

    record PlaceIsKept(String plan, Lost lost) implements Besides {}

    record AwaitsReplacement(String plan, List<Lost> lost) implements Besides {}

    record RolledBack(String plan) implements Besides {}

    record AgentAway(String node, String why) implements Besides {}

    record NodeUnknown(String node) implements Besides {}

    record SharesElsewhere(String node) implements Besides {}

    record Drifted(String node, Drift drift) implements Besides {}

    record NotOurs(String scheduler, Set<String> ours) implements Besides {}
}
