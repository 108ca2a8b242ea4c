package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Kubelet as the agent knows it.
 *
 * @param listening resources whose stream is open
 * @param read whether its checkpoint was read since the agent started
 * @param reading whether it is being read
 * @param nextReadAt when to read it again
 * @param startedAt when it started: what was granted before and is not in its checkpoint is lost
 * @param metAt when it or this agent last started: an answer that was on its way then may be lost
 * @param settledAt from when it gives devices of dead pods out again after its start
 * @param starts containers that wait to be identified
 * @param wholeCards devices that the vendor's own plugin gave out, by pod UID (B12)
 */
record KubeletView(
        SortedSet<DeviceKind> listening,
        boolean read,
        boolean reading,
        long nextReadAt,
        long startedAt,
        long metAt,
        long settledAt,
        List<WaitingStart> starts,
        SortedMap<String, SortedSet<String>> wholeCards) {

    /** A container about to start, and until when it may wait. */
    record WaitingStart(long call, DeviceKind kind, List<String> ids, long until) {}

    KubeletView {
        listening = Collections.unmodifiableSortedSet(new TreeSet<>(listening));
        starts = List.copyOf(starts);
        wholeCards = Collections.unmodifiableSortedMap(new TreeMap<>(wholeCards));
    }

    static KubeletView unknown() {
        return new KubeletView(
                new TreeSet<>(),
                false,
                false,
                0,
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                List.of(),
                new TreeMap<>());
    }

    KubeletView listening(DeviceKind kind, boolean open) {
        SortedSet<DeviceKind> next = new TreeSet<>(listening);
        if (open) {
            next.add(kind);
        } else {
            next.remove(kind);
        }
        return new KubeletView(
                next, read, reading, nextReadAt, startedAt, metAt, settledAt, starts, wholeCards);
    }

    KubeletView startedReading() {
        return new KubeletView(
                listening, read, true, nextReadAt, startedAt, metAt, settledAt, starts, wholeCards);
    }

    KubeletView finishedReading(boolean success, long nextAt) {
        return new KubeletView(
                listening,
                read || success,
                false,
                nextAt,
                startedAt,
                metAt,
                settledAt,
                starts,
                wholeCards);
    }

    KubeletView started(long at, long now) {
        return new KubeletView(
                listening, read, reading, nextReadAt, at, now, settledAt, starts, wholeCards);
    }

    KubeletView settlingUntil(long at) {
        return new KubeletView(
                listening, read, reading, nextReadAt, startedAt, metAt, at, starts, wholeCards);
    }

    KubeletView waiting(WaitingStart start) {
        List<WaitingStart> next = new ArrayList<>(starts);
        next.add(start);
        return withStarts(next);
    }

    KubeletView withStarts(List<WaitingStart> next) {
        return new KubeletView(
                listening,
                read,
                reading,
                nextReadAt,
                startedAt,
                metAt,
                settledAt,
                next,
                wholeCards);
    }

    KubeletView withWholeCards(SortedMap<String, SortedSet<String>> now) {
        return new KubeletView(
                listening, read, reading, nextReadAt, startedAt, metAt, settledAt, starts, now);
    }
}
