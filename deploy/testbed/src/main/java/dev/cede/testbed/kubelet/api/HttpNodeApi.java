package dev.cede.testbed.kubelet.api;

import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodStatusView;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The Kubernetes API of a real address. The client is the caller's, who closes it and who has told
 * it to watch over plain HTTP where the server knows nothing else.
 */
public final class HttpNodeApi implements NodeApi {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int FIRST_SERVER_ERROR = 500;

    /** RFC 7386; conditions are a list, so the resourceVersion guards against lost updates. */
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;

    public HttpNodeApi(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public Watch watchPods(String node, PodListener listener) {
        SharedIndexInformer<Pod> informer =
                client.pods().inAnyNamespace().withField("spec.nodeName", node).runnableInformer(0);
        Relay relay = new Relay(listener);
        informer.addEventHandler(relay);
        informer.start().whenComplete((started, failure) -> {
            if (failure == null) {
                relay.synced(informer.getStore().list());
            }
        });
        return informer::stop;
    }

    /** Holds back what comes before the first list is complete. */
    private static final class Relay implements ResourceEventHandler<Pod> {
        private final PodListener listener;
        private final Map<String, Pod> early = new LinkedHashMap<>();
        private boolean synced;

        Relay(PodListener listener) {
            this.listener = listener;
        }

        synchronized void synced(List<Pod> pods) {
            Map<String, Pod> all = new LinkedHashMap<>();
            pods.forEach(pod -> all.put(pod.getMetadata().getUid(), pod));
            all.putAll(early);
            synced = true;
            listener.known(List.copyOf(all.values()));
        }

        @Override
        public synchronized void onAdd(Pod pod) {
            if (synced) {
                listener.added(pod);
            } else {
                early.put(pod.getMetadata().getUid(), pod);
            }
        }

        @Override
        public synchronized void onUpdate(Pod before, Pod pod) {
            if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
                onDelete(before, false);
                onAdd(pod);
            } else if (synced) {
                listener.changed(pod);
            } else {
                early.put(pod.getMetadata().getUid(), pod);
            }
        }

        @Override
        public synchronized void onDelete(Pod pod, boolean unknown) {
            if (synced) {
                listener.gone(pod);
            } else {
                early.remove(pod.getMetadata().getUid());
            }
        }
    }

    @Override
    public void writeStatus(PodStatusView view) {
        guarded(() -> {
            Pod pod = resource(view.pod()).get();
            if (pod == null || !pod.getMetadata().getUid().equals(view.pod().uid())) {
                return;
            }
            Pod patch = new PodBuilder()
                    .withNewMetadata()
                    .withName(view.pod().name())
                    .withNamespace(view.pod().namespace())
                    .withUid(view.pod().uid())
                    .withResourceVersion(pod.getMetadata().getResourceVersion())
                    .endMetadata()
                    .withStatus(StatusMerge.merge(pod.getStatus(), view, Instant.now()))
                    .build();
            resource(view.pod())
                    .subresource("status")
                    .patch(MERGE, client.getKubernetesSerialization().asJson(patch));
        });
    }

    @Override
    public void removePod(PodSpec.Id id) {
        DeleteOptions options = new DeleteOptionsBuilder()
                .withApiVersion("v1")
                .withKind("DeleteOptions")
                .withGracePeriodSeconds(0L)
                .withNewPreconditions()
                .withUid(id.uid())
                .endPreconditions()
                .build();
        String path = "/api/v1/namespaces/%s/pods/%s".formatted(id.namespace(), id.name());
        try {
            guarded(() -> client.raw(path, "DELETE", options));
        } catch (ApiException e) {
            // A conflict here says that the name belongs to another pod by now.
            if (!(e.getCause() instanceof KubernetesClientException refused)
                    || refused.getCode() != CONFLICT) {
                throw e;
            }
        }
    }

    @Override
    public void publishNode(Node node) {
        guarded(() -> {
            String name = node.getMetadata().getName();
            if (client.nodes().withName(name).get() == null) {
                client.nodes().resource(node).create();
            }
            client.nodes()
                    .withName(name)
                    .subresource("status")
                    .patch(MERGE, client.getKubernetesSerialization().asJson(statusOf(node)));
        });
    }

    private static Node statusOf(Node node) {
        Node patch = new Node();
        patch.setStatus(node.getStatus());
        return patch;
    }

    @Override
    public void createEvent(Event event) {
        guarded(() -> client.v1()
                .events()
                .inNamespace(event.getMetadata().getNamespace())
                .resource(event)
                .create());
    }

    private PodResource resource(PodSpec.Id id) {
        return client.pods().inNamespace(id.namespace()).withName(id.name());
    }

    private static void guarded(Runnable call) {
        try {
            call.run();
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND) {
                return;
            }
            boolean retryable = e.getCode() < 400
                    || e.getCode() == CONFLICT
                    || e.getCode() == TOO_MANY_REQUESTS
                    || e.getCode() >= FIRST_SERVER_ERROR;
            throw new ApiException(e.getMessage(), retryable, e);
        }
    }
}
