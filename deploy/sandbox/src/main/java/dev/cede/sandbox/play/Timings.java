package dev.cede.sandbox.play;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** When what happened to each evicted pod and to the one that took its room. */
final class Timings {
    private enum Moment {
        LEAVING("deletion begun"),
        EXITED("its last process ended"),
        FINAL("final phase written"),
        FREE("share measured free"),
        BOUND("winner bound"),
        RUNNING("winner running");

        private final String words;

        Moment(String words) {
            this.words = words;
        }
    }

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

    /** A few lines for each eviction, in milliseconds since the deletion. */
    List<String> lines(World world) {
        List<String> lines = new ArrayList<>();
        world.pods().values().stream()
                .filter(PodSight::evicted)
                .forEach(victim -> lines.addAll(lines(victim)));
        return lines;
    }

    private List<String> lines(PodSight victim) {
        EnumMap<Moment, Duration> times = new EnumMap<>(Moment.class);
        times.putAll(moments.getOrDefault(victim.uid(), new EnumMap<>(Moment.class)));
        times.remove(Moment.BOUND);
        times.remove(Moment.RUNNING);
        Duration start = times.get(Moment.LEAVING);
        if (start == null) {
            return List.of();
        }
        winner(start).ifPresent(found -> {
            times.put(Moment.BOUND, found.get(Moment.BOUND));
            times.put(Moment.RUNNING, found.get(Moment.RUNNING));
        });
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("Eviction of " + victim.name() + ", ms since its deletion was seen:");
        times.forEach((moment, at) -> {
            if (at != null) {
                lines.add("  %6d  %s".formatted(at.minus(start).toMillis(), moment.words));
            }
        });
        return lines;
    }

    /** The last one nominated before this victim had to go. */
    private Optional<EnumMap<Moment, Duration>> winner(Duration start) {
        return nominated.entrySet().stream()
                .filter(entry -> entry.getValue().compareTo(start) <= 0)
                .reduce((earlier, later) -> later)
                .map(entry -> moments.get(entry.getKey()));
    }
}
