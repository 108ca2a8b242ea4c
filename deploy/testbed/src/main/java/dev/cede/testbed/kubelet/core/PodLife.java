package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.ContainerEntry.Stage;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.PodSpec.RestartPolicy;
import dev.cede.testbed.kubelet.core.PodStatusView.State;
import dev.cede.testbed.kubelet.core.Timers.Timer;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** A pod from its admission to the end of its last process. */
final class PodLife {
    /** No process gets less time than this to end by itself, nor one whose object is gone more. */
    private static final long LEAST_GRACE_SECONDS = 2;

    /** Between the write of the final phase and the removal of the object, at least. */
    private static final Duration BEFORE_REMOVAL = Duration.ofMillis(50);

    /** What kubelet reports for a container it knows nothing about. */
    private static final int UNKNOWN_EXIT = 137;

    private final Timing timing;
    private final Pods pods;
    private final Starter starter;
    private final Timers timers;
    private final Random delays;

    PodLife(Timing timing, Pods pods, Starter starter, Timers timers, Random delays) {
        this.timing = timing;
        this.pods = pods;
        this.starter = starter;
        this.timers = timers;
        this.delays = delays;
    }

    void admitted(PodEntry pod, Outbox out) {
        pod.stage = PodEntry.Stage.ADMITTED;
        pod.started = Optional.of(out.now());
        StatusWriter.write(pod, out);
        Duration delay = pod.anyAlive() ? Duration.ZERO : timing.start().draw(delays);
        timers.set(out.now().plus(delay), new Timer.SyncPod(pod.spec.uid()));
    }

    void rejected(PodEntry pod, FitCheck.Rejection rejection, Outbox out) {
        pod.stage = PodEntry.Stage.REJECTED;
        String message = rejection.message();
        out.add(new Effect.EmitEvent(pod.spec.id(), "Warning", rejection.reason(), message));
        StatusWriter.writeRejection(pod, rejection.reason(), "Pod was rejected: " + message, out);
        signalAll(pod, pod.spec.graceSeconds(), out);
    }

    /** Looks at the pod anew: what has ended, what is to be started. */
    void sync(PodEntry pod, Outbox out) {
        if (pod.stage != PodEntry.Stage.ADMITTED) {
            return;
        }
        pod.containers().stream()
                .filter(container -> container.stage == Stage.EXITED)
                .forEach(container -> afterExit(pod, container, out));
        if (over(pod)) {
            StatusWriter.write(pod, out);
            terminate(pod, pod.spec.graceSeconds(), timing.windUp().draw(delays), out);
        } else {
            startNext(pod, out);
        }
        if (pod.stage == PodEntry.Stage.ADMITTED) {
            StatusWriter.write(pod, out);
        }
    }

    private void afterExit(PodEntry pod, ContainerEntry container, Outbox out) {
        if (!restarts(pod, container)) {
            container.stage = Stage.DONE;
            return;
        }
        StatusWriter.write(pod, out);
        Duration pause = container.backOff;
        container.backOff = pause.isZero()
                ? timing.restart()
                : min(pause.multipliedBy(2), timing.restartLimit());
        if (pause.isZero()) {
            start(pod, container, out);
            return;
        }
        container.last = Optional.of((State.Terminated) container.state);
        container.state = new State.Waiting(
                "CrashLoopBackOff",
                "back-off %s restarting failed container=%s pod=%s_%s(%s)"
                        .formatted(
                                go(pause),
                                container.spec.name(),
                                pod.spec.id().name(),
                                pod.spec.id().namespace(),
                                pod.spec.uid()));
        retryAfter(pod, container, pause, out);
    }

    private static boolean restarts(PodEntry pod, ContainerEntry container) {
        boolean failed = container.exitCode != 0;
        return switch (container.spec.kind()) {
            case SIDECAR -> true;
            case INIT -> failed && pod.spec.restartPolicy() != RestartPolicy.NEVER;
            case APP ->
                pod.spec.restartPolicy() == RestartPolicy.ALWAYS
                        || (failed && pod.spec.restartPolicy() == RestartPolicy.ON_FAILURE);
        };
    }

    private static boolean over(PodEntry pod) {
        boolean initFailed = pod.containers().stream()
                .filter(container -> container.spec.kind() == Kind.INIT)
                .anyMatch(container -> container.stage == Stage.DONE && container.exitCode != 0);
        return initFailed
                || pod.containers().stream()
                        .filter(container -> container.spec.kind() == Kind.APP)
                        .allMatch(container -> container.stage == Stage.DONE);
    }

    private void startNext(PodEntry pod, Outbox out) {
        boolean appRuns = pod.containers().stream()
                .anyMatch(container ->
                        container.spec.kind() == Kind.APP && container.stage != Stage.WAITING);
        for (ContainerEntry container : pod.containers()) {
            if (container.stage == Stage.WAITING) {
                if (appRuns && container.spec.kind() == Kind.INIT) {
                    // A kubelet that has just started: the init container ended before.
                    container.stage = Stage.DONE;
                    continue;
                }
                start(pod, container, out);
            }
            boolean blocks = switch (container.spec.kind()) {
                case INIT -> container.stage != Stage.DONE;
                case SIDECAR -> container.stage != Stage.RUNNING && !appRuns;
                // Kubelet prepares them one after another.
                case APP -> container.stage == Stage.PREPARING;
            };
            if (blocks) {
                return;
            }
        }
    }

    private void start(PodEntry pod, ContainerEntry container, Outbox out) {
        starter.begin(pod, container, out).ifPresent(why -> startFailed(pod, container, why, out));
    }

    void startFailed(PodEntry pod, ContainerEntry container, String why, Outbox out) {
        if (pod.stage != PodEntry.Stage.ADMITTED) {
            container.stage = Stage.DONE;
            afterEnd(pod, out);
            return;
        }
        container.state = new State.Waiting("CreateContainerConfigError", why);
        out.add(new Effect.EmitEvent(pod.spec.id(), "Warning", "Failed", "Error: " + why));
        retryAfter(pod, container, timing.startRetry(), out);
        startNext(pod, out);
        StatusWriter.write(pod, out);
    }

    private void retryAfter(PodEntry pod, ContainerEntry container, Duration pause, Outbox out) {
        container.stage = Stage.BACK_OFF;
        timers.set(
                out.now().plus(pause),
                new Timer.RetryContainer(pod.spec.uid(), container.spec.name()));
    }

    void retry(PodEntry pod, ContainerEntry container, Outbox out) {
        if (pod.stage == PodEntry.Stage.ADMITTED && container.stage == Stage.BACK_OFF) {
            start(pod, container, out);
            StatusWriter.write(pod, out);
        }
    }

    void started(PodEntry pod, ContainerEntry container, Outbox out) {
        if (container.stage != Stage.LAUNCHED) {
            return;
        }
        container.stage = Stage.RUNNING;
        container.state = new State.Running(out.now());
        if (pod.stage == PodEntry.Stage.ADMITTED) {
            sync(pod, out);
        } else if (container.spec.kind() != Kind.SIDECAR) {
            signal(pod, container, grace(pod), out);
        } else {
            signalSidecars(pod, out);
        }
    }

    void exited(PodEntry pod, ContainerEntry container, int exitCode, Outbox out) {
        if (!container.alive()) {
            return;
        }
        container.exited(exitCode, out.now());
        pod.lastExit = Optional.of(out.now());
        if (pod.stage == PodEntry.Stage.ADMITTED) {
            // Kubelet looks from time to time whether a process has ended by itself.
            timers.set(
                    out.now().plus(timing.noticed().draw(delays)),
                    new Timer.SyncPod(pod.spec.uid()));
        } else {
            afterEnd(pod, out);
        }
    }

    private void afterEnd(PodEntry pod, Outbox out) {
        if (pod.anyAlive()) {
            signalSidecars(pod, out);
            return;
        }
        if (pods.orphaned(pod.spec.uid())) {
            pods.forget(pod.spec.uid());
            out.add(new Effect.CleanPod(pod.spec.uid()));
        } else if (pod.stage == PodEntry.Stage.TERMINATING) {
            timers.set(
                    out.now().plus(timing.finalStatus().draw(delays)),
                    new Timer.WriteFinal(pod.spec.uid()));
        }
    }

    void changed(PodEntry pod, PodSpec spec, Outbox out) {
        Optional<Long> before = pod.spec.deletionGrace();
        pod.spec = spec;
        if (spec.deletionGrace().isEmpty()) {
            return;
        }
        switch (pod.stage) {
            // A grace that has begun is not made shorter by another DELETE.
            case ADMITTING, TERMINATING -> {}
            case ADMITTED -> terminate(pod, grace(pod), timing.finalStatus().draw(delays), out);
            case FINISHED, REJECTED -> {
                if (before.isEmpty()) {
                    removeAfter(pod, timing.removal().draw(delays), out);
                }
            }
        }
    }

    /** The pod's deletion was seen before the pod itself: it is not admitted any more. */
    void neverAdmitted(PodEntry pod, Outbox out) {
        pod.stage = PodEntry.Stage.ADMITTED;
        terminate(pod, grace(pod), timing.finalStatus().draw(delays), out);
    }

    /** The API says already that the pod has ended. */
    void alreadyFinished(PodEntry pod, Outbox out) {
        if (pod.spec.deletionGrace().isPresent()) {
            removeAfter(pod, timing.removal().draw(delays), out);
        }
    }

    private static long grace(PodEntry pod) {
        return pod.spec.deletionGrace().orElse(pod.spec.graceSeconds());
    }

    /** @param settle how long after now kubelet writes the final phase if nothing is left to end */
    private void terminate(PodEntry pod, long graceSeconds, Duration settle, Outbox out) {
        pod.stage = PodEntry.Stage.TERMINATING;
        signalAll(pod, graceSeconds, out);
        if (!pod.anyAlive()) {
            timers.set(out.now().plus(settle), new Timer.WriteFinal(pod.spec.uid()));
        }
    }

    private void signalAll(PodEntry pod, long graceSeconds, Outbox out) {
        Instant graceEnd = out.now().plusSeconds(graceSeconds);
        pod.graceEnd = Optional.of(graceEnd);
        for (ContainerEntry container : pod.containers()) {
            if (container.stage == Stage.RUNNING && container.spec.kind() != Kind.SIDECAR) {
                signal(pod, container, graceSeconds, out);
            }
        }
        signalSidecars(pod, out);
        if (pod.containers().stream().anyMatch(PodEntry::awaitsSignal)) {
            timers.set(graceEnd, new Timer.GraceEnded(pod.spec.uid()));
        }
    }

    /** Those whose turn it is: they end after what they serve, the last one first. */
    void signalSidecars(PodEntry pod, Outbox out) {
        if (pod.graceEnd.isEmpty()) {
            return;
        }
        Duration left = Duration.between(out.now(), pod.graceEnd.get());
        pod.containers().stream()
                .filter(PodEntry::awaitsSignal)
                .filter(sidecar -> !left.isPositive() || pod.servesNobody(sidecar))
                .forEach(sidecar -> signal(pod, sidecar, left.toSeconds(), out));
    }

    private void signal(PodEntry pod, ContainerEntry container, long graceSeconds, Outbox out) {
        container.toldToEnd = true;
        out.add(new Effect.SignalContainer(pod.spec.uid(), container.spec.name(), false));
        out.add(new Effect.EmitEvent(
                pod.spec.id(), "Normal", "Killing", "Stopping container " + container.spec.name()));
        Instant due = out.now().plusSeconds(Math.max(LEAST_GRACE_SECONDS, graceSeconds));
        timers.set(
                due,
                new Timer.KillContainer(
                        pod.spec.uid(), container.spec.name(), container.containerId));
    }

    void kill(PodEntry pod, ContainerEntry container, String containerId, Outbox out) {
        if (container.stage == Stage.RUNNING && container.containerId.equals(containerId)) {
            out.add(new Effect.SignalContainer(pod.spec.uid(), container.spec.name(), true));
        }
    }

    /** Says "all terminated" and the final phase in one write; from here on the devices are free. */
    void writeFinal(PodEntry pod, Outbox out) {
        if (pod.stage != PodEntry.Stage.TERMINATING || pod.anyAlive()) {
            return;
        }
        pod.stage = PodEntry.Stage.FINISHED;
        for (ContainerEntry container : pod.containers()) {
            container.stage = Stage.DONE;
            if (!(container.state instanceof State.Terminated)) {
                container.exitCode = UNKNOWN_EXIT;
                container.state = container.last.orElse(new State.Terminated(
                        UNKNOWN_EXIT, "ContainerStatusUnknown", Optional.empty(), out.now()));
            }
        }
        StatusWriter.write(pod, out);
        if (pod.spec.deletionGrace().isPresent()) {
            Duration sinceExit = Duration.between(pod.lastExit.orElse(out.now()), out.now());
            removeAfter(pod, timing.removal().draw(delays).minus(sinceExit), out);
        }
    }

    private void removeAfter(PodEntry pod, Duration delay, Outbox out) {
        Duration wait = delay.compareTo(BEFORE_REMOVAL) < 0 ? BEFORE_REMOVAL : delay;
        timers.set(out.now().plus(wait), new Timer.RemoveObject(pod.spec.uid()));
    }

    /** The object is gone; what still runs is ended, but no device book waits for it. */
    void gone(PodEntry pod, Outbox out) {
        pods.objectGone(pod.spec.uid());
        boolean told = pod.stage == PodEntry.Stage.TERMINATING;
        pod.stage = PodEntry.Stage.TERMINATING;
        if (!told) {
            signalAll(pod, LEAST_GRACE_SECONDS, out);
        }
        afterEnd(pod, out);
    }

    /** A duration as a Go program prints it. */
    private static String go(Duration duration) {
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
