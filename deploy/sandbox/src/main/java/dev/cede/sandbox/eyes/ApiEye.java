package dev.cede.sandbox.eyes;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

import java.util.List;

/** Watches pods and events of a namespace, as any client can. */
final class ApiEye implements AutoCloseable {
    /** Called in the order in which the API server told it, of each kind. */
    interface Listener {
        void pod(Pod pod);

        void podGone(Pod pod);

        void event(Event event);
    }

    private final List<SharedIndexInformer<?>> informers;

    private ApiEye(List<SharedIndexInformer<?>> informers) {
        this.informers = informers;
    }

    static ApiEye open(KubernetesClient client, String namespace, Listener listener) {
        SharedIndexInformer<Pod> pods = client.pods()
                .inNamespace(namespace)
                .inform(new ResourceEventHandler<>() {
                    @Override
                    public void onAdd(Pod pod) {
                        listener.pod(pod);
                    }

                    @Override
                    public void onUpdate(Pod before, Pod pod) {
                        listener.pod(pod);
                    }

                    @Override
                    public void onDelete(Pod pod, boolean unknown) {
                        listener.podGone(pod);
                    }
                });
        SharedIndexInformer<Event> events = client.v1()
                .events()
                .inNamespace(namespace)
                .inform(new ResourceEventHandler<>() {
                    @Override
                    public void onAdd(Event event) {
                        listener.event(event);
                    }

                    @Override
                    public void onUpdate(Event before, Event event) {
                        // The same again, counted; it was told once.
                    }

                    @Override
                    public void onDelete(Event event, boolean unknown) {
                        // Old events leave.
                    }
                });
        return new ApiEye(List.of(pods, events));
    }

    @Override
    public void close() {
        informers.forEach(SharedIndexInformer::close);
    }
}
