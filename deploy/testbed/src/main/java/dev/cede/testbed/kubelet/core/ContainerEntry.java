package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.PodStatusView.ContainerView;
import dev.cede.testbed.kubelet.core.PodStatusView.State;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** One container of a pod on this node. */
final class ContainerEntry {
    enum Stage {
        /** Its turn has not come. */
        WAITING,
        /** Missing devices, then PreStartContainer, resource by resource. */
        PREPARING,
        /** Handed to the runtime. */
        LAUNCHED,
        RUNNING,
        /** Has ended; kubelet has not looked yet. */
        EXITED,
        /** Will be tried again later. */
        BACK_OFF,
        /** Will not run again. */
        DONE
    }

    final ContainerSpec spec;
    final boolean ranAtStart;
    Stage stage = Stage.WAITING;
    State state = new State.Waiting("ContainerCreating", "");
    Optional<State.Terminated> last = Optional.empty();
    String containerId = "";
    int restarts;
    int exitCode;
    boolean toldToEnd;
    Duration backOff = Duration.ZERO;
    final Deque<String> preStarts = new ArrayDeque<>();

    ContainerEntry(ContainerSpec spec, Optional<Survivor> survivor) {
        this.spec = spec;
        this.ranAtStart = survivor.isPresent();
        survivor.ifPresent(this::adopt);
    }

    private void adopt(Survivor survivor) {
        stage = Stage.RUNNING;
        state = new State.Running(survivor.started());
        containerId = survivor.containerId();
        restarts = survivor.restarts();
    }

    boolean alive() {
        return stage == Stage.LAUNCHED || stage == Stage.RUNNING;
    }

    void exited(int code, Instant now) {
        Optional<Instant> started = state instanceof State.Running running
                ? Optional.of(running.started())
                : Optional.empty();
        exitCode = code;
        stage = Stage.EXITED;
        state = new State.Terminated(code, code == 0 ? "Completed" : "Error", started, now);
    }

    ContainerView view() {
        boolean unborn = state instanceof State.Waiting && last.isEmpty();
        return new ContainerView(spec, unborn ? "" : containerId, restarts, state, last);
    }
}
