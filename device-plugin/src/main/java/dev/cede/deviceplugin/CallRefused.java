package dev.cede.deviceplugin;

/** One of kubelet's calls is not served; the message is one sentence for the pod's owner. */
public final class CallRefused extends Exception {
    private static final long serialVersionUID = 1L;

    public CallRefused(String reason) {
        super(reason, null, false, false);
    }
}
