package dev.cede.nvml.sim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A running gpu-hog: a real process that uses simulated cards. It gets its orders from GPU_HOG_
 * variables; {@code gpu-hog --help} lists them.
 */
public final class GpuHog implements AutoCloseable {
    private static final Pattern CHILD = Pattern.compile(" child=(\\d+) ");

    private final Process process;
    private final BufferedReader output;
    private String lastLine = "";

    private GpuHog(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts one; it does not hold anything yet, see {@link #awaitHolding}. */
    public static GpuHog start(SimulatedCards cards, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(NativeBinaries.gpuHog().toString());
        builder.environment().keySet().removeIf(name -> name.startsWith("GPU_HOG_"));
        builder.environment().putAll(cards.environment());
        builder.environment().putAll(environment);
        try {
            return new GpuHog(builder.redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start gpu-hog", e);
        }
    }

    /** One that holds so many MiB of the card at this index. */
    public static GpuHog holding(SimulatedCards cards, int index, long mib) {
        GpuHog hog = start(
                cards,
                Map.of(
                        "GPU_HOG_CARDS",
                        Integer.toString(index),
                        "GPU_HOG_MIB",
                        Long.toString(mib)));
        if (!hog.awaitHolding()) {
            hog.close();
            throw new IllegalStateException("gpu-hog holds nothing: " + hog.lastLine());
        }
        return hog;
    }

    /** Waits for its first line. False where it ended instead; {@link #lastLine} tells why. */
    public boolean awaitHolding() {
        try {
            lastLine = Optional.ofNullable(output.readLine()).orElse("");
            return lastLine.contains(" holds ");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what gpu-hog says", e);
        }
    }

    /** What it said at last. */
    public String lastLine() {
        return lastLine;
    }

    public int pid() {
        return Math.toIntExact(process.pid());
    }

    /** The child that it forked, known once it holds. */
    public OptionalInt childPid() {
        Matcher matcher = CHILD.matcher(lastLine);
        return matcher.find()
                ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
                : OptionalInt.empty();
    }

    /** Asks it to end, as kubelet does first. */
    public void terminate() {
        process.destroy();
    }

    /** Kills it, as kubelet does last; its child lives on. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Its exit code; empty while it still runs after this time. */
    public OptionalInt awaitExit(Duration patience) throws InterruptedException {
        return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)
                ? OptionalInt.of(process.exitValue())
                : OptionalInt.empty();
    }

    /** Ends it and its child at once. */
    @Override
    public void close() {
        childPid()
                .ifPresent(
                        child -> ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly));
        process.destroyForcibly().onExit().join();
    }
}
