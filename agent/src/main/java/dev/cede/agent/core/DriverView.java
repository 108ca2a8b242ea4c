package dev.cede.agent.core;

import dev.cede.model.GpuProcess;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The driver as the agent knows it.
 *
 * @param read whether it was read since the agent started
 * @param failure why the last reading failed; empty when it did not
 * @param issued ticket of the latest reading asked for
 * @param reading whether that one is still under way
 * @param nextAt when to read again
 * @param needs pods to be released, and the first ticket that counts for each
 * @param blocking what keeps them
 */
record DriverView(
        boolean read,
        String failure,
        long issued,
        boolean reading,
        long nextAt,
        SortedMap<String, Long> needs,
        SortedMap<String, List<GpuProcess>> blocking,
        List<Attribution> attributions) {

    DriverView {
        needs = Collections.unmodifiableSortedMap(new TreeMap<>(needs));
        blocking = Collections.unmodifiableSortedMap(new TreeMap<>(blocking));
        attributions = List.copyOf(attributions);
    }

    static DriverView unknown(List<Attribution> attributions) {
        return new DriverView(
                false, "", 0, false, 0, new TreeMap<>(), new TreeMap<>(), attributions);
    }

    DriverView started() {
        return new DriverView(
                read, failure, issued + 1, true, nextAt, needs, blocking, attributions);
    }

    DriverView succeeded(long nextAt) {
        return new DriverView(true, "", issued, false, nextAt, needs, blocking, attributions);
    }

    DriverView failed(String reason, long nextAt) {
        return new DriverView(read, reason, issued, false, nextAt, needs, blocking, attributions);
    }

    /** A reading that is under way may have begun too early for this pod. */
    DriverView needing(String podUid) {
        SortedMap<String, Long> next = new TreeMap<>(needs);
        next.putIfAbsent(podUid, issued + 1);
        return new DriverView(read, failure, issued, reading, nextAt, next, blocking, attributions);
    }

    DriverView released(String podUid) {
        SortedMap<String, Long> left = new TreeMap<>(needs);
        SortedMap<String, List<GpuProcess>> unblocked = new TreeMap<>(blocking);
        left.remove(podUid);
        unblocked.remove(podUid);
        List<Attribution> kept = attributions.stream()
                .filter(each -> !each.podUid().equals(podUid))
                .toList();
        return new DriverView(read, failure, issued, reading, nextAt, left, unblocked, kept);
    }

    DriverView blocked(String podUid, List<GpuProcess> processes) {
        SortedMap<String, List<GpuProcess>> next = new TreeMap<>(blocking);
        next.put(podUid, List.copyOf(processes));
        return new DriverView(read, failure, issued, reading, nextAt, needs, next, attributions);
    }

    DriverView attributing(List<Attribution> next) {
        return new DriverView(read, failure, issued, reading, nextAt, needs, blocking, next);
    }
}
