package dev.cede.sandbox.eyes;

import dev.cede.sandbox.play.PodSight;
import dev.cede.sandbox.play.Sighting;
import dev.cede.v1.ListNodeCardsResponse;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Puts what the eyes see into one row, each with its time. */
final class Witness implements ApiEye.Listener, AutoCloseable {
    /** How exactly the end of a pod's processes is known. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final Supplier<Duration> clock;
    private final Consumer<Sighting> row;
    private final LiveProcesses alive;

    /** UIDs of pods whose processes are followed. */
    private final Set<String> followed = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    Witness(Supplier<Duration> clock, Consumer<Sighting> row, LiveProcesses alive) {
        this.clock = clock;
        this.row = row;
        this.alive = alive;
    }

    @Override
    public void pod(Pod pod) {
        PodSight sight = Sights.pod(pod);
        row.accept(new Sighting.PodSeen(clock.get(), sight));
        if (sight.phase().equals("Running") && followed.add(sight.uid())) {
            follow(sight.uid());
        }
    }

    private void follow(String uid) {
        List<PodProcess> processes = alive.byPod().getOrDefault(uid, List.of());
        if (processes.isEmpty()) {
            followed.remove(uid); // seen again with its next change
            return;
        }
        Thread.ofVirtual().name("follow-" + uid).start(() -> awaitEnd(uid, processes));
    }

    private void awaitEnd(String uid, List<PodProcess> processes) {
        while (!closed && processes.stream().anyMatch(PodProcess::lives)) {
            LockSupport.parkNanos(LOOK.toNanos());
        }
        if (!closed) {
            row.accept(new Sighting.ProcessesEnded(clock.get(), uid));
        }
    }

    @Override
    public void podGone(Pod pod) {
        row.accept(new Sighting.PodGone(clock.get(), pod.getMetadata().getUid()));
    }

    @Override
    public void event(Event event) {
        String about = event.getInvolvedObject() == null
                ? ""
                : event.getInvolvedObject().getName();
        row.accept(
                new Sighting.EventSeen(clock.get(), event.getReason(), about, event.getMessage()));
    }

    void cards(ListNodeCardsResponse response) {
        SortedMap<String, Integer> living = new TreeMap<>();
        alive.byPod().forEach((uid, processes) -> living.put(uid, processes.size()));
        row.accept(new Sighting.CardsSeen(clock.get(), Sights.node(response), living));
    }

    /** Follows nobody any more. */
    @Override
    public void close() {
        closed = true;
    }
}
