package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.model.PodRef;
import dev.cede.testbed.apiserver.ApiServerOptions;
import dev.cede.testbed.apiserver.Disturbances;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stand-in of the API server with one node, and our effects on it through the real client. */
@Timeout(120)
abstract class KubernetesRig {
    static final long TERM = 5;
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    final AtomicLong currentTerm = new AtomicLong(TERM);
    dev.cede.testbed.apiserver.ApiServer server;
    Disturbances disturbances;
    KubernetesClient client;
    KubernetesEffects effects;
    ClusterWatch watch;

    @BeforeEach
    void start() throws IOException {
        server = dev.cede.testbed.apiserver.ApiServer.start(ApiServerOptions.defaults());
        disturbances = Disturbances.of(server);
        Path kubeconfig = directory.resolve("kubeconfig");
        server.writeKubeconfig(kubeconfig);
        client = ApiServer.connect(Optional.of(kubeconfig));
        effects = effects(TIMEOUT);
        client.resource(client.getKubernetesSerialization().unmarshal("""
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                """, Node.class))
                .create();
    }

    KubernetesEffects effects(Duration timeout) {
        KubernetesEffects made = new KubernetesEffects(
                client,
                events::add,
                term -> term == currentTerm.get(),
                InstantSource.system(),
                timeout);
        made.term(TERM);
        return made;
    }

    @AfterEach
    void stop() {
        if (watch != null) {
            watch.close();
        }
        effects.close();
        client.close();
        server.close();
    }

    Pod create(String name) {
        return client.resource(client.getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec:
                  schedulerName: volcano
                  containers: [{name: c, image: i}]
                """.formatted(name), Pod.class))
                .create();
    }

    Pod get(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    <T extends Event> T await(Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, events.poll(60, TimeUnit.SECONDS));
    }

    <T extends Event> T awaitAmongOthers(Class<T> type) throws InterruptedException {
        Event event = events.poll(60, TimeUnit.SECONDS);
        while (event != null && !type.isInstance(event)) {
            event = events.poll(60, TimeUnit.SECONDS);
        }
        return assertInstanceOf(type, event);
    }

    PodFacts readBack(PodRef pod) throws InterruptedException {
        effects.readPod(new Effect.ReadPod(pod));
        return await(Event.PodRead.class).found().orElseThrow();
    }

    static PodCondition condition(Pod pod, String type) {
        return pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst()
                .orElseThrow();
    }

    List<String> eventReasons(PodRef pod) {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> pod.uid().equals(event.getInvolvedObject().getUid()))
                .map(io.fabric8.kubernetes.api.model.Event::getReason)
                .toList();
    }
}
