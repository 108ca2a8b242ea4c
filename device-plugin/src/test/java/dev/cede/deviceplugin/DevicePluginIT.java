package dev.cede.deviceplugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.AllocateRequest;
import dev.cede.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both plugins over real sockets, with a kubelet that comes and goes. */
@Timeout(240)
class DevicePluginIT {
    private static final Card CARD =
            SteeringTest.card(0, "GPU-aaaaaaaa-0000-0000-0000-000000000000");
    private static final DeviceNames NAMES = DeviceNames.none().with(List.of(CARD.id()), Set.of());

    private final UnixSockets sockets = new UnixSockets();
    private final Calls calls = new Calls();
    private Path directory;
    private TinyKubelet kubelet;
    private DevicePlugin plugin;

    @BeforeEach
    void start() throws IOException {
        directory = Files.createTempDirectory("dp");
        Files.createFile(directory.resolve("cede-mem-old-3.sock"));
        kubelet = new TinyKubelet(sockets, directory);
        kubelet.start();
        plugin = DevicePlugin.start(sockets, directory, "n1", calls);
        plugin.publish(DeviceLists.of(List.of(CARD), NAMES));
        kubelet.awaitRegistrations(1);
        awaitListening(1);
    }

    @AfterEach
    void stop() throws IOException {
        plugin.close();
        kubelet.close();
        sockets.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void awaitListening(int lists) {
        for (DeviceKind kind : DeviceKind.values()) {
            kubelet.await("list of " + kind, () -> kubelet.lists(kind).size() >= lists);
        }
    }

    @Test
    void bothResourcesAreRegisteredAndListedWithoutTopology() {
        assertEquals(64, kubelet.lists(DeviceKind.MEMORY).getFirst().getDevicesCount());
        assertEquals(100, kubelet.lists(DeviceKind.CORE).getFirst().getDevicesCount());
        var first = kubelet.lists(DeviceKind.MEMORY).getFirst().getDevices(0);
        assertEquals("aaaaaaaa-m0000", first.getID());
        assertEquals("Healthy", first.getHealth());
        assertFalse(first.hasTopology());
        assertTrue(kubelet.latest(DeviceKind.MEMORY).getOptions().getPreStartRequired());
        assertFalse(kubelet.latest(DeviceKind.CORE).getOptions().getPreStartRequired());
    }

    @Test
    void socketsOfEarlierProcessesAreRemoved() {
        assertFalse(Files.exists(directory.resolve("cede-mem-old-3.sock")));
    }

    @Test
    void aKubeletThatIsRestartedTwentyTimesIsRegisteredWithEachTime_B26() throws IOException {
        Set<String> endpoints = new TreeSet<>();
        for (int restart = 1; restart <= 20; restart++) {
            kubelet.stop();
            kubelet.start();
            kubelet.awaitRegistrations(1 + restart);
            endpoints.add(kubelet.latest(DeviceKind.MEMORY).getEndpoint());
        }
        assertEquals(20, endpoints.size(), "a socket's name is used once");
        awaitListening(2);
    }

    @Test
    void ourOwnSocketThatVanishedIsMadeAgain() throws IOException {
        String before = kubelet.latest(DeviceKind.CORE).getEndpoint();
        Files.delete(directory.resolve(before));
        kubelet.await("core again", () -> kubelet.count(DeviceKind.CORE) == 2);
        assertNotEquals(before, kubelet.latest(DeviceKind.CORE).getEndpoint());
    }

    @Test
    void aStreamThatKubeletClosesIsRegisteredAgain() {
        kubelet.closeStreams();
        kubelet.awaitRegistrations(2);
        awaitListening(2);
    }

    @Test
    void aKubeletThatNeverListensIsRegisteredWithAgain() {
        kubelet.deaf(true);
        kubelet.closeStreams();
        kubelet.awaitRegistrations(2);
        kubelet.deaf(false);
        kubelet.awaitRegistrations(3);
        awaitListening(2);
    }

    @Test
    void aRefusedRegistrationIsRepeated() {
        kubelet.refuseNext(3);
        kubelet.closeStreams();
        kubelet.awaitRegistrations(2);
    }

    @Test
    void onlyARealChangeOfTheListIsSent() {
        plugin.publish(DeviceLists.of(List.of(CARD), NAMES));
        Card sick = new Card(
                CARD.id(), 0, 0, "model", 8192L << 20, 0, CardHealth.UNHEALTHY, "Xid 79", 0);
        plugin.publish(DeviceLists.of(List.of(sick), NAMES));
        awaitListening(2);
        assertEquals(2, kubelet.lists(DeviceKind.MEMORY).size());
        assertEquals(
                "Unhealthy",
                kubelet.lists(DeviceKind.MEMORY).get(1).getDevices(0).getHealth());
    }

    private static AllocateRequest request(String... ids) {
        return AllocateRequest.newBuilder()
                .addContainerRequests(
                        ContainerAllocateRequest.newBuilder().addAllDevicesIds(List.of(ids)))
                .build();
    }

    @Test
    void theTwoAnswersOfAContainerShareNoKey() {
        TreeMap<String, Path> files = new TreeMap<>();
        files.put("/dev/nvidia0", Path.of("/dev/nvidia0"));
        calls.grant = CompletableFuture.completedFuture(List.of(
                new Grant.Memory(List.of(CARD.id().uuid()), Path.of("/state/limits/x"), files)));
        ContainerAllocateResponse memory = kubelet.plugin(DeviceKind.MEMORY)
                .allocate(request("aaaaaaaa-m0000"))
                .getContainerResponses(0);
        assertEquals(Set.of("NVIDIA_VISIBLE_DEVICES"), memory.getEnvsMap().keySet());
        assertEquals("/var/run/cede", memory.getMounts(0).getContainerPath());
        assertTrue(memory.getMounts(0).getReadOnly());
        assertEquals("/dev/nvidia0", memory.getDevices(0).getContainerPath());
        calls.grant = CompletableFuture.completedFuture(List.of(new Grant.Core(50)));
        ContainerAllocateResponse core = kubelet.plugin(DeviceKind.CORE)
                .allocate(request("aaaaaaaa-c00"))
                .getContainerResponses(0);
        assertEquals("50", core.getEnvsMap().get("CEDE_CORE_PERCENTAGE"));
        assertEquals(1, core.getEnvsCount());
        assertEquals(0, core.getMountsCount() + core.getDevicesCount());
    }

    @Test
    void aRefusalReachesKubeletAsItsSentence() {
        calls.grant = CompletableFuture.failedFuture(new CallRefused("no reservation"));
        var stub = kubelet.plugin(DeviceKind.MEMORY);
        StatusRuntimeException error = assertThrows(
                StatusRuntimeException.class, () -> stub.allocate(request("aaaaaaaa-m0000")));
        assertEquals("no reservation", error.getStatus().getDescription());
    }

    @Test
    void anAnswerThatDoesNotComeIsARefusalAfterTwoSeconds() {
        calls.grant = new CompletableFuture<>();
        var stub = kubelet.plugin(DeviceKind.MEMORY);
        StatusRuntimeException error = assertThrows(
                StatusRuntimeException.class, () -> stub.allocate(request("aaaaaaaa-m0000")));
        assertEquals(Status.Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
    }

    /** Answers as a test says. */
    private static final class Calls implements KubeletCalls {
        private volatile CompletableFuture<List<Grant>> grant = new CompletableFuture<>();

        @Override
        public CompletionStage<List<List<String>>> prefer(DeviceKind kind, List<Offer> offers) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<List<Grant>> allocate(DeviceKind kind, List<List<String>> requests) {
            return grant;
        }

        @Override
        public CompletionStage<Void> preStart(DeviceKind kind, List<String> ids) {
            return new CompletableFuture<>();
        }

        @Override
        public void listening(DeviceKind kind, boolean open) {}

        @Override
        public void kubeletStarted(long ageMillis) {}
    }
}
