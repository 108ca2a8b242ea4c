package dev.cede.coordinator.inspect;

import dev.cede.coordinator.inspect.Standing.Besides;
import dev.cede.coordinator.inspect.Standing.Ended;
import dev.cede.coordinator.inspect.Standing.OnNode;
import dev.cede.coordinator.inspect.Standing.Placed;
import dev.cede.coordinator.inspect.Standing.Queued;
import dev.cede.coordinator.loop.Snapshot.Lost;
import dev.cede.coordinator.loop.Snapshot.Stage;
import dev.cede.coordinator.loop.Standstill;
import dev.cede.model.Amount;
import dev.cede.model.GpuProcess;
import dev.cede.model.PodRef;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The words for where a pod stands; the pod is the subject of each sentence. */
final class Sentences {
    private Sentences() {}

    static String of(Standing standing) {
        return switch (standing) {
            case Queued queued -> queued(queued);
            case Placed placed -> "has a place on " + placed.node() + "; " + placed(placed);
            case OnNode there -> onNode(there);
            case Ended ended -> ended(ended);
            case Besides besides -> besides(besides);
        };
    }

    private static String queued(Queued queued) {
        return switch (queued) {
            case Standing.BeingDeleted now -> "is being deleted before it was bound";
            case Standing.Gated now -> "has scheduling gates, and is not looked at until they go";
            case Standing.StandsStill now -> standstill(now.why());
            case Standing.HeldBack now ->
                "is not tried again before " + now.until() + ", after an effect that failed (E12)";
            case Standing.Refused now -> "is refused as it is written: " + now.sentence();
            case Standing.NoRoom now -> now.sentence();
            case Standing.SizeUnknown now -> now.sentence();
            case Standing.TooFew now -> "does not start yet: " + now.sentence();
            case Standing.OthersFirst now -> "does not start yet: " + now.sentence();
            case Standing.TwoSchedulers now -> "is not taken: " + now.sentence();
            case Standing.Undecided now -> "has not been decided on yet";
            case Standing.NominatedOnly now ->
                "is nominated for " + now.node() + ", and nothing is held for it there";
        };
    }

    private static String standstill(Standstill why) {
        return switch (why) {
            case NONE -> "";
            case SUSPENDED -> "waits: nothing is started while ZooKeeper is out of reach";
            case NOT_SYNCED ->
                "waits: nothing is started before the API server's first lists are in";
            case DEPOSED ->
                "waits: nothing is started, a later leader was met and this one steps down";
        };
    }

    private static String placed(Placed placed) {
        return switch (placed) {
            case Standing.PlanBeingSaved now ->
                "plan " + now.plan() + " is being saved, and nothing happens before";
            case Standing.PlanBeingHeld now ->
                "plan " + now.plan() + " waits until the agent holds the room on "
                        + String.join(", ", now.nodes());
            case Standing.PlanEvicts now ->
                "plan " + now.plan() + " asks " + names(now.victims()) + " to leave";
            case Standing.PlanAwaitsRelease now ->
                "plan " + now.plan() + " waits until all room is measured free: " + now.sentence();
            case Standing.PlanGivenUp now ->
                "plan " + now.plan() + " is given up, and its calls are made void before: "
                        + now.why();
            case Standing.Contested now ->
                "plan " + now.plan() + ", of a higher priority, is being saved to take it (E8)";
            case Standing.AwaitsRoom now -> now.sentence();
            case Standing.NodeClosed now -> "the node takes no pod now: " + now.why();
            case Standing.NotReserved now ->
                "the agent has not acknowledged the reservation of this term";
            case Standing.GroupFirst now -> "of its group fewer than its minMember may start now";
            case Standing.AfterAlike now ->
                now.other().namespacedName() + " asks alike of another card and is served before";
            case Standing.BindingHeldBack now ->
                "its Binding failed, and is not sent again before " + now.until() + " (E12)";
            case Standing.MayBind now -> "nothing is in the way of its Binding";
            case Standing.BindingSent now -> "its Binding is sent and not answered yet";
            case Standing.BindingUnknown now ->
                "its Binding failed or the answer was lost, and the pod is read before it is sent"
                        + " again";
            case Standing.BindingAnswered now ->
                "its Binding is accepted, and the API server has not shown it yet";
        };
    }

    private static String onNode(OnNode there) {
        return switch (there) {
            case Standing.NotAllocated now ->
                "is bound to " + now.node() + ", and kubelet has not asked for its devices yet";
            case Standing.PartlyAllocated now ->
                "is bound to " + now.node() + ", and kubelet has not asked for the devices of "
                        + String.join(", ", now.missing()) + " yet";
            case Standing.NotStarted now ->
                "is on " + now.node() + ", has its devices, and does not run yet";
            case Standing.Runs now -> "runs on " + now.node() + " with priority " + now.priority();
            case Standing.WithoutShares now ->
                "is on " + now.node() + " and asks for no shares (A7)";
            case Standing.Unplanned now ->
                "is on " + now.node() + " without a plan, asks for shares, and the books have none"
                        + " for it; the agent's unplanned_pods says what becomes of it (A7)";
            case Standing.Leaving now ->
                "is leaving " + now.node() + "; its grace ends at " + now.graceEnds();
            case Standing.BooksUnknown now ->
                "is bound to " + now.node() + ", whose books are not known: " + now.agent();
            case Standing.Has now ->
                "container " + now.share().container() + " has "
                        + amount(now.share().amount()) + " of " + now.node() + "/" + now.card();
        };
    }

    private static String amount(Amount amount) {
        String units = amount.units() + " units";
        return amount.core() == 0 ? units : units + " and " + amount.core() + " % core";
    }

    private static String ended(Ended ended) {
        return switch (ended) {
            case Standing.Over now ->
                "is over (" + now.phase()
                        + (now.reason().isEmpty() ? ")" : ": " + now.reason() + ")");
            case Standing.HoldsNothing now -> "holds no share any more";
            case Standing.ObjectGone now -> "is not in the API server's lists any more";
            case Standing.Unconfirmed now ->
                "its shares on " + now.node() + " are not free: a read past all caches has to"
                        + " confirm that it is gone";
            case Standing.StillReserved now -> "its room on " + now.node() + " is still reserved";
            case Standing.NotLetGo now ->
                "its shares on " + now.node() + " are not free: kubelet has not let go of them";
            case Standing.BeingMeasured now ->
                "its shares on " + now.node() + " are not free: kubelet has let go, and the agent"
                        + " has not measured them free yet";
            case Standing.KeptBy now -> kept(now.process());
            case Standing.Overdue now ->
                "its release is overdue since " + now.since() + ", and no plan waits for it (E9)";
        };
    }

    private static String kept(GpuProcess process) {
        String memory = process.usedMib() < 0 ? "memory" : process.usedMib() + " MiB";
        return "process " + process.pid() + " (" + process.name() + ") still keeps " + memory
                + " of card " + process.card();
    }

    private static String besides(Besides besides) {
        return switch (besides) {
            case Standing.IsVictim now -> victim(now);
            case Standing.PlaceIsKept now ->
                "did not start, and its place is kept until "
                        + now.lost().until() + " for the pod that replaces it (E14, plan "
                        + now.plan() + ")";
            case Standing.AwaitsReplacement now ->
                "waits for " + replacements(now.lost()) + " (E14, plan " + now.plan() + ")";
            case Standing.RolledBack now ->
                "its group is below its minMember, and plan " + now.plan()
                        + " deletes what it started of it (E14)";
            case Standing.AgentAway now ->
                "what is said of " + now.node() + " is what its agent last said: " + now.why();
            case Standing.NodeUnknown now ->
                "its node " + now.node() + " is not in the API server's list";
            case Standing.SharesElsewhere now ->
                "has shares in the books of " + now.node() + ", where it does not run";
            case Standing.Drifted now ->
                "the agent of " + now.node() + " noted a difference ("
                        + now.drift().kind() + "): " + now.drift().last();
            case Standing.NotOurs now ->
                "is not ours: its schedulerName is " + now.scheduler() + ", ours carry "
                        + names(now.ours());
        };
    }

    private static String victim(Standing.IsVictim now) {
        return victim(now.stage()) + " for " + names(now.winners()) + " by plan " + now.plan()
                + ": " + now.reason();
    }

    private static String victim(Stage stage) {
        return switch (stage) {
            case PLANNED -> "has to leave, and is not asked to yet,";
            case ASKED -> "has to leave, and the call that evicts it is not answered yet,";
            case RELEASING -> "has to leave, and its shares are not free yet,";
            case FREE -> "had to leave, and its shares are free,";
        };
    }

    private static String replacements(List<Lost> lost) {
        return lost.stream()
                .map(each -> "a pod in place of " + each.pod().namespacedName() + " until "
                        + each.until())
                .collect(Collectors.joining(", "));
    }

    private static String names(List<PodRef> pods) {
        return pods.stream().map(PodRef::namespacedName).collect(Collectors.joining(", "));
    }

    private static String names(Set<String> names) {
        return String.join(", ", names);
    }
}
