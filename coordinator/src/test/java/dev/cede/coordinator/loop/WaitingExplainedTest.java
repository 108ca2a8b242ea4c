package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Epoch;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What operators are told of a pod of ours that is not bound, state by state. */
final class WaitingExplainedTest {
    private static final OwnerRef SET = new OwnerRef("ReplicaSet", "set", "uid-set");
    private static final GroupRef GANG = new GroupRef(GroupRef.Kind.VOLCANO, "default", "gang");

    private static final PodFacts LOW = Facts.pod("low", 0, 64, 0);
    private static final PodFacts HIGH = Facts.pod("high", 1000, 64, 50);

    @ParameterizedTest
    @MethodSource({"queued", "byPlan", "byPlace"})
    void each_state_has_its_sentence(ExplainedState state) {
        state.holds();
    }

    private static ExplainedState state(String name, Consumer<LoopWorld> how, String... sentences) {
        return ExplainedState.of(name, "high", how, sentences);
    }

    private static void lowAndHigh(LoopWorld world) {
        world.put(LOW);
        world.put(HIGH);
    }

    private static void lowLeaves(LoopWorld world) {
        world.put(LOW);
        world.put(Facts.terminating(world.pod("low"), world.now));
    }

    static List<ExplainedState> queued() {
        return List.of(
                state(
                        "A12 its ask is refused",
                        world -> world.put(Facts.pod("high", 0, 64, 7)),
                        "is refused as it is written: container c: "
                                + "volcano.sh/gpu-core.percentage is 7; accepted is a multiple of 5 "
                                + "percent a card"),
                state(
                        "no room",
                        world -> {
                            world.put(LOW);
                            world.put(Facts.pod("high", 0, 64, 0));
                        },
                        "finds no room for 64 units on 1 node (largest hole 0 units); n0: "
                                + "c0 has 0 of 64 units free (default/low has priority 0, not below "
                                + "0)"),
                state(
                        "A11 larger than any card",
                        world -> world.put(Facts.pod("high", 0, 65, 0)),
                        "asks 65 units; the largest card has 64 (8192 MiB in units of 128 "
                                + "MiB)"),
                state(
                        "C3 preemptionPolicy Never",
                        world -> {
                            world.put(LOW);
                            world.put(Oddities.neverPreempting(HIGH));
                        },
                        "finds no room for 64 units and 50 % core on 1 node (largest hole "
                                + "0 units); n0: other isolation type on c0; nobody is evicted: its "
                                + "preemptionPolicy is Never"),
                state(
                        "D5 the switch is off",
                        world -> {
                            world.settings(LoopWorld.SETTINGS.planner());
                            lowAndHigh(world);
                        },
                        "finds no room for 64 units and 50 % core on 1 node (largest hole "
                                + "0 units); n0: other isolation type on c0; the switch "
                                + "enable_topology_aware_preemption would allow it"),
                state(
                        "C5 a node is expected back",
                        world -> {
                            ExplainedState.joins(world, "n1", 64);
                            world.put(LOW);
                            world.put(Facts.pod("low-2", 0, 64, 0));
                            world.detach("n1");
                            world.put(HIGH);
                        },
                        "finds no room for 64 units and 50 % core on 2 nodes (largest hole "
                                + "0 units); nobody is evicted while n1, which could take it, is "
                                + "expected back"),
                state(
                        "E1 its workload's size is not certain",
                        world -> {
                            world.put(LOW);
                            world.put(Facts.owned("high", SET, 1000, 64));
                        },
                        "fits nowhere without preemption, which waits until the workload's "
                                + "pods are all there"),
                state(
                        "E1 its group does not exist",
                        world -> world.put(Facts.grouped("high", "gang", 0, 64)),
                        "does not start yet: Volcano PodGroup default/gang does not exist"),
                state(
                        "E1 its group is below its minimum",
                        world -> {
                            world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
                            world.put(Facts.grouped("high", "gang", 0, 64));
                        },
                        "does not start yet: Volcano PodGroup default/gang has 1 of the 2 "
                                + "members that it starts with (minMember)"),
                state(
                        "E1 the first of its group have no place",
                        world -> {
                            world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
                            world.put(Facts.grouped("a", "gang", 0, 64));
                            world.put(Facts.grouped("b", "gang", 0, 64));
                            world.put(Facts.grouped("high", "gang", 0, 64));
                        },
                        "does not start yet: the first 2 members of its group have no "
                                + "place yet"),
                state(
                        "it is gated",
                        world -> world.put(Oddities.gated(HIGH)),
                        "has scheduling gates, and is not looked at until they go"),
                state(
                        "it is being deleted",
                        world -> {
                            world.put(LOW);
                            world.put(Facts.pod("high", 0, 64, 0));
                            world.put(Facts.terminating(world.pod("high"), world.now));
                        },
                        "is being deleted before it was bound"),
                state(
                        "nominated only",
                        world -> {
                            world.put(LOW);
                            world.put(Facts.nominated(Facts.pod("high", 0, 64, 0), "n0"));
                        },
                        "finds no room for 64 units on 1 node (largest hole 0 units); n0: "
                                + "c0 has 0 of 64 units free (default/low has priority 0, not below "
                                + "0)",
                        "is nominated for n0, and nothing is held for it there"),
                state(
                        "E12 held back after an effect failed",
                        world -> {
                            world.refuseReserves = true;
                            world.put(HIGH);
                        },
                        "is not tried again before 2026-01-01T00:00:01Z, after an effect "
                                + "that failed (E12)"),
                state(
                        "E13 ZooKeeper is out of reach",
                        world -> {
                            world.feed(new Event.LeadershipSuspended());
                            world.put(HIGH);
                        },
                        "waits: nothing is started while ZooKeeper is out of reach"),
                state(
                        "E13 a later leader was met",
                        world -> {
                            world.put(Facts.fenced(LOW, new Epoch(9)));
                            world.put(HIGH);
                        },
                        "waits: nothing is started, a later leader was met and this one "
                                + "steps down"));
    }

    static List<ExplainedState> byPlan() {
        return List.of(
                state(
                        "E7 the plan is being saved",
                        world -> {
                            world.unanswered.add(Effect.SavePlan.class);
                            lowAndHigh(world);
                        },
                        "has a place on n0; plan p1-3 is being saved, and nothing happens "
                                + "before"),
                state(
                        "E7 the agent does not hold yet",
                        world -> {
                            world.put(LOW);
                            world.unanswered.add(Effect.Send.class);
                            world.put(HIGH);
                        },
                        "has a place on n0; plan p1-3 waits until the agent holds the room "
                                + "on n0"),
                state(
                        "E10 the eviction is not answered",
                        world -> {
                            world.unanswered.add(Effect.Evict.class);
                            lowAndHigh(world);
                        },
                        "has a place on n0; plan p1-3 asks default/low to leave"),
                state(
                        "E9 the victim leaves",
                        WaitingExplainedTest::lowAndHigh,
                        "has a place on n0; plan p1-3 waits until all room is measured "
                                + "free: waiting for default/low, grace 30 s"),
                state(
                        "E9 a process keeps the victim's memory",
                        world -> {
                            lowAndHigh(world);
                            world.finalPhase("low");
                        },
                        "has a place on n0; plan p1-3 waits until all room is measured "
                                + "free: waiting for default/low, which is over and not measured "
                                + "free yet, kept by process 4242 (hog, 6000 MiB)"),
                state(
                        "E13 the plan is given up",
                        world -> {
                            world.unanswered.add(Effect.Fence.class);
                            world.put(Facts.pod("low", 0, 64, 0));
                            world.unanswered.add(Effect.Evict.class);
                            world.put(HIGH);
                            world.feed(new Event.NodeGone("n0"));
                        },
                        "has a place on n0; plan p1-3 is given up, and its calls are made "
                                + "void before: node n0 is lost"),
                state(
                        "E8 its place is being taken over",
                        world -> {
                            lowAndHigh(world);
                            world.unanswered.add(Effect.ReplacePlan.class);
                            world.put(Facts.pod("higher", 2000, 64, 0));
                        },
                        "has a place on n0; plan p1-5, of a higher priority, is being "
                                + "saved to take it (E8)"),
                state(
                        "E8 it lost its place",
                        world -> {
                            lowAndHigh(world);
                            world.put(Facts.pod("higher", 2000, 64, 0));
                        },
                        "finds no room for 64 units and 50 % core on 1 node (largest hole "
                                + "0 units); n0: other isolation type on c0 (held for "
                                + "default/higher, default/low leaves for another pod)"),
                ExplainedState.of(
                        "E14 another member's place is kept",
                        "m2",
                        world -> {
                            world.kubeletStarts = false;
                            ExplainedState.joins(world, "n1", 64);
                            world.put(LOW);
                            world.put(Facts.pod("low-2", 0, 64, 0));
                            world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
                            world.put(Facts.grouped("m1", "gang", 1000, 64));
                            world.put(Facts.grouped("m2", "gang", 1000, 64));
                            world.objectGone("m1");
                        },
                        "has a place on n1; plan p1-5 waits until all room is measured "
                                + "free: waiting for default/low, grace 30 s; waiting for "
                                + "default/low-2, grace 30 s",
                        "waits for a pod in place of default/m1 until 2026-01-01T00:00:30Z "
                                + "(E14, plan p1-5)"));
    }

    static List<ExplainedState> byPlace() {
        return List.of(
                state(
                        "C5 shares in its place leave anyway",
                        world -> {
                            lowLeaves(world);
                            world.put(HIGH);
                        },
                        "has a place on n0; waiting for default/low, grace 30 s"),
                state(
                        "its reservation is not acknowledged",
                        world -> {
                            world.unanswered.add(Effect.Send.class);
                            world.put(HIGH);
                        },
                        "has a place on n0; the agent has not acknowledged the reservation "
                                + "of this term"),
                state(
                        "B11 its node's agent went away",
                        world -> {
                            lowLeaves(world);
                            world.put(HIGH);
                            world.detach("n0");
                        },
                        "has a place on n0; the node takes no pod now: its agent is away"),
                state(
                        "the Binding is not answered",
                        world -> {
                            world.unanswered.add(Effect.Bind.class);
                            world.put(HIGH);
                        },
                        "has a place on n0; its Binding is sent and not answered yet"),
                state(
                        "E12 the Binding failed",
                        world -> {
                            world.bindFailures.add(new ApiFailure(500, "no"));
                            world.put(HIGH);
                        },
                        "has a place on n0; its Binding failed, and is not sent again "
                                + "before 2026-01-01T00:00:01Z (E12)"),
                state(
                        "the Binding's answer is lost",
                        world -> {
                            world.unanswered.add(Effect.ReadPod.class);
                            world.bindFailures.add(new ApiFailure(0, "no answer"));
                            world.put(HIGH);
                        },
                        "has a place on n0; its Binding failed or the answer was lost, and "
                                + "the pod is read before it is sent again"),
                state(
                        "the Binding is accepted and not seen",
                        world -> {
                            world.unanswered.add(Effect.Bind.class);
                            world.put(HIGH);
                            world.feed(new Event.Bound(HIGH.ref(), "n0"));
                        },
                        "has a place on n0; its Binding is accepted, and the API server "
                                + "has not shown it yet"),
                state(
                        "ZooKeeper is lost while its place waits",
                        world -> {
                            lowLeaves(world);
                            world.put(HIGH);
                            world.feed(new Event.LeadershipSuspended());
                            world.finalPhase("low");
                            world.driverEmpty("low");
                        },
                        "waits: nothing is started while ZooKeeper is out of reach",
                        "has a place on n0; waiting for default/low, which is over and not "
                                + "measured free yet"),
                ExplainedState.of(
                        "a pod that asks alike is bound before",
                        "second",
                        world -> {
                            world.kubeletStarts = false;
                            world.feed(new Event.NodeGone("n0"));
                            ExplainedState.joins(world, "n1", 64, 64);
                            world.put(Facts.pod("first", 0, 64, 0));
                            world.put(Facts.pod("second", 0, 64, 0));
                        },
                        "has a place on n1; default/first asks alike of another card and "
                                + "is served before"),
                ExplainedState.of(
                        "its group is short of its minimum again",
                        "m1",
                        world -> {
                            ExplainedState.joins(world, "n1", 64);
                            world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
                            world.kubeletStarts = false;
                            world.bindFailures.add(new ApiFailure(500, "broken"));
                            world.unanswered.add(Effect.ReadPod.class);
                            world.put(Facts.grouped("m1", "gang", 1000, 64));
                            world.put(Facts.grouped("m2", "gang", 1000, 64));
                            world.put(Facts.rejected(world.pod("m2")));
                            world.feed(new Event.PodRead(
                                    world.pod("m1").ref(), Optional.of(world.pod("m1"))));
                        },
                        "has a place on n0; of its group fewer than its minMember may start now",
                        "waits for a pod in place of default/m2 until 2026-01-01T00:00:30Z (E14,"
                                + " plan p1-3)"));
    }
}
