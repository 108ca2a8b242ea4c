package dev.cede.coordinator.inspect;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Progress;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.Place;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Snapshot.Stage;
import dev.cede.coordinator.loop.Standstill;
import dev.cede.model.PodRef;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Where a pod of ours stands that is not bound. */
final class Waits {
    private final Known known;

    Waits(Known known) {
        this.known = known;
    }

    List<Standing> of(Pending pending) {
        List<Standing> standings = new ArrayList<>();
        if (known.now().standstill() != Standstill.NONE) {
            standings.add(new Standing.StandsStill(known.now().standstill()));
        }
        Optional<Place> place = known.place(pending.pod().uid());
        if (pending.pod().terminating()) {
            standings.add(new Standing.BeingDeleted());
        } else if (place.isPresent()) {
            standings.add(placed(pending, place.get()));
        } else {
            standings.addAll(queued(pending));
        }
        return standings.isEmpty() ? List.of(new Standing.Undecided()) : standings;
    }

    private static List<Standing> queued(Pending pending) {
        PodFacts pod = pending.pod();
        if (pod.gated()) {
            return List.of(new Standing.Gated());
        }
        List<Standing> standings = new ArrayList<>();
        pending.heldBack().map(Standing.HeldBack::new).ifPresent(standings::add);
        decided(pending).ifPresent(standings::add);
        pod.nominatedNode().map(Standing.NominatedOnly::new).ifPresent(standings::add);
        return standings;
    }

    private static Optional<Standing> decided(Pending pending) {
        String sentence = pending.reason();
        return switch (pending.cause()) {
            case NONE, WAITS -> Optional.empty();
            case REFUSED -> Optional.of(new Standing.Refused(sentence));
            case NO_ROOM -> Optional.of(new Standing.NoRoom(sentence));
            case SIZE_UNKNOWN -> Optional.of(new Standing.SizeUnknown(sentence));
            case TOO_FEW -> Optional.of(new Standing.TooFew(sentence));
            case TWO_SCHEDULERS -> Optional.of(new Standing.TwoSchedulers(sentence));
            case OTHERS_FIRST -> Optional.of(new Standing.OthersFirst(sentence));
        };
    }

    private Standing placed(Pending pending, Place place) {
        String node = place.node();
        return switch (place.progress()) {
            case Progress.Contested by -> new Standing.Contested(node, by.plan());
            case Progress.PlanFirst first ->
                known.plan(place.plan())
                        .map(plan -> byPlan(node, plan))
                        .orElseGet(Standing.Undecided::new);
            case Progress.GroupFirst first -> new Standing.GroupFirst(node);
            case Progress.NodeClosed closed -> new Standing.NodeClosed(node, closed.why());
            case Progress.NotReserved not -> new Standing.NotReserved(node);
            case Progress.RoomNotFree not -> new Standing.AwaitsRoom(node, pending.reason());
            case Progress.AfterAlike after -> new Standing.AfterAlike(node, after.other());
            case Progress.HeldBack held -> new Standing.BindingHeldBack(node, held.until());
            case Progress.MayBind may -> new Standing.MayBind(node);
            case Progress.BindingSent sent -> new Standing.BindingSent(node);
            case Progress.BindingUnknown unknown -> new Standing.BindingUnknown(node);
            case Progress.Bound bound -> new Standing.BindingAnswered(node);
        };
    }

    private Standing byPlan(String node, PlanState plan) {
        String id = plan.plan().id();
        return switch (plan.step()) {
            case PLANNED -> new Standing.PlanBeingSaved(node, id);
            case SAVED -> new Standing.PlanBeingHeld(node, id, notReserved(id));
            case EVICTING -> new Standing.PlanEvicts(node, id, staying(plan));
            case RELEASING -> new Standing.PlanAwaitsRelease(node, id, plan.reason());
            case BINDING -> new Standing.MayBind(node);
            case ROLLING_BACK -> new Standing.RolledBack(id);
            case ABANDONING -> new Standing.PlanGivenUp(node, id, plan.reason());
        };
    }

    private Set<String> notReserved(String plan) {
        return known.now().places().stream()
                .filter(place -> place.plan().equals(plan) && !place.reserved())
                .map(Place::node)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Victims that no eviction has reached. */
    private static List<PodRef> staying(PlanState plan) {
        return plan.victims().stream()
                .filter(victim -> victim.stage() == Stage.PLANNED || victim.stage() == Stage.ASKED)
                .map(victim -> victim.victim().pod())
                .toList();
    }
}
