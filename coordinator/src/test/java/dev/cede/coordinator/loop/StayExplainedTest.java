package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.model.Drift;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What operators are told of a pod that is on a node, over or gone, state by state. */
final class StayExplainedTest {
    private static final OwnerRef SET = new OwnerRef("ReplicaSet", "set", "uid-set");
    private static final GroupRef GANG = new GroupRef(GroupRef.Kind.VOLCANO, "default", "gang");

    private static final PodFacts LOW = Facts.pod("low", 0, 64, 0);
    private static final PodFacts HIGH = Facts.pod("high", 1000, 64, 50);

    @ParameterizedTest
    @MethodSource({"onItsNode", "victims", "ended", "others"})
    void each_state_has_its_sentence(ExplainedState state) {
        state.holds();
    }

    private static ExplainedState state(String name, Consumer<LoopWorld> how, String... sentences) {
        return ExplainedState.of(name, "low", how, sentences);
    }

    private static void lowAndHigh(LoopWorld world) {
        world.put(LOW);
        world.put(HIGH);
    }

    private static void gangOnTwoNodes(LoopWorld world) {
        world.kubeletStarts = false;
        ExplainedState.joins(world, "n1", 64);
        world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
        world.put(Facts.grouped("low", "gang", 0, 64));
        world.put(Facts.grouped("other", "gang", 0, 64));
    }

    private static void givesUnasked(LoopWorld world, PodFacts pod) {
        world.put(pod);
        world.agents.get("n0").allocate(pod.ref(), 64);
        world.report(world.agents.get("n0"));
    }

    static List<ExplainedState> onItsNode() {
        return List.of(
                state(
                        "bound and not allocated",
                        world -> {
                            world.kubeletStarts = false;
                            world.put(LOW);
                        },
                        "is bound to n0, and kubelet has not asked for its devices yet"),
                state(
                        "partly allocated",
                        world -> {
                            world.kubeletStarts = false;
                            world.put(Oddities.ofTwoContainers(Facts.pod("low", 0, 32, 0)));
                            world.agents.get("n0").allocate(LOW.ref(), 32);
                            world.report(world.agents.get("n0"));
                        },
                        "is bound to n0, and kubelet has not asked for the devices of d yet",
                        "container c has 32 units of n0/c0"),
                state(
                        "allocated and not started",
                        world -> {
                            world.put(LOW);
                            world.put(Facts.phase(world.pod("low"), PodPhase.PENDING));
                        },
                        "is on n0, has its devices, and does not run yet",
                        "container c has 64 units of n0/c0"),
                state(
                        "running",
                        world -> world.put(Facts.pod("low", 7, 32, 50)),
                        "runs on n0 with priority 7",
                        "container c has 32 units and 50 % core of n0/c0"),
                state(
                        "running, its agent away",
                        world -> {
                            world.put(LOW);
                            world.detach("n0");
                        },
                        "runs on n0 with priority 0",
                        "container c has 64 units of n0/c0",
                        "what is said of n0 is what its agent last said: its agent is away"),
                state(
                        "bound, its agent never seen in this term",
                        world -> {
                            world.put(LOW);
                            world.away.add("n0");
                            world.leaderStarts();
                        },
                        "is bound to n0, whose books are not known: its agent has not "
                                + "attached yet"),
                state(
                        "its node is gone",
                        world -> {
                            world.put(LOW);
                            world.feed(new Event.NodeGone("n0"));
                        },
                        "its node n0 is not in the API server's list"),
                state(
                        "A7 without shares",
                        world -> world.put(Oddities.withoutShares(LOW)),
                        "is on n0 and asks for no shares (A7)"),
                state(
                        "A7 unplanned",
                        world -> world.put(Facts.bound(LOW, "n0")),
                        "is on n0 without a plan, asks for shares, and the books have none "
                                + "for it; the agent's unplanned_pods says what becomes of it (A7)"),
                state(
                        "its shares are booked elsewhere",
                        world -> {
                            ExplainedState.joins(world, "n1", 64);
                            givesUnasked(world, Facts.bound(LOW, "n1"));
                        },
                        "is on n1 without a plan, asks for shares, and the books have none "
                                + "for it; the agent's unplanned_pods says what becomes of it (A7)",
                        "has shares in the books of n0, where it does not run"),
                state(
                        "the agent noted a difference about it",
                        world -> {
                            world.put(LOW);
                            world.agents
                                    .get("n0")
                                    .drifts
                                    .add(new Drift(
                                            "mismatch",
                                            1,
                                            "default/low c: kubelet gave what is not reserved"));
                            world.agents
                                    .get("n0")
                                    .drifts
                                    .add(new Drift("swapped", 1, "default/low-2 c: not this pod"));
                            world.report(world.agents.get("n0"));
                        },
                        "runs on n0 with priority 0",
                        "container c has 64 units of n0/c0",
                        "the agent of n0 noted a difference (mismatch): default/low c: "
                                + "kubelet gave what is not reserved"));
    }

    static List<ExplainedState> victims() {
        return List.of(
                state(
                        "E7 chosen and not asked",
                        world -> {
                            world.unanswered.add(Effect.SavePlan.class);
                            lowAndHigh(world);
                        },
                        "has to leave, and is not asked to yet, for default/high by plan "
                                + "p1-3: priority 0 is below the 1000 of default/high, which needs "
                                + "the room of its 64 units on c0, of another isolation type",
                        "runs on n0 with priority 0",
                        "container c has 64 units of n0/c0"),
                state(
                        "E10 its eviction is not answered",
                        world -> {
                            world.unanswered.add(Effect.Evict.class);
                            lowAndHigh(world);
                        },
                        "has to leave, and the call that evicts it is not answered yet, "
                                + "for default/high by plan p1-3: priority 0 is below the 1000 of "
                                + "default/high, which needs the room of its 64 units on c0, of "
                                + "another isolation type",
                        "runs on n0 with priority 0",
                        "container c has 64 units of n0/c0"),
                state(
                        "E10 in its grace",
                        StayExplainedTest::lowAndHigh,
                        "has to leave, and its shares are not free yet, for default/high "
                                + "by plan p1-3: priority 0 is below the 1000 of default/high, which "
                                + "needs the room of its 64 units on c0, of another isolation type",
                        "is leaving n0; its grace ends at 2026-01-01T00:00:30Z",
                        "its shares on n0 are not free: kubelet has not let go of them",
                        "container c has 64 units of n0/c0"),
                state(
                        "E9 over, and a process is left",
                        world -> {
                            lowAndHigh(world);
                            world.finalPhase("low");
                        },
                        "has to leave, and its shares are not free yet, for default/high "
                                + "by plan p1-3: priority 0 is below the 1000 of default/high, which "
                                + "needs the room of its 64 units on c0, of another isolation type",
                        "is over (SUCCEEDED)",
                        "its shares on n0 are not free: kubelet has let go, and the agent "
                                + "has not measured them free yet",
                        "process 4242 (hog) still keeps 6000 MiB of card GPU-n0-0"),
                state(
                        "E9 deleted, and a process is left",
                        world -> {
                            lowAndHigh(world);
                            world.objectGone("low");
                        },
                        "has to leave, and its shares are not free yet, for default/high "
                                + "by plan p1-3: priority 0 is below the 1000 of default/high, which "
                                + "needs the room of its 64 units on c0, of another isolation type",
                        "is not in the API server's lists any more",
                        "its shares on n0 are not free: kubelet has let go, and the agent "
                                + "has not measured them free yet",
                        "process 4242 (hog) still keeps 6000 MiB of card GPU-n0-0"));
    }

    static List<ExplainedState> ended() {
        return List.of(
                state(
                        "over, and its share is not free",
                        world -> {
                            world.put(LOW);
                            world.finalPhase("low");
                        },
                        "is over (SUCCEEDED)",
                        "its shares on n0 are not free: kubelet has let go, and the agent "
                                + "has not measured them free yet",
                        "process 4242 (hog) still keeps 6000 MiB of card GPU-n0-0"),
                state(
                        "E9 overdue",
                        world -> {
                            world.put(LOW);
                            world.finalPhase("low");
                            world.advance(Duration.ofSeconds(31));
                        },
                        "is over (SUCCEEDED)",
                        "its shares on n0 are not free: kubelet has let go, and the agent "
                                + "has not measured them free yet",
                        "process 4242 (hog) still keeps 6000 MiB of card GPU-n0-0",
                        "its release is overdue since 2026-01-01T00:00:30Z, and no plan "
                                + "waits for it (E9)"),
                state(
                        "over, and its share is free",
                        world -> {
                            world.put(LOW);
                            world.finalPhase("low");
                            world.driverEmpty("low");
                        },
                        "is over (SUCCEEDED)",
                        "holds no share any more"),
                state(
                        "B8 deleted, and not read past the caches",
                        world -> {
                            world.put(LOW);
                            world.unanswered.add(Effect.ReadPod.class);
                            world.objectGone("low");
                        },
                        "is not in the API server's lists any more",
                        "its shares on n0 are not free: a read past all caches has to "
                                + "confirm that it is gone"),
                state(
                        "B8 deleted, and its share is not free",
                        world -> {
                            world.put(LOW);
                            world.objectGone("low");
                        },
                        "is not in the API server's lists any more",
                        "its shares on n0 are not free: kubelet has let go, and the agent "
                                + "has not measured them free yet",
                        "process 4242 (hog) still keeps 6000 MiB of card GPU-n0-0"),
                state(
                        "deleted after it was bound, before it was served",
                        world -> {
                            world.kubeletStarts = false;
                            world.put(LOW);
                            world.objectGone("low");
                        },
                        "is not in the API server's lists any more",
                        "its room on n0 is still reserved"),
                state(
                        "E14 rejected, and its place is kept",
                        world -> {
                            world.kubeletStarts = false;
                            world.put(Facts.pod("victim", -1, 64, 0));
                            world.start("victim");
                            world.owner(SET, 1);
                            world.put(Facts.owned("low", SET, 0, 64));
                            world.finalPhase("victim");
                            world.driverEmpty("victim");
                            world.put(Facts.rejected(world.pod("low")));
                        },
                        "is over (FAILED: UnexpectedAdmissionError)",
                        "its room on n0 is still reserved",
                        "did not start, and its place is kept until 2026-01-01T00:00:30Z "
                                + "for the pod that replaces it (E14, plan p1-3)"),
                state(
                        "E14 half of its group did not start",
                        world -> {
                            gangOnTwoNodes(world);
                            world.put(Facts.rejected(world.pod("other")));
                        },
                        "is bound to n0, and kubelet has not asked for its devices yet",
                        "waits for a pod in place of default/other until "
                                + "2026-01-01T00:00:30Z (E14, plan p1-3)"),
                state(
                        "E14 its group is rolled back",
                        world -> {
                            gangOnTwoNodes(world);
                            world.put(Facts.rejected(world.pod("other")));
                            world.unanswered.add(Effect.RollBack.class);
                            world.advance(Duration.ofSeconds(31));
                        },
                        "is bound to n0, and kubelet has not asked for its devices yet",
                        "its group is below its minMember, and plan p1-3 deletes what it "
                                + "started of it (E14)"));
    }

    static List<ExplainedState> others() {
        PodFacts strange = Oddities.ofScheduler(LOW, "default-scheduler");
        return List.of(
                state(
                        "of another scheduler, waiting",
                        world -> world.put(strange),
                        "is not ours: its schedulerName is default-scheduler, ours carry "
                                + "volcano"),
                state(
                        "of another scheduler, without shares",
                        world -> world.put(Facts.bound(Oddities.withoutShares(strange), "n0")),
                        "is not ours: its schedulerName is default-scheduler, ours carry "
                                + "volcano",
                        "is on n0 and asks for no shares (A7)"),
                state(
                        "A7 of another scheduler, refused",
                        world -> world.put(Facts.bound(strange, "n0")),
                        "is not ours: its schedulerName is default-scheduler, ours carry "
                                + "volcano",
                        "is on n0 without a plan, asks for shares, and the books have none "
                                + "for it; the agent's unplanned_pods says what becomes of it (A7)"),
                state(
                        "A7 of another scheduler, served",
                        world -> givesUnasked(
                                world, Facts.phase(Facts.bound(strange, "n0"), PodPhase.RUNNING)),
                        "is not ours: its schedulerName is default-scheduler, ours carry "
                                + "volcano",
                        "runs on n0 with priority 0",
                        "container c has 64 units of n0/c0"));
    }

    @Test
    void the_plan_and_the_shares_are_named_beside_the_sentences() {
        LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        lowAndHigh(world);
        String plan = world.saved.keySet().iterator().next();
        assertEquals(plan, ExplainedState.explain(world, "low").getPlan());
        assertEquals(plan, ExplainedState.explain(world, "high").getPlan());
        assertEquals(64, ExplainedState.explain(world, "low").getShares(0).getUnits());
        assertEquals(50, ExplainedState.explain(world, "high").getShares(0).getCorePercentage());
    }
}
