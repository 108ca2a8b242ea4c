package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.Allocation.Progress;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Kubelet's one path for all news about pods. While a plugin is waited for, everything else on this
 * path waits too.
 */
final class Admission {
    /** The pod whose containers are being served. */
    private record Current(PodEntry pod, Iterator<ContainerEntry> rest) {}

    private record Ended(int exitCode, Instant at) {}

    private final KubeletSettings settings;
    private final Pods pods;
    private final PodLife life;
    private final Allocator allocator;
    /** Pod UID and container name, with a slash between. */
    private final Map<String, Survivor> survivors = new TreeMap<>();

    /** Survivors that ended before their pod was heard of. */
    private final Map<String, Ended> ended = new TreeMap<>();

    private final Deque<Event> inbox = new ArrayDeque<>();
    private Optional<Current> current = Optional.empty();

    Admission(
            KubeletSettings settings,
            Pods pods,
            PodLife life,
            Allocator allocator,
            List<Survivor> survivors) {
        this.settings = settings;
        this.pods = pods;
        this.life = life;
        this.allocator = allocator;
        survivors.forEach(survivor ->
                this.survivors.put(key(survivor.podUid(), survivor.container()), survivor));
    }

    private static String key(String podUid, String container) {
        return podUid + "/" + container;
    }

    /** A survivor may end before kubelet has heard of its pod. */
    void exited(Event.ContainerExited event, Instant now) {
        String key = key(event.podUid(), event.container());
        Survivor survivor = survivors.get(key);
        if (survivor != null && survivor.containerId().equals(event.containerId())) {
            ended.put(key, new Ended(event.exitCode(), now));
        }
    }

    private void adopt(PodEntry pod) {
        for (ContainerEntry container : pod.containers()) {
            Optional.ofNullable(ended.remove(key(pod.spec.uid(), container.spec.name())))
                    .ifPresent(exit -> container.exited(exit.exitCode(), exit.at()));
        }
    }

    /** Takes PodsAdded, PodChanged, PodGone and SourcesReady. */
    void offer(Event event, Outbox out) {
        if (event instanceof Event.PodsAdded added) {
            added.pods().stream()
                    .sorted(Comparator.comparing(PodSpec::created)
                            .thenComparing(pod -> pod.id().toString()))
                    .forEach(pod -> inbox.add(new Event.PodsAdded(List.of(pod))));
        } else {
            inbox.add(event);
        }
        drain(out);
    }

    private void drain(Outbox out) {
        while (current.isEmpty() && !inbox.isEmpty()) {
            switch (inbox.remove()) {
                case Event.PodsAdded added -> added(added.pods().getFirst(), out);
                case Event.PodChanged changed -> changed(changed.pod(), out);
                case Event.PodGone gone ->
                    pods.known(gone.pod().uid()).ifPresent(pod -> life.gone(pod, out));
                case Event.SourcesReady ready -> sourcesReady(out);
                case Event other -> throw new IllegalStateException("not about pods: " + other);
            }
        }
    }

    private void changed(PodSpec spec, Outbox out) {
        Optional<PodEntry> pod = pods.known(spec.uid());
        if (pod.isPresent()) {
            life.changed(pod.get(), spec, out);
        } else {
            added(spec, out);
        }
    }

    private void added(PodSpec spec, Outbox out) {
        if (pods.known(spec.uid()).isPresent()) {
            changed(spec, out);
            return;
        }
        PodEntry pod = new PodEntry(
                spec,
                container ->
                        Optional.ofNullable(survivors.remove(key(spec.uid(), container.name()))));
        adopt(pod);
        pods.add(pod);
        if (spec.finished()) {
            pod.stage = PodEntry.Stage.FINISHED;
            life.alreadyFinished(pod, out);
        } else if (spec.deletionGrace().isPresent()) {
            life.neverAdmitted(pod, out);
        } else {
            current = Optional.of(new Current(pod, List.copyOf(pod.containers()).iterator()));
            next(out);
        }
    }

    private void next(Outbox out) {
        while (current.isPresent()) {
            Current now = current.get();
            if (!now.rest().hasNext()) {
                fit(now.pod(), out);
                return;
            }
            ContainerEntry container = now.rest().next();
            Allocation allocation =
                    allocator.begin(now.pod().spec, container.spec, container.ranAtStart, false);
            if (!went(allocator.advance(allocation, out), out)) {
                return;
            }
        }
    }

    /** Goes on after a plugin's answer. */
    void resume(Progress progress, Outbox out) {
        if (went(progress, out)) {
            next(out);
        }
        drain(out);
    }

    private boolean went(Progress progress, Outbox out) {
        if (progress instanceof Progress.Failed failed) {
            reject(
                    new FitCheck.Rejection(
                            "UnexpectedAdmissionError",
                            "Allocate failed due to %s, which is unexpected"
                                    .formatted(failed.why())),
                    out);
        }
        return progress instanceof Progress.Done;
    }

    private void fit(PodEntry pod, Outbox out) {
        List<PodEntry> others =
                pods.active().stream().filter(other -> other != pod).toList();
        Optional<FitCheck.Rejection> misfit =
                FitCheck.misfit(pod.spec, others, settings, allocator::lost);
        if (misfit.isPresent()) {
            reject(misfit.get(), out);
        } else {
            current = Optional.empty();
            life.admitted(pod, out);
        }
    }

    private void reject(FitCheck.Rejection rejection, Outbox out) {
        PodEntry pod = current.orElseThrow().pod();
        current = Optional.empty();
        life.rejected(pod, rejection, out);
    }

    private void sourcesReady(Outbox out) {
        pods.complete();
        survivors.keySet().removeAll(ended.keySet());
        survivors
                .values()
                .forEach(orphan -> out.add(
                        new Effect.SignalContainer(orphan.podUid(), orphan.container(), true)));
        survivors.clear();
        ended.clear();
    }
}
