package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.PodRef;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Knows for which pods a call may still arrive that nobody waits for: of an earlier term, or one of
 * ours that was never answered. Before anything is decided that such a call would undo, the pod is
 * fenced.
 */
final class Fences {
    private final LoopState state;
    private final Releases releases;

    /** Pods that such a call may name, by UID. */
    private final Set<String> open = new HashSet<>();

    /** Fences under way, by UID. */
    private final Set<String> writing = new HashSet<>();

    /** Pods whose fence failed, and that have to be read before the next one, by UID. */
    private final Set<String> unread = new HashSet<>();

    Fences(LoopState state, Releases releases) {
        this.state = state;
        this.releases = releases;
    }

    void forgetTerm() {
        open.clear();
        writing.clear();
        unread.clear();
    }

    void forget(String podUid) {
        open.remove(podUid);
    }

    /** From now on a call may be on its way. */
    void open(PodRef pod) {
        open.add(pod.uid());
    }

    /** Whether no Binding of the pod can arrive any more; if one can, that is seen to. */
    boolean keepBindingsOut(PodRef pod) {
        Optional<PodFacts> found = state.cluster.pod(pod.uid());
        return found.filter(there -> there.bound() || there.finished()).isPresent()
                || keepCallsOut(pod, found);
    }

    /** Whether no DELETE of the pod can arrive any more; if one can, that is seen to. */
    boolean keepDeletesOut(PodRef pod) {
        return keepCallsOut(pod, state.cluster.pod(pod.uid()));
    }

    private boolean keepCallsOut(PodRef pod, Optional<PodFacts> found) {
        if (!open.contains(pod.uid()) || found.filter(PodFacts::terminating).isPresent()) {
            return true;
        }
        if (found.isEmpty()) {
            return releases.gone(pod);
        }
        if (unread.contains(pod.uid())) {
            releases.read(pod);
        } else {
            write(found.get());
        }
        return false;
    }

    private void write(PodFacts pod) {
        if (state.backoff.until(key(pod.ref())).isAfter(state.now)) {
            state.out.wakeAt(state.backoff.until(key(pod.ref())));
        } else if (writing.add(pod.uid())) {
            state.out.add(new Effect.Fence(pod, state.epoch));
            state.log("fence=sent pod=" + pod.ref().namespacedName());
        }
    }

    void onFenced(PodFacts pod) {
        writing.remove(pod.uid());
        open.remove(pod.uid());
        state.backoff.succeeded(key(pod.ref()));
    }

    void onRead(PodRef pod) {
        unread.remove(pod.uid());
    }

    /** The pod is read, and fenced as it is then. */
    void onFailed(PodRef pod, ApiFailure failure) {
        writing.remove(pod.uid());
        unread.add(pod.uid());
        if (failure.conflict()) {
            state.backoff.outdated(key(pod), state.now);
        } else {
            state.backoff.failed(key(pod), state.now);
        }
    }

    private static String key(PodRef pod) {
        return "fence/" + pod.uid();
    }
}
