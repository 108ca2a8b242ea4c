package dev.cede.sandbox.gang;

import dev.cede.sandbox.cluster.Await;
import dev.cede.testbed.apiserver.ApiReply;
import dev.cede.testbed.apiserver.ApiRequest;
import dev.cede.testbed.apiserver.ApiServer;
import dev.cede.testbed.apiserver.RequestFilter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Stands before the stand-in's API server: holds calls of one kind, so that a test can kill at a
 * step that is too short to hit, can be away altogether, and notes what was done.
 */
final class Gate implements RequestFilter {
    /** What is held and noted. */
    enum Call {
        /** The coordinator says on a victim why it goes. */
        MARK,
        /** It deletes a victim. */
        EVICT,
        /** It binds a member of the gang. */
        BIND,
        /** Kubelet says that a member runs. */
        START
    }

    private static final Pattern POD = Pattern.compile(".*/pods/([^/]+)(/.*)?");
    private static final Pattern RUNS = Pattern.compile("\"phase\"\\s*:\\s*\"Running\"");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Call, List<String>> done = new EnumMap<>(Call.class);
    private ApiServer server;
    private Optional<Hold> hold = Optional.empty();
    private boolean away;

    /** Calls of a kind, all but the first few of which wait. */
    final class Hold {
        private final Call kind;
        private int free;
        private int waiting;
        private boolean over;
        private boolean lost;

        private Hold(Call kind, int free) {
            this.kind = kind;
            this.free = free;
        }

        void await(int count) {
            Await.until(count + " calls wait: " + kind, () -> waiting() == count);
        }

        private int waiting() {
            lock.lock();
            try {
                return waiting;
            } finally {
                lock.unlock();
            }
        }

        /** Those that wait arrive now, whoever sent them. */
        void letGo() {
            end(false);
        }

        /** Those that wait never arrive. */
        void lose() {
            end(true);
        }

        private void end(boolean theyAreLost) {
            lock.lock();
            try {
                over = true;
                lost = theyAreLost;
                hold = Optional.empty();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The lock is held. */
        private void pass() throws IOException {
            if (free > 0) {
                free--;
                return;
            }
            waiting++;
            while (!over) {
                changed.awaitUninterruptibly();
            }
            if (lost) {
                throw new IOException("the call is lost");
            }
        }
    }

    /** All that is asked of it passes here from now on. */
    void standBefore(ApiServer guarded) {
        server = guarded;
        server.setFilter(this);
    }

    /** @param free so many of them pass */
    Hold hold(Call kind, int free) {
        lock.lock();
        try {
            Hold begun = new Hold(kind, free);
            hold = Optional.of(begun);
            return begun;
        } finally {
            lock.unlock();
        }
    }

    /** Until it is back nobody is answered. */
    void away(boolean isAway) {
        lock.lock();
        try {
            away = isAway;
        } finally {
            lock.unlock();
        }
    }

    /** Names of the pods for which such calls had success, in order; a name for each call. */
    List<String> done(Call kind) {
        lock.lock();
        try {
            return List.copyOf(done.getOrDefault(kind, List.of()));
        } finally {
            lock.unlock();
        }
    }

    void letAllPass() {
        lock.lock();
        try {
            hold.ifPresent(Hold::letGo);
            away = false;
        } finally {
            lock.unlock();
        }
    }

    /** What was done until now is not told any more. */
    void forget() {
        lock.lock();
        try {
            done.clear();
        } finally {
            lock.unlock();
        }
    }

    void awaitDone(Call kind, int count) {
        Await.until(count + " calls are done: " + kind, () -> done(kind).size() == count);
    }

    @Override
    public Optional<ApiReply> answerInstead(ApiRequest request) throws IOException {
        Optional<Call> kind = kind(request);
        letIn(kind);
        return kind.map(noted -> answer(noted, request));
    }

    private void letIn(Optional<Call> kind) throws IOException {
        lock.lock();
        try {
            Optional<Hold> holding = hold.filter(mine -> Optional.of(mine.kind).equals(kind));
            if (!away && holding.isPresent()) {
                holding.get().pass();
            }
            if (away) {
                throw new IOException("the API server is away");
            }
        } finally {
            lock.unlock();
        }
    }

    private ApiReply answer(Call kind, ApiRequest request) {
        ApiReply reply = server.handle(request);
        if (reply.isSuccess()) {
            lock.lock();
            try {
                done.computeIfAbsent(kind, first -> new ArrayList<>()).add(pod(request));
            } finally {
                lock.unlock();
            }
        }
        return reply;
    }

    private static Optional<Call> kind(ApiRequest request) {
        String call = request.method() + POD.matcher(request.path()).replaceFirst("$2");
        return switch (call) {
            case "POST/binding" -> Optional.of(Call.BIND).filter(bind -> isMember(request));
            // Kubelet and persons name no version.
            case "DELETE" ->
                Optional.of(Call.EVICT).filter(evict -> request.body().contains("resourceVersion"));
            // Only coordinators patch by strategic merge.
            case "PATCH/status" ->
                request.contentType().contains("strategic")
                        ? Optional.of(Call.MARK)
                                .filter(mark -> request.body().contains("DisruptionTarget"))
                        : Optional.of(Call.START).filter(start -> says(request, RUNS));
            default -> Optional.empty();
        };
    }

    private static boolean says(ApiRequest request, Pattern words) {
        return isMember(request) && words.matcher(request.body()).find();
    }

    private static boolean isMember(ApiRequest request) {
        return pod(request).startsWith(GangWorld.GANG);
    }

    private static String pod(ApiRequest request) {
        return POD.matcher(request.path()).replaceFirst("$1");
    }
}
