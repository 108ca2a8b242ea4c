package dev.cede.deviceplugin;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Who owns the books and so answers kubelet. Calls come on several threads; an answer that takes
 * too long is refused for it. A failed stage is a refusal; its message is the sentence that kubelet
 * puts into the pod's status.
 */
public interface KubeletCalls {
    CompletionStage<List<List<String>>> prefer(DeviceKind kind, List<Offer> offers);

    CompletionStage<List<Grant>> allocate(DeviceKind kind, List<List<String>> requests);

    /** A container is about to start; it does not when the stage fails, and is tried again. */
    CompletionStage<Void> preStart(DeviceKind kind, List<String> ids);

    /** Kubelet opened or closed its stream of a resource's devices. */
    void listening(DeviceKind kind, boolean open);

    /**
     * A kubelet is there that was not before.
     *
     * @param ageMillis how long ago it made its socket
     */
    void kubeletStarted(long ageMillis);
}
