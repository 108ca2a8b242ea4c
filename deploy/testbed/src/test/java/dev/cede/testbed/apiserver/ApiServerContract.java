package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What Cede leans on in an API server, through an ordinary client, in a namespace of its own. Holds
 * for a real server as well: it takes no look inside, and waits where a real one takes its time.
 */
@Timeout(120)
abstract class ApiServerContract {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NODE = "contract-node";

    private KubernetesClient client;
    private String namespace;

    /** A client of the server under test; closed after each test. */
    abstract KubernetesClient connect();

    @BeforeEach
    void makeNamespace() {
        client = connect();
        namespace = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withGenerateName("contract-")
                        .endMetadata()
                        .build())
                .create()
                .getMetadata()
                .getName();
        eventually(
                "the default service account",
                () -> client.serviceAccounts()
                                .inNamespace(namespace)
                                .withName("default")
                                .get()
                        != null);
    }

    @AfterEach
    void removeNamespace() {
        client.pods().inNamespace(namespace).withGracePeriod(0).delete();
        client.namespaces().withName(namespace).delete();
        client.close();
        disconnect();
    }

    /** Called at the end of each test. */
    void disconnect() {}

    private static void eventually(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> "not seen within " + PATIENCE + ": " + what);
            Thread.onSpinWait();
        }
    }

    private Pod createPod(String name) {
        return client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .addToLabels("app", name)
                        .endMetadata()
                        .withNewSpec()
                        .withSchedulerName("nobody")
                        .withAutomountServiceAccountToken(false)
                        .addNewContainer()
                        .withName("c")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private PodResource pod(String name) {
        return client.pods().inNamespace(namespace).withName(name);
    }

    private void bind(Pod pod, String uid, Map<String, String> annotations) {
        Binding binding = new BindingBuilder()
                .withNewMetadata()
                .withName(pod.getMetadata().getName())
                .withNamespace(namespace)
                .withUid(uid)
                .withAnnotations(annotations)
                .endMetadata()
                .withNewTarget()
                .withKind("Node")
                .withName(NODE)
                .endTarget()
                .build();
        client.bindings().inNamespace(namespace).resource(binding).create();
    }

    private static int codeOf(Runnable request) {
        return assertThrows(KubernetesClientException.class, request::run).getCode();
    }

    @Test
    void anInformerHearsOfEverythingThatHappensToAPod() {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        var handler = new ResourceEventHandler<Pod>() {
            @Override
            public void onAdd(Pod pod) {
                heard.add("add");
            }

            @Override
            public void onUpdate(Pod old, Pod pod) {
                heard.add("update " + pod.getSpec().getNodeName());
            }

            @Override
            public void onDelete(Pod pod, boolean unknown) {
                heard.add("delete");
            }
        };
        try (var informer = client.pods().inNamespace(namespace).inform(handler)) {
            eventually("the informer is in sync", informer::hasSynced);
            Pod pod = createPod("p");
            assertEquals("add", take(heard));
            bind(pod, pod.getMetadata().getUid(), Map.of());
            assertEquals("update " + NODE, take(heard));
            pod("p").withGracePeriod(0).delete();
            String last = take(heard);
            // A real server may tell the mark before the removal.
            assertEquals("delete", last.equals("delete") ? last : take(heard));
        }
    }

    private static <T> T take(BlockingQueue<T> queue) {
        try {
            return Objects.requireNonNull(
                    queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    "nothing was heard in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void aWatchResumesAtAVersionWithoutMissingOrRepeating() {
        createPod("before");
        String version =
                client.pods().inNamespace(namespace).list().getMetadata().getResourceVersion();
        createPod("after");
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Watcher<Pod> watcher = new Watcher<>() {
            @Override
            public void eventReceived(Action action, Pod pod) {
                heard.add(action + " " + pod.getMetadata().getName());
            }

            @Override
            public void onClose(WatcherException cause) {
                heard.add("closed");
            }
        };
        try (var watch = client.pods()
                .inNamespace(namespace)
                .watch(new ListOptionsBuilder().withResourceVersion(version).build(), watcher)) {
            assertNotNull(watch);
            assertEquals("ADDED after", take(heard));
        }
    }

    @Test
    void bindingMergesAnnotationsAndAsksForTheUid() {
        Pod pod = createPod("p");
        assertEquals(
                409, codeOf(() -> bind(pod, "11111111-2222-3333-4444-555555555555", Map.of())));
        bind(pod, pod.getMetadata().getUid(), Map.of("plan", "42"));
        Pod bound = pod("p").get();
        assertEquals(NODE, bound.getSpec().getNodeName());
        assertEquals("42", bound.getMetadata().getAnnotations().get("plan"));
        assertEquals(409, codeOf(() -> bind(pod, pod.getMetadata().getUid(), Map.of())));
    }

    @Test
    void aDeleteAsksForTheVersionAndKeepsThePodForItsNode() {
        Pod pod = createPod("p");
        bind(pod, pod.getMetadata().getUid(), Map.of());
        String old = pod.getMetadata().getResourceVersion();
        assertEquals(409, codeOf(() -> pod("p").lockResourceVersion(old).delete()));
        pod("p").lockResourceVersion(pod("p").get().getMetadata().getResourceVersion())
                .delete();
        assertEquals(30L, pod("p").get().getMetadata().getDeletionGracePeriodSeconds());
        pod("p").withGracePeriod(0).delete();
        assertNull(pod("p").get());
    }

    @Test
    void objectAndStatusAreWrittenApart() {
        createPod("p");
        Pod edited = pod("p").get();
        edited.getStatus().setPhase("Running");
        edited.getMetadata().getLabels().put("x", "y");
        client.resource(edited).update();
        assertEquals("Pending", pod("p").get().getStatus().getPhase());
        assertEquals("y", pod("p").get().getMetadata().getLabels().get("x"));
        Pod status = pod("p").get();
        status.getStatus().setNominatedNodeName(NODE);
        status.getStatus()
                .getConditions()
                .add(new PodConditionBuilder()
                        .withType("PodScheduled")
                        .withStatus("False")
                        .build());
        client.resource(status).updateStatus();
        assertEquals(NODE, pod("p").get().getStatus().getNominatedNodeName());
    }

    @Test
    void aStatusPatchMergesConditionsByType() {
        Pod pod = createPod("p");
        bind(pod, pod.getMetadata().getUid(), Map.of());
        String patch =
                "{\"status\":{\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\","
                        + "\"reason\":\"PreemptionByScheduler\",\"message\":\"m\"}]}}";
        pod("p").subresource("status").patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
        List<String> types = pod("p").get().getStatus().getConditions().stream()
                .map(condition -> condition.getType())
                .toList();
        assertTrue(types.containsAll(List.of("PodScheduled", "DisruptionTarget")), types::toString);
    }

    @Test
    void aDeploymentKeepsItsReplicasAndTakesThemWithIt() {
        client.resource(new DeploymentBuilder()
                        .withNewMetadata()
                        .withName("d")
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(2)
                        .withNewSelector()
                        .addToMatchLabels("app", "d")
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .addToLabels("app", "d")
                        .endMetadata()
                        .withNewSpec()
                        .withSchedulerName("nobody")
                        .addNewContainer()
                        .withName("c")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
        eventually("two pods", () -> podNames().size() == 2);
        String first = podNames().getFirst();
        pod(first).delete();
        eventually("a replacement", () -> podNames().size() == 2 && !podNames().contains(first));
        client.apps().deployments().inNamespace(namespace).withName("d").scale(1);
        eventually("one pod", () -> podNames().size() == 1);
        client.apps()
                .deployments()
                .inNamespace(namespace)
                .withName("d")
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();
        eventually("no pod", () -> podNames().isEmpty());
    }

    private List<String> podNames() {
        return client.pods().inNamespace(namespace).withLabel("app", "d").list().getItems().stream()
                .map(pod -> pod.getMetadata().getName())
                .toList();
    }
}
