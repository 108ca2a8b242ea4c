package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the stand-in does and a real server cannot be asked to. */
@Timeout(120)
class ApiServerIT {

    private final ApiServer server = start();

    private static ApiServer start() {
        try {
            return ApiServer.start(ApiServerOptions.defaults());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private KubernetesClient connect() {
        return connect(true);
    }

    private KubernetesClient connect(boolean onlyHttpWatches) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl(server.url().toString())
                        .withOnlyHttpWatches(onlyHttpWatches)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aClientThatTriesAWebSocketFirstFallsBackToHttp() throws InterruptedException {
        CountDownLatch heard = new CountDownLatch(1);
        try (KubernetesClient client = connect(false);
                var watch = client.pods().inNamespace("default").watch(new Watcher<Pod>() {
                    @Override
                    public void eventReceived(Action action, Pod pod) {
                        heard.countDown();
                    }

                    @Override
                    public void onClose(WatcherException cause) {}
                })) {
            server.handle(
                    ApiRequest.post(CoreFixture.PODS, CoreFixture.json(CoreFixture.podText("p"))));
            assertTrue(heard.await(60, TimeUnit.SECONDS), "no event through " + watch);
        }
    }

    @Test
    void aFilterCanAnswerInsteadOfTheCore() {
        server.setFilter(request -> request.path().endsWith("/nodes")
                ? Optional.of(
                        new ApiReply(503, Json.newObject().put("kind", "Status").put("code", 503)))
                : Optional.empty());
        try (KubernetesClient client = connect()) {
            int code = assertThrows(
                            KubernetesClientException.class,
                            () -> client.nodes().list())
                    .getCode();
            assertEquals(503, code);
            client.pods().inNamespace("default").list();
        }
    }

    @Test
    void anInformerGoesOnAfterItsWatchWasDropped() throws InterruptedException {
        CountDownLatch heard = new CountDownLatch(1);
        ResourceEventHandler<Pod> handler = new ResourceEventHandler<>() {
            @Override
            public void onAdd(Pod pod) {
                heard.countDown();
            }

            @Override
            public void onUpdate(Pod old, Pod pod) {}

            @Override
            public void onDelete(Pod pod, boolean unknown) {}
        };
        try (KubernetesClient client = connect();
                var informer = client.pods().inNamespace("default").inform(handler)) {
            server.dropWatches();
            server.handle(
                    ApiRequest.post(CoreFixture.PODS, CoreFixture.json(CoreFixture.podText("p"))));
            assertTrue(heard.await(60, TimeUnit.SECONDS), () -> "no pod through " + informer);
        }
    }
}
