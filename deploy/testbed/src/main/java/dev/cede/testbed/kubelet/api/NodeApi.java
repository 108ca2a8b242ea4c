package dev.cede.testbed.kubelet.api;

import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodStatusView;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;

import java.util.List;

/** What a kubelet needs of the Kubernetes API. All calls may block and may be made from any thread. */
public interface NodeApi {
    /** Hears of the pods bound to one node, in order, never of two things at once. */
    interface PodListener {
        /** All pods of the node; once, before anything else. */
        void known(List<Pod> pods);

        void added(Pod pod);

        /** Also for a pod that {@link #known} or {@link #added} has named already. */
        void changed(Pod pod);

        void gone(Pod pod);
    }

    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** A call that was refused or lost. */
    final class ApiException extends RuntimeException {
        private final boolean retryable;

        public ApiException(String message, boolean retryable, Throwable cause) {
            super(message, cause);
            this.retryable = retryable;
        }

        public boolean retryable() {
            return retryable;
        }
    }

    Watch watchPods(String node, PodListener listener);

    /**
     * Writes what kubelet knows into the pod's status and leaves what others wrote there: their
     * conditions, the nominated node. Nothing happens if the pod is gone or has another UID.
     */
    void writeStatus(PodStatusView status);

    /** DELETE with grace 0 and the UID as precondition; nothing happens if the pod is gone. */
    void removePod(PodSpec.Id pod);

    /** Creates the node, or replaces what kubelet owns in its status. */
    void publishNode(Node node);

    void createEvent(Event event);
}
