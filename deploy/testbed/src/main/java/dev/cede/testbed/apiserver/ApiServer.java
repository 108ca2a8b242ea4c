package dev.cede.testbed.apiserver;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The {@link ApiCore} behind a real socket: plain HTTP on 127.0.0.1, watches as chunked answers.
 * There is no authentication; whoever reaches the port may do anything.
 */
public final class ApiServer implements AutoCloseable {

    /** Seconds after which the JDK's server closes an idle connection; above any client's own. */
    private static final String IDLE_SECONDS = "600";

    static {
        // Without it each small event waits for the peer's delayed acknowledgement, about 40 ms.
        setUnlessSet("sun.net.httpserver.nodelay", "true");
        setUnlessSet("sun.net.httpserver.idleInterval", IDLE_SECONDS);
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SharedCore core;
    private final HttpShell shell;

    private ApiServer(HttpServer server, ApiServerOptions options) {
        this.server = server;
        core = new SharedCore(options);
        shell = new HttpShell(core);
        server.createContext("/", shell);
        server.setExecutor(threads);
        server.start();
    }

    private static void setUnlessSet(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /** Serves from the moment it returns. */
    public static ApiServer start(ApiServerOptions options) throws IOException {
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), options.port());
        return new ApiServer(HttpServer.create(address, 0), options);
    }

    /** Where clients find it, without a slash at the end. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Writes a kubeconfig that kubectl and other clients can use. */
    public void writeKubeconfig(Path file) throws IOException {
        Files.writeString(file, """
                apiVersion: v1
                kind: Config
                current-context: cede
                clusters:
                - name: cede
                  cluster:
                    server: %s
                contexts:
                - name: cede
                  context:
                    cluster: cede
                    user: cede
                    namespace: default
                users:
                - name: cede
                  user: {}
                """.formatted(url()));
    }

    /** Answers a request of this process without a socket; the filter is not asked. */
    public ApiReply handle(ApiRequest request) {
        return core.handle(request);
    }

    /** Gives out a token, which a TokenReview then knows. */
    public String issue(NodeToken token) {
        return core.issue(token);
    }

    /** From now on every request passes this filter. */
    public void setFilter(RequestFilter filter) {
        shell.setFilter(filter);
    }

    /** Ends all watches that are open, as a restart of a real server would. */
    public void dropWatches() {
        core.endWatches();
    }

    @Override
    public void close() {
        core.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
