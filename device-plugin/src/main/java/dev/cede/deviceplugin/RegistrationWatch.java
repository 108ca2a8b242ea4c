package dev.cede.deviceplugin;

import java.util.Optional;

/**
 * When a plugin must register again. Kubelet never comes back to a plugin by itself: its new
 * socket, our vanished one, a closed or missing stream and a refused registration are all there is
 * to see. Immutable; times are milliseconds that only go forward.
 *
 * @param kubelet the kubelet socket last registered with
 * @param registeredAt when, while registered
 * @param listening whether kubelet's stream is open
 * @param heard whether it was ever open since
 * @param retryAt not before
 * @param failures in a row
 */
record RegistrationWatch(
        Optional<String> kubelet,
        Optional<Long> registeredAt,
        boolean listening,
        boolean heard,
        long retryAt,
        int failures) {
    /** Kubelet opens its stream right after Register; so long without one means it never will. */
    static final long STREAM_MILLIS = 10_000;

    static final long FIRST_RETRY_MILLIS = 200;
    static final long LAST_RETRY_MILLIS = 5_000;

    enum Action {
        NOTHING,
        /** Serve on a new socket, then register it. */
        REGISTER
    }

    static RegistrationWatch fresh() {
        return new RegistrationWatch(Optional.empty(), Optional.empty(), false, false, 0, 0);
    }

    /**
     * @param kubeletSocket identity of the socket file that is there now
     * @param ownSocketThere whether our own still is
     */
    Action decide(Optional<String> kubeletSocket, boolean ownSocketThere, long now) {
        if (kubeletSocket.isEmpty()) {
            return Action.NOTHING;
        }
        boolean newKubelet = !kubeletSocket.equals(kubelet);
        boolean lost = registeredAt.isEmpty() || !ownSocketThere || streamLost(now);
        boolean due = newKubelet || (lost && now >= retryAt);
        return due ? Action.REGISTER : Action.NOTHING;
    }

    private boolean streamLost(long now) {
        return !listening && (heard || now - registeredAt.orElse(now) >= STREAM_MILLIS);
    }

    RegistrationWatch registered(String kubeletSocket, long now) {
        return new RegistrationWatch(
                Optional.of(kubeletSocket),
                Optional.of(now),
                listening,
                heard,
                now + retryDelay(),
                failures + 1);
    }

    RegistrationWatch refused(String kubeletSocket, long now) {
        return new RegistrationWatch(
                Optional.of(kubeletSocket),
                Optional.empty(),
                false,
                false,
                now + retryDelay(),
                failures + 1);
    }

    /** Before a registration: nothing is known of the new server's stream. */
    RegistrationWatch rebinding() {
        return new RegistrationWatch(kubelet, Optional.empty(), false, false, retryAt, failures);
    }

    RegistrationWatch opened() {
        return new RegistrationWatch(kubelet, registeredAt, true, true, retryAt, 0);
    }

    RegistrationWatch closed() {
        return new RegistrationWatch(kubelet, registeredAt, false, heard, retryAt, failures);
    }

    private long retryDelay() {
        return Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(failures, 6));
    }
}
