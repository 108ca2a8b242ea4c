package dev.cede.coordinator.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.config.CoordinatorConfig;
import dev.cede.coordinator.loop.Core;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.model.Epoch;
import dev.cede.testbed.apiserver.ApiServer;
import dev.cede.testbed.apiserver.ApiServerOptions;
import dev.cede.v1.ExplainRequest;
import dev.cede.v1.GetLeaderRequest;
import dev.cede.v1.GetLeaderResponse;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.ListNodesRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All parts together, against real sockets, with a state machine that only follows leadership. */
@Timeout(120)
class CoordinatorIT {
    @TempDir
    private Path directory;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private TestingServer zookeeper;

    /** Remembers its term, and that it leads. */
    private static final class TermOnly implements Core {
        final CompletableFuture<Epoch> gained = new CompletableFuture<>();
        final CompletableFuture<Boolean> synced = new CompletableFuture<>();
        private Epoch epoch = Epoch.NONE;

        @Override
        public List<Effect> on(Event event, Instant now) {
            if (event instanceof Event.LeadershipGained term) {
                epoch = term.epoch();
                gained.complete(epoch);
            } else if (event instanceof Event.CachesSynced) {
                synced.complete(true);
            }
            return List.of();
        }

        @Override
        public Snapshot snapshot() {
            return Snapshot.empty(!epoch.equals(Epoch.NONE), epoch);
        }
    }

    @BeforeEach
    void start() throws Exception {
        zookeeper = new TestingServer(
                new InstanceSpec(null, -1, -1, -1, true, -1, 500, -1, Map.of(), "127.0.0.1"), true);
        open.push(zookeeper);
        ApiServer api = ApiServer.start(ApiServerOptions.defaults());
        open.push(api);
        api.writeKubeconfig(directory.resolve("kubeconfig"));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable part : open) {
            part.close();
        }
    }

    private Coordinator start(Core core) throws Exception {
        Path file = Files.writeString(directory.resolve("c.yaml"), """
                zookeeper: %s
                zookeeper_session_timeout: 4s
                kubeconfig: %s
                listen: 127.0.0.1:0
                insecure: true
                """.formatted(
                        zookeeper.getConnectString(), directory.resolve("kubeconfig")));
        Coordinator coordinator = Coordinator.start(
                new Coordinator.Parts(file, CoordinatorConfig.read(file), core, bug -> {}));
        open.push(coordinator);
        return coordinator;
    }

    private ManagedChannel connect(Coordinator coordinator) {
        ManagedChannel channel = Grpc.newChannelBuilder(
                        coordinator.address().toString(), InsecureChannelCredentials.create())
                .build();
        open.push(channel::shutdownNow);
        return channel;
    }

    @Test
    void aCoordinatorLeadsAndIsReplacedWhenItEnds() throws Exception {
        TermOnly firstCore = new TermOnly();
        Coordinator first = start(firstCore);
        Epoch epoch = firstCore.gained.get(60, TimeUnit.SECONDS);
        firstCore.synced.get(60, TimeUnit.SECONDS);
        TermOnly secondCore = new TermOnly();
        Coordinator second = start(secondCore);

        ManagedChannel channel = connect(first);
        GetLeaderResponse leader = InspectGrpc.newBlockingStub(channel)
                .getLeader(GetLeaderRequest.getDefaultInstance());
        assertEquals(epoch.value(), leader.getEpoch());
        assertTrue(leader.getLeading());
        assertEquals(ServingStatus.SERVING, health(channel, "cede.v1.Inspect"));

        first.close();
        assertTrue(epoch.isOlderThan(secondCore.gained.get(60, TimeUnit.SECONDS)));
        assertEquals(
                second.address().toString(),
                InspectGrpc.newBlockingStub(connect(second))
                        .getLeader(GetLeaderRequest.getDefaultInstance())
                        .getLeader());
    }

    @Test
    void whoDoesNotLeadRefusesListsAndNamesTheLeader() throws Exception {
        TermOnly firstCore = new TermOnly();
        Coordinator first = start(firstCore);
        firstCore.gained.get(60, TimeUnit.SECONDS);
        Coordinator second = start(new TermOnly());
        ManagedChannel channel = connect(second);
        InspectGrpc.InspectBlockingStub inspect = InspectGrpc.newBlockingStub(channel);
        assertEquals(
                Code.UNAVAILABLE,
                refused(() -> inspect.listNodes(ListNodesRequest.getDefaultInstance()))
                        .getCode());
        assertEquals(ServingStatus.NOT_SERVING, health(channel, "cede.v1.AgentLink"));
        assertTrue(first.address().port() > 0);
    }

    @Test
    void badQuestionsAreRefusedWithASentence() throws Exception {
        TermOnly core = new TermOnly();
        Coordinator coordinator = start(core);
        core.gained.get(60, TimeUnit.SECONDS);
        InspectGrpc.InspectBlockingStub inspect = InspectGrpc.newBlockingStub(connect(coordinator));
        Status size = refused(() -> inspect.listNodes(
                ListNodesRequest.newBuilder().setPageSize(2000).build()));
        assertEquals(Code.INVALID_ARGUMENT, size.getCode());
        Status unknown = refused(() -> inspect.explain(
                ExplainRequest.newBuilder().setNamespace("ns").setName("p").build()));
        assertEquals(Code.NOT_FOUND, unknown.getCode());
        Status empty = refused(() -> inspect.explain(ExplainRequest.getDefaultInstance()));
        assertTrue(empty.getDescription().startsWith("namespace is empty"));
    }

    private static ServingStatus health(ManagedChannel channel, String service) {
        return HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }

    private static Status refused(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
        throw new AssertionError("not refused");
    }
}
