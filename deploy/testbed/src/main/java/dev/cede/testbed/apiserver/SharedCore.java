package dev.cede.testbed.apiserver;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ObjectNode;

/** One core used by many threads: a lock around it, and a signal when something changed. */
final class SharedCore {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final InstantSource clock;
    private final ApiCore core;
    private long watchEra;
    private boolean closed;

    SharedCore(ApiServerOptions options) {
        clock = options.clock();
        core = new ApiCore(options.seed(), options.history(), clock.instant());
    }

    ApiReply handle(ApiRequest request) {
        lock.lock();
        try {
            long before = core.revision();
            ApiReply reply = core.handle(request, clock.instant());
            if (core.revision() != before) {
                changed.signalAll();
            }
            return reply;
        } finally {
            lock.unlock();
        }
    }

    String issue(NodeToken token) {
        lock.lock();
        try {
            return core.issue(token);
        } finally {
            lock.unlock();
        }
    }

    /** A watch if the request asks for one. */
    Optional<OpenWatch> watch(ApiRequest request) {
        lock.lock();
        try {
            return core.watch(request, clock.instant())
                    .map(watch -> new OpenWatch(watch, watchEra));
        } finally {
            lock.unlock();
        }
    }

    void endWatches() {
        lock.lock();
        try {
            watchEra++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** A watch that a thread can wait on. */
    final class OpenWatch {

        private final Watch watch;
        private final long era;

        private OpenWatch(Watch watch, long era) {
            this.watch = watch;
            this.era = era;
        }

        /** Whether it has ended: by an error, by {@link #endWatches} or with the server. */
        boolean isOver() {
            lock.lock();
            try {
                return closed || era != watchEra || watch.isOver();
            } finally {
                lock.unlock();
            }
        }

        /** The next events; empty when the time is up or the watch is over. */
        List<ObjectNode> await(long nanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long left = nanos;
                while (!isOver()) {
                    List<ObjectNode> events = watch.poll(clock.instant());
                    if (!events.isEmpty() || left <= 0) {
                        return events;
                    }
                    left = changed.awaitNanos(left);
                }
                return List.of();
            } finally {
                lock.unlock();
            }
        }

        Optional<ObjectNode> bookmark() {
            lock.lock();
            try {
                return watch.bookmark();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The bookmark interval of a real server is about a minute. */
    static final long BOOKMARK_NANOS = TimeUnit.MINUTES.toNanos(1);
}
