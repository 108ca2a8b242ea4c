package dev.cede.agent;

import dev.cede.config.SettingsException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code agent --config FILE}. */
public final class Main {
    private static final int FAILED = 1;
    private static final int BAD_ARGUMENTS = 2;

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) throws InterruptedException {
        if (arguments.length != 2 || !arguments[0].equals("--config")) {
            System.err.println("agent: it takes --config FILE");
            return BAD_ARGUMENTS;
        }
        try {
            return serve(AgentConfig.read(Path.of(arguments[1])));
        } catch (SettingsException e) {
            System.err.println("agent: " + arguments[1] + ": " + e.getMessage());
            return BAD_ARGUMENTS;
        } catch (IOException e) {
            System.err.println("agent: " + e);
            return FAILED;
        }
    }

    private static int serve(AgentConfig config) throws IOException, InterruptedException {
        Agent agent = Agent.start(config);
        CountDownLatch stop = new CountDownLatch(1);
        AtomicBoolean failed = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(agent, failed), "cede-stop"));
        var unused = agent.failure().thenAccept(reason -> {
            System.err.println("agent: " + reason);
            failed.set(true);
            stop.countDown();
        });
        stop.await();
        return FAILED;
    }

    /** Asked to end, it ends well: the JVM's own status would be that of the signal. */
    private static void stop(Agent agent, AtomicBoolean failed) {
        agent.close();
        if (!failed.get()) {
            Runtime.getRuntime().halt(0);
        }
    }
}
