package dev.cede.testbed.kubelet.sockets;

/** A token bucket: so many calls a second, and so many at once. */
final class RateLimit {
    private static final double NANOS_A_SECOND = 1e9;

    private final double perSecond;
    private final double burst;
    private double tokens;
    private long filled;

    RateLimit(double perSecond, double burst, long nowNanos) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.tokens = burst;
        this.filled = nowNanos;
    }

    synchronized boolean take(long nowNanos) {
        tokens = Math.min(burst, tokens + (nowNanos - filled) / NANOS_A_SECOND * perSecond);
        filled = nowNanos;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
