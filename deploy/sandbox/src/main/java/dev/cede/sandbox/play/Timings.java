package dev.cede.sandbox.play;

import dev.cede.sandbox.play.Eviction.Moment;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** When what happened to each evicted pod and to the one that took its room. */
final class Timings {
    /** By pod UID. */
    private final Map<String, EnumMap<Moment, Duration>> moments = new LinkedHashMap<>();

    /** UIDs of pods that had a nominated node, when it was first seen. */
    private final Map<String, Duration> nominated = new LinkedHashMap<>();

    void note(World before, Sighting sighting, World after) {
        switch (sighting) {
            case Sighting.PodSeen seen -> notePod(seen.at(), seen.pod());
            case Sighting.CardsSeen seen ->
                before.lastCards().keySet().stream()
                        .filter(uid -> before.inBooks(uid) && !after.inBooks(uid))
                        .forEach(uid -> first(uid, Moment.FREE, seen.at()));
            case Sighting.ProcessesEnded ended -> first(ended.uid(), Moment.EXITED, ended.at());
            case Sighting.PodGone gone -> first(gone.uid(), Moment.FINAL, gone.at());
            case Sighting.EventSeen event -> {}
            case Sighting.PartEnded ended -> {}
        }
    }

    private void notePod(Duration at, PodSight pod) {
        if (!pod.nominatedNode().isEmpty()) {
            nominated.putIfAbsent(pod.uid(), at);
        }
        if (pod.terminating()) {
            first(pod.uid(), Moment.LEAVING, at);
        }
        if (pod.finished()) {
            first(pod.uid(), Moment.FINAL, at);
        }
        if (!pod.node().isEmpty()) {
            first(pod.uid(), Moment.BOUND, at);
        }
        if (pod.phase().equals("Running")) {
            first(pod.uid(), Moment.RUNNING, at);
        }
    }

    private void first(String uid, Moment moment, Duration at) {
        moments.computeIfAbsent(uid, key -> new EnumMap<>(Moment.class)).putIfAbsent(moment, at);
    }

    /** Of all pods that were evicted, by name. */
    List<Eviction> evictions(World world) {
        return world.pods().values().stream()
                .filter(PodSight::evicted)
                .flatMap(victim -> eviction(victim).stream())
                .toList();
    }

    private Optional<Eviction> eviction(PodSight victim) {
        EnumMap<Moment, Duration> times = new EnumMap<>(Moment.class);
        times.putAll(moments.getOrDefault(victim.uid(), new EnumMap<>(Moment.class)));
        if (!times.containsKey(Moment.LEAVING)) {
            return Optional.empty();
        }
        Optional<EnumMap<Moment, Duration>> winner = winner(times.get(Moment.LEAVING));
        for (Moment moment : List.of(Moment.BOUND, Moment.RUNNING)) {
            times.remove(moment); // the victim's own
            winner.map(found -> found.get(moment)).ifPresent(at -> times.put(moment, at));
        }
        return Optional.of(new Eviction(victim.name(), new TreeMap<>(times)));
    }

    /** The last one nominated before this victim had to go. */
    private Optional<EnumMap<Moment, Duration>> winner(Duration start) {
        return nominated.entrySet().stream()
                .filter(entry -> entry.getValue().compareTo(start) <= 0)
                .reduce((earlier, later) -> later)
                .map(entry -> moments.get(entry.getKey()));
    }
}
