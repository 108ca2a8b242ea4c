package dev.cede.coordinator.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.Progress;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.loop.Snapshot.Cause;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.OtherPod;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.Place;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Snapshot.Release;
import dev.cede.coordinator.loop.Snapshot.Stage;
import dev.cede.coordinator.loop.Snapshot.VictimState;
import dev.cede.coordinator.loop.Standstill;
import dev.cede.coordinator.loop.Step;
import dev.cede.coordinator.planner.Decision.Refusal;
import dev.cede.coordinator.planner.NodeView;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;
import dev.cede.model.ReleaseWatch;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import dev.cede.model.ShareState;
import dev.cede.v1.CardBooks;
import dev.cede.v1.ExplainRequest;
import dev.cede.v1.ExplainResponse;
import dev.cede.v1.IsolationType;
import dev.cede.v1.ListCardsRequest;
import dev.cede.v1.ListCardsResponse;
import dev.cede.v1.ListNodesRequest;
import dev.cede.v1.ListNodesResponse;
import dev.cede.v1.ListPendingRequest;
import dev.cede.v1.ListPendingResponse;
import dev.cede.v1.ListPlansRequest;
import dev.cede.v1.ListPlansResponse;
import dev.cede.v1.NodeSummary;
import dev.cede.v1.PendingPod;
import dev.cede.v1.Plan;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** c0[64u] holds L with 64 units, leaving; H with 64 units and 50 % waits behind it. */
class InspectServiceTest {
    private static final PodRef HIGH = new PodRef("ns", "high", "uh");
    private static final PodRef LOW = new PodRef("ns", "low", "ul");
    private static final CardId C0 = new CardId("GPU-0");
    private static final Share LOW_SHARE = new Share(LOW, "main", C0, new Amount(64, 0));
    private static final Share HIGH_SHARE = new Share(HIGH, "main", C0, new Amount(64, 50));
    private static final TreeSet<ShareKey> BEHIND = new TreeSet<>(List.of(LOW_SHARE.key()));

    private final InspectService service =
            new InspectService(InspectServiceTest::now, () -> "a:1", Map::of);

    private static Snapshot now() {
        NodeReport report = new NodeReport(
                "n1",
                "i",
                1,
                new Epoch(3),
                true,
                "",
                List.of(new Card(C0, 0, 0, "m", 8L << 30, 0, CardHealth.HEALTHY, "", 0)
                        .withWholeCardDevices(new TreeMap<>(Map.of("uw", 1)))),
                List.of(new BookedShare(LOW_SHARE, ShareState.RELEASING)),
                List.of(new Reservation(HIGH, List.of(HIGH_SHARE), BEHIND, new Epoch(3), "p-1")),
                List.of(new ReleaseWatch(LOW, List.of(new GpuProcess(42, "train", C0, 100)))),
                List.of());
        NodeFacts facts =
                new NodeFacts("n1", "un", false, true, Map.of(), List.of(), Map.of(), true);
        NodeView view =
                new NodeView(facts, NodeLedger.of(report, 20), List.of(), Optional.empty(), false);
        SavedPlan plan = new SavedPlan(
                "p-1",
                new Epoch(3),
                "ns/high",
                List.of(new Placement(HIGH, "n1", List.of(HIGH_SHARE), BEHIND)),
                List.of(new PlannedVictim(LOW, "n1", 0, "it is the lowest")),
                Instant.EPOCH,
                Duration.ofSeconds(30));
        ShareAsk ask =
                new ShareAsk(List.of(new ShareAsk.ContainerAsk("main", HIGH_SHARE.amount())), 1);
        return new Snapshot(
                true,
                new Epoch(3),
                Standstill.NONE,
                new TreeSet<>(List.of("volcano")),
                List.of(new NodeState(view, true, Optional.of(report))),
                List.of(new Pending(
                        pod(HIGH, 1000, Optional.empty()),
                        ask,
                        Cause.WAITS,
                        "waits for ns/low to leave",
                        List.of(new Refusal("n1", "c0", "full")),
                        "p-1",
                        Optional.empty())),
                List.of(new Place(HIGH, "n1", "p-1", true, new Progress.PlanFirst())),
                List.of(new PlanState(
                        plan,
                        Step.RELEASING,
                        "waits for ns/low",
                        List.of(new VictimState(plan.victims().getFirst(), Stage.RELEASING)),
                        List.of())),
                List.of(new Release(LOW, "n1", true, Optional.empty(), false)),
                List.of(new OtherPod(pod(LOW, 0, Optional.of("n1")), true)));
    }

    private static PodFacts pod(PodRef ref, int priority, Optional<String> node) {
        return new PodFacts(
                ref,
                "1",
                "volcano",
                priority,
                "",
                false,
                false,
                node,
                Optional.of("n1"),
                PodPhase.RUNNING,
                "",
                Instant.EPOCH,
                node.map(bound -> Instant.EPOCH),
                Duration.ofSeconds(30),
                Optional.empty(),
                Optional.empty(),
                false,
                Map.of(),
                Map.of(),
                List.of(),
                Map.of(),
                NodeNeeds.NONE,
                "",
                Epoch.NONE,
                false);
    }

    /** Takes one answer. */
    private static final class Answer<T> implements StreamObserver<T> {
        private T value;
        private Throwable error;

        @Override
        public void onNext(T answer) {
            value = answer;
        }

        @Override
        public void onError(Throwable cause) {
            error = cause;
        }

        @Override
        public void onCompleted() {}
    }

    private static <Q, T> T ask(BiConsumer<Q, StreamObserver<T>> method, Q question) {
        Answer<T> answer = new Answer<>();
        method.accept(question, answer);
        assertEquals(null, answer.error);
        return answer.value;
    }

    @Test
    void aNodeIsSummedUp() {
        ListNodesResponse nodes = ask(service::listNodes, ListNodesRequest.getDefaultInstance());
        assertEquals(
                NodeSummary.newBuilder()
                        .setName("n1")
                        .setAttached(true)
                        .setTakesBinds(true)
                        .setCards(1)
                        .setCapacityUnits(64)
                        .setHighestEpoch(3)
                        .build(),
                nodes.getNodes(0));
        assertEquals(
                0,
                ask(
                                service::listNodes,
                                ListNodesRequest.newBuilder().setName("n2").build())
                        .getNodesCount());
    }

    @Test
    void aCardShowsWhatRunsAndWhatIsHeldBehindIt() {
        ListCardsResponse cards = ask(service::listCards, ListCardsRequest.getDefaultInstance());
        CardBooks books = cards.getCards(0).getBooks();
        assertEquals(IsolationType.MEMORY, books.getType());
        assertEquals(Map.of("uw", 1), books.getCard().getWholeCardDevicesMap(), "B12");
        assertEquals(64, books.getUsedUnits());
        assertEquals(0, books.getHeldUnits(), "the hold is covered by what leaves");
        assertEquals(dev.cede.v1.ShareState.RELEASING, books.getShares(0).getState());
        assertEquals(1, books.getSharesCount());
        assertEquals("high", books.getHolds(0).getPod().getName());
    }

    @Test
    void aPendingPodAndItsPlanAreShown() {
        ListPendingResponse pending =
                ask(service::listPending, ListPendingRequest.getDefaultInstance());
        PendingPod pod = pending.getPods(0);
        assertEquals("waits for ns/low to leave", pod.getReason());
        assertEquals(50, pod.getAsks(0).getCorePercentage());
        assertEquals(1, pod.getCards());
        assertEquals("c0", pod.getRefusals(0).getCard());
        ListPlansResponse plans = ask(service::listPlans, ListPlansRequest.getDefaultInstance());
        Plan plan = plans.getPlans(0);
        assertEquals("RELEASING", plan.getState());
        assertEquals("RELEASING", plan.getVictims(0).getState());
        assertEquals(42, plan.getVictims(0).getBlocking(0).getPid());
    }

    @Test
    void bothTheWinnerAndTheVictimAreExplained() {
        ExplainResponse high = explain("high");
        assertEquals(
                "has a place on n1; plan p-1 waits until all room is measured free: waits for ns/low",
                high.getSentences(0));
        assertEquals("p-1", high.getPlan());
        assertEquals(1, high.getSharesCount());
        ExplainResponse low = explain("low");
        assertEquals(
                List.of(
                        "has to leave, and its shares are not free yet, for ns/high by plan p-1:"
                                + " it is the lowest",
                        "is leaving n1; its grace ends at 1970-01-01T00:00:00Z",
                        "its shares on n1 are not free: kubelet has let go, and the agent has not"
                                + " measured them free yet",
                        "process 42 (train) still keeps 100 MiB of card GPU-0",
                        "container main has 64 units of n1/c0"),
                low.getSentencesList());
    }

    private ExplainResponse explain(String name) {
        return ask(
                service::explain,
                ExplainRequest.newBuilder().setNamespace("ns").setName(name).build());
    }

    @Test
    void anUnknownPodIsNotFound() {
        Status status = refused(service, "none");
        assertEquals(Status.Code.NOT_FOUND, status.getCode());
        assertEquals(
                "no pod ns/none is known: neither the API server's lists nor the books of any node"
                        + " name it",
                status.getDescription());
    }

    @Test
    void aStandbyExplainsNothingAndSaysWhoLeads() {
        InspectService standby =
                new InspectService(() -> Snapshot.empty(false, Epoch.NONE), () -> "a:1", Map::of);
        Status status = refused(standby, "high");
        assertEquals(Status.Code.UNAVAILABLE, status.getCode());
        assertEquals("this coordinator does not lead; the leader is a:1", status.getDescription());
    }

    private static Status refused(InspectService by, String name) {
        Answer<ExplainResponse> answer = new Answer<>();
        by.explain(ExplainRequest.newBuilder().setNamespace("ns").setName(name).build(), answer);
        return Status.fromThrowable(answer.error);
    }
}
