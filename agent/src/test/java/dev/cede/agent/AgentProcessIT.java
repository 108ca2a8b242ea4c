package dev.cede.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.model.Amount;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult.Refusal;
import dev.cede.v1.CardServiceGrpc;
import dev.cede.v1.ListNodeCardsRequest;
import dev.cede.v1.ListNodeCardsResponse;
import io.fabric8.kubernetes.api.model.Pod;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent as a process: its start, its end, and what stays. */
@Timeout(240)
class AgentProcessIT {
    @TempDir
    Path folder;

    @Test
    void anUnknownKeyStopsTheStartWithOneSentence_F2() throws Exception {
        Path file = folder.resolve("agent.yaml");
        Files.writeString(
                file, "node_name: n0\ncoordinators: 127.0.0.1:1\ninsecure: true\ncolour: red\n");
        try (AgentProcess agent = new AgentProcess(List.of("--config", file.toString()))) {
            assertEquals(2, agent.awaitExit());
            assertEquals("agent: " + file + ": unknown key colour", agent.output());
        }
    }

    @Test
    void wrongArgumentsAreNamed() throws Exception {
        try (AgentProcess agent = new AgentProcess(List.of("--help"))) {
            assertEquals(2, agent.awaitExit());
            assertEquals("agent: it takes --config FILE", agent.output());
        }
    }

    @Test
    void anAgentThatIsKilledRemembersEpochAllocationAndReservation() throws Exception {
        try (Rig rig = new Rig()) {
            rig.agent.close();
            Path config = folder.resolve("agent.yaml");
            try (AgentProcess agent = AgentProcess.with(rig.config(), config)) {
                Pod pod = rig.running("p", rig.card(0), new Amount(32, 0), Map.of());
                Pod next = rig.pod("q", new Amount(16, 0), Map.of());
                rig.reserve(next, List.of(rig.card(0)), new Amount(16, 0));
                rig.coordinator.awaitReport(
                        "p is allocated", report -> report.shares().size() == 1);
                agent.kill();
                agent.awaitExit();
                assertEquals(Rig.uid(pod), Rig.uid(rig.api.pod(Rig.uid(pod)).orElseThrow()));
            }
            rig.coordinator.dropStream();
            rig.coordinator.epoch(0);
            try (AgentProcess agent = AgentProcess.with(rig.config(), config)) {
                NodeReport report = rig.coordinator.awaitReport(
                        "it reports what it had",
                        now -> now.shares().size() == 1 && now.cards().size() == 2);
                assertEquals(new Epoch(1), report.highestEpoch());
                assertEquals(1, report.reservations().size());
                assertEquals(
                        Refusal.STALE_EPOCH,
                        rig.coordinator.order(new Order.Drop("uid")).refusal());
                agent.terminate();
                assertEquals(0, agent.awaitExit(), agent.output());
            }
        }
    }

    @Test
    void aDamagedCheckpointIsSaidAndTheBooksComeFromKubelets() throws Exception {
        try (Rig rig = new Rig()) {
            Pod pod = rig.running("p", rig.card(1), new Amount(32, 50), Map.of());
            rig.coordinator.awaitReport(
                    "p is allocated", report -> report.shares().size() == 1);
            rig.agent.close();
            Path checkpoint = rig.root.resolve("state").resolve("checkpoint");
            Files.writeString(checkpoint, Files.readString(checkpoint).replace("32", "31"));
            rig.coordinator.dropStream();
            try (AgentProcess agent =
                    AgentProcess.with(rig.config(), folder.resolve("agent.yaml"))) {
                NodeReport report = rig.coordinator.awaitReport(
                        "the books are back", now -> now.shares().size() == 1);
                assertEquals(
                        new Amount(32, 50), report.shares().getFirst().share().amount());
                assertEquals(
                        Rig.uid(pod), report.shares().getFirst().share().pod().uid());
                assertTrue(agent.output().contains("event=checkpoint_damaged"), agent.output());
            }
        }
    }

    @Test
    void anAgentFollowsTheLeaderThatAnotherCoordinatorNames() throws IOException {
        try (Rig rig = new Rig();
                TinyCoordinator leader = new TinyCoordinator()) {
            rig.ready();
            rig.coordinator.follow(leader.address());
            rig.coordinator.dropStream();
            leader.awaitReport("the leader is found", NodeReport::takesBinds);
        }
    }

    @Test
    void theCardServiceAnswersWithHealthAndReflection_F4() throws Exception {
        try (Rig rig = new Rig()) {
            rig.running("p", rig.card(0), new Amount(32, 0), Map.of());
            rig.coordinator.awaitReport(
                    "p is allocated", report -> report.shares().size() == 1);
            ManagedChannel channel = NettyChannelBuilder.forTarget(rig.agent.address())
                    .usePlaintext()
                    .build();
            try {
                ListNodeCardsResponse cards = CardServiceGrpc.newBlockingStub(channel)
                        .listCards(ListNodeCardsRequest.getDefaultInstance());
                assertEquals(Rig.NODE, cards.getNode());
                assertEquals(32, cards.getCards(0).getUsedUnits());
                assertEquals(32, cards.getCards(0).getFreeUnits());
                assertEquals(64, cards.getCards(1).getFreeUnits());
                assertEquals(
                        ServingStatus.SERVING,
                        HealthGrpc.newBlockingStub(channel)
                                .check(HealthCheckRequest.newBuilder()
                                        .setService(CardServiceGrpc.SERVICE_NAME)
                                        .build())
                                .getStatus());
                assertTrue(services(channel).contains(CardServiceGrpc.SERVICE_NAME));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static String services(ManagedChannel channel) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        StreamObserver<ServerReflectionRequest> requests = ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                        answer.complete(response.toString());
                    }

                    @Override
                    public void onError(Throwable error) {
                        answer.completeExceptionally(error);
                    }

                    @Override
                    public void onCompleted() {}
                });
        requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
        String services = answer.get(60, TimeUnit.SECONDS);
        requests.onCompleted();
        return services;
    }
}
