package dev.cede.coordinator.inspect;

import dev.cede.coordinator.agents.NotLeading;
import dev.cede.coordinator.identity.Refusals;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.v1.AgentRefusals;
import dev.cede.v1.ExplainRequest;
import dev.cede.v1.ExplainResponse;
import dev.cede.v1.GetLeaderRequest;
import dev.cede.v1.GetLeaderResponse;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.ListCardsRequest;
import dev.cede.v1.ListCardsResponse;
import dev.cede.v1.ListNodesRequest;
import dev.cede.v1.ListNodesResponse;
import dev.cede.v1.ListPendingRequest;
import dev.cede.v1.ListPendingResponse;
import dev.cede.v1.ListPlansRequest;
import dev.cede.v1.ListPlansResponse;
import dev.cede.v1.ListRefusedAgentsRequest;
import dev.cede.v1.ListRefusedAgentsResponse;
import dev.cede.v1.NodeCard;
import dev.cede.wire.BooksWire;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers operators from a snapshot of the state machine. A process that does not lead answers only
 * what is about itself: its lists would be empty, which is not the truth. All calls are reads, and
 * open to whoever reaches the port; a call that changed something would have to authorise its caller.
 */
public final class InspectService extends InspectGrpc.InspectImplBase {
    private final Supplier<Snapshot> snapshots;
    private final Supplier<String> leader;
    private final Supplier<Map<String, Refusals.Count>> refused;

    /**
     * Answers from the newest snapshot.
     *
     * @param snapshots may take as long as one decision
     * @param leader the leader's address, empty when it is not known
     * @param refused agents that were not let in, by reason
     */
    public InspectService(
            Supplier<Snapshot> snapshots,
            Supplier<String> leader,
            Supplier<Map<String, Refusals.Count>> refused) {
        this.snapshots = snapshots;
        this.leader = leader;
        this.refused = refused;
    }

    @Override
    public void getLeader(GetLeaderRequest request, StreamObserver<GetLeaderResponse> out) {
        answer(out, () -> {
            Snapshot now = snapshots.get();
            return GetLeaderResponse.newBuilder()
                    .setLeading(now.leading())
                    .setEpoch(now.epoch().value())
                    .setLeader(leader.get())
                    .build();
        });
    }

    @Override
    public void listRefusedAgents(
            ListRefusedAgentsRequest request, StreamObserver<ListRefusedAgentsResponse> out) {
        answer(out, () -> {
            ListRefusedAgentsResponse.Builder all = ListRefusedAgentsResponse.newBuilder();
            refused.get()
                    .forEach((reason, count) -> all.addRefusals(AgentRefusals.newBuilder()
                            .setReason(reason)
                            .setCount(count.count())
                            .setLast(count.last())));
            return all.build();
        });
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> out) {
        answerLeading(out, now -> {
            Page<NodeState> page = Page.of(
                    nodes(now, request.getName()),
                    new Page.Asked(request.getPageSize(), request.getPageToken()),
                    node -> node.view().name());
            return ListNodesResponse.newBuilder()
                    .addAllNodes(page.items().stream().map(SnapshotWire::node).toList())
                    .setNextPageToken(page.token())
                    .build();
        });
    }

    @Override
    public void listCards(ListCardsRequest request, StreamObserver<ListCardsResponse> out) {
        answerLeading(out, now -> {
            List<NodeCard> all = nodes(now, request.getNode()).stream()
                    .flatMap(node -> BooksWire.write(node.view().ledger()).stream()
                            .map(books -> NodeCard.newBuilder()
                                    .setNode(node.view().name())
                                    .setBooks(books)
                                    .build()))
                    .toList();
            Page<NodeCard> page = Page.of(
                    all,
                    new Page.Asked(request.getPageSize(), request.getPageToken()),
                    card -> card.getNode() + "/" + card.getBooks().getCard().getUuid());
            return ListCardsResponse.newBuilder()
                    .addAllCards(page.items())
                    .setNextPageToken(page.token())
                    .build();
        });
    }

    @Override
    public void listPending(ListPendingRequest request, StreamObserver<ListPendingResponse> out) {
        answerLeading(out, now -> {
            Page<Pending> page = Page.of(
                    now.pending().stream()
                            .filter(pending -> matches(
                                    request.getNamespace(), pending.pod().ref().namespace()))
                            .toList(),
                    new Page.Asked(request.getPageSize(), request.getPageToken()),
                    pending -> pending.pod().uid());
            return ListPendingResponse.newBuilder()
                    .addAllPods(page.items().stream().map(SnapshotWire::pending).toList())
                    .setNextPageToken(page.token())
                    .build();
        });
    }

    @Override
    public void listPlans(ListPlansRequest request, StreamObserver<ListPlansResponse> out) {
        answerLeading(out, now -> {
            Page<Snapshot.PlanState> page = Page.of(
                    now.plans(),
                    new Page.Asked(request.getPageSize(), request.getPageToken()),
                    plan -> plan.plan().id());
            return ListPlansResponse.newBuilder()
                    .addAllPlans(page.items().stream()
                            .map(plan -> SnapshotWire.plan(plan, now))
                            .toList())
                    .setNextPageToken(page.token())
                    .build();
        });
    }

    @Override
    public void explain(ExplainRequest request, StreamObserver<ExplainResponse> out) {
        answerLeading(out, now -> {
            require(request.getNamespace(), "namespace");
            require(request.getName(), "name");
            return new Explanation(now)
                    .of(request.getNamespace(), request.getName())
                    .orElseThrow(() -> Status.NOT_FOUND
                            .withDescription("no pod " + request.getNamespace() + "/"
                                    + request.getName() + " is known: neither the API server's"
                                    + " lists nor the books of any node name it")
                            .asRuntimeException());
        });
    }

    private static void require(String text, String field) {
        if (text.isEmpty()) {
            throw Status.INVALID_ARGUMENT
                    .withDescription(field + " is empty; it takes the pod's " + field)
                    .asRuntimeException();
        }
    }

    private static List<NodeState> nodes(Snapshot now, String name) {
        return now.nodes().stream()
                .filter(node -> matches(name, node.view().name()))
                .toList();
    }

    private static boolean matches(String filter, String value) {
        return filter.isEmpty() || filter.equals(value);
    }

    private <T> void answerLeading(StreamObserver<T> out, Function<Snapshot, T> answer) {
        answer(out, () -> {
            Snapshot now = snapshots.get();
            if (!now.leading()) {
                throw NotLeading.answer(leader.get());
            }
            return answer.apply(now);
        });
    }

    private static <T> void answer(StreamObserver<T> out, Supplier<T> answer) {
        try {
            out.onNext(answer.get());
            out.onCompleted();
        } catch (StatusRuntimeException e) {
            out.onError(e);
        }
    }
}
