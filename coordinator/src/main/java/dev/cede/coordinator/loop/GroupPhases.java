package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Moves Volcano PodGroups on as their scheduler does: its controllers make a job's pods only once the
 * group is let in. Room is not looked at before that, since nothing is known of pods that are not.
 */
final class GroupPhases {
    private static final String VOLCANO = "volcano";
    private static final String LET_IN = "Inqueue";

    private final LoopState state;

    /** By group, the version that the latest move was asked of. */
    private final Map<GroupRef, String> asked = new HashMap<>();

    /** What was looked at last. */
    private long world = -1;

    GroupPhases(LoopState state) {
        this.state = state;
    }

    void forgetTerm() {
        asked.clear();
        world = -1;
    }

    void step() {
        if (world == state.world || !areOurs()) {
            return;
        }
        world = state.world;
        for (GroupFacts group : state.cluster.groups()) {
            next(group).ifPresent(phase -> move(group, phase));
        }
    }

    /** Groups name no scheduler; who is known by Volcano's name has them. */
    private boolean areOurs() {
        return state.settings.schedulerNames().names().contains(VOLCANO)
                && !state.rivals.containsKey(VOLCANO);
    }

    private Optional<String> next(GroupFacts group) {
        if (group.ref().kind() != GroupRef.Kind.VOLCANO) {
            return Optional.empty();
        }
        return switch (group.phase()) {
            case "", "Pending" -> Optional.of(LET_IN);
            case LET_IN ->
                placed(group) >= Math.max(1, group.minMember())
                        ? Optional.of("Running")
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private long placed(GroupFacts group) {
        return state.cluster.pods().stream()
                .filter(pod -> pod.group().filter(group.ref()::equals).isPresent())
                .filter(PodFacts::bound)
                .filter(pod -> !pod.terminating() && pod.phase() != PodPhase.FAILED)
                .count();
    }

    private void move(GroupFacts group, String phase) {
        Instant again = state.backoff.until(key(group.ref()));
        if (again.isAfter(state.now)) {
            state.out.wakeAt(again);
        } else if (!group.version().equals(asked.put(group.ref(), group.version()))) {
            state.out.add(new Effect.MoveGroup(group, phase));
            state.log("group=" + group.ref().namespace() + "/" + group.ref().name() + " phase="
                    + phase);
        }
    }

    /** After a conflict the group as it is now follows by itself. */
    void onNotMoved(GroupRef group, ApiFailure failure) {
        if (!failure.notFound() && !failure.conflict()) {
            asked.remove(group);
            state.out.wakeAt(state.backoff.failed(key(group), state.now));
        }
    }

    void forget(GroupRef group) {
        asked.remove(group);
        state.backoff.succeeded(key(group));
    }

    private static String key(GroupRef group) {
        return "group/" + group;
    }
}
