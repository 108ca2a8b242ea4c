package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher.Action;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Lists, watches and informers. */
abstract class WatchContract extends ApiServerContract {

    /** A version from before all that the server knows of the kind without a past. */
    private static final String FORGOTTEN = "1";

    WatchContract(Supplier<KubernetesClient> server) {
        super(server);
    }

    /** A kind, in namespaces, of which the server cannot tell what was long ago. */
    abstract ResourceDefinitionContext kindWithoutPast();

    /** Writes down what an informer tells. */
    private static final class Told<T extends HasMetadata> implements ResourceEventHandler<T> {

        private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

        @Override
        public void onAdd(T object) {
            news.add("add " + object.getMetadata().getName());
        }

        @Override
        public void onUpdate(T old, T object) {
            news.add("update " + object.getMetadata().getName());
        }

        @Override
        public void onDelete(T object, boolean unknown) {
            news.add("delete " + object.getMetadata().getName());
        }

        @Override
        public void onList(String version, boolean empty) {
            news.add("listed");
        }

        String next() {
            return take(news);
        }

        void until(String last) {
            String heard = next();
            while (!heard.equals(last)) {
                heard = next();
            }
        }
    }

    @Test
    void anInformerHearsOfEverythingThatHappensToAPod() {
        Told<Pod> told = new Told<>();
        try (var informer = client.pods().inNamespace(namespace).inform(told)) {
            told.until("listed");
            ObjectNode pod = createPod();
            assertEquals("add " + name(pod), told.next(), informer::toString);
            ok(binding(pod, ""));
            assertEquals("update " + name(pod), told.next());
            ok(delete(pod, "{}"));
            assertEquals("update " + name(pod), told.next());
            ok(delete(pod, "{'gracePeriodSeconds':0}"));
            // A real server may tell a second mark before the removal.
            told.until("delete " + name(pod));
        }
    }

    @Test
    void aListInPagesIsOneStateOfTheCluster() {
        List<ObjectNode> made = List.of(createPod(), createPod(), createPod());
        String page = pods + "?limit=2&continue=";
        ObjectNode list = get(page);
        Set<String> names = new HashSet<>(namesIn(list));
        assertEquals(2, names.size());
        long left = Json.number(-1, list, "metadata", "remainingItemCount");
        assertTrue(left >= 1, () -> "left are " + left);
        ok(delete(made.getLast(), "{}"));
        createPod();
        String version = version(list);
        int seen = 2;
        while (!next(list).isEmpty()) {
            list = get(page + next(list));
            assertEquals(version, version(list));
            names.addAll(namesIn(list));
            seen += namesIn(list).size();
        }
        made.forEach(pod -> assertTrue(names.contains(name(pod)), names::toString));
        assertEquals(left + 2, seen);
        assertEquals(seen, names.size());
    }

    private static String next(ObjectNode list) {
        return Json.text(list, "metadata", "continue");
    }

    private static List<String> namesIn(ObjectNode list) {
        return Json.objects(list, "items").stream().map(ApiServerContract::name).toList();
    }

    @Test
    void anInformerThatListsInPagesHearsOfAll() {
        List<ObjectNode> made = List.of(createPod(), createPod(), createPod());
        Told<Pod> told = new Told<>();
        try (var informer = client.pods().inNamespace(namespace).withLimit(2L).inform(told)) {
            told.until("listed");
            Set<String> known = new HashSet<>();
            informer.getStore()
                    .list()
                    .forEach(pod -> known.add(pod.getMetadata().getName()));
            made.forEach(pod -> assertTrue(known.contains(name(pod)), known::toString));
        }
    }

    @Test
    void aWatchResumesAtAVersionWithoutMissingOrRepeating() {
        createPod();
        String version = version(get(pods));
        ObjectNode after = createPod();
        ok(binding(after, ""));
        try (PodWatch watch = PodWatch.of(client.pods().inNamespace(namespace), version)) {
            assertEquals("ADDED " + name(after), watch.next().toString());
            assertEquals("MODIFIED " + name(after), watch.next().toString());
            ObjectNode last = createPod();
            assertEquals("ADDED " + name(last), watch.next().toString());
        }
    }

    @Test
    void aWatchOfANodeSeesPodsComeAndOneOfTheUnboundSeesThemGo() {
        String version = version(get(pods));
        var here = client.pods().inNamespace(namespace);
        try (PodWatch bound = PodWatch.of(here.withField("spec.nodeName", NODE), version);
                PodWatch unbound = PodWatch.of(here.withField("spec.nodeName", ""), version)) {
            ObjectNode pod = createPod();
            assertEquals("ADDED " + name(pod), unbound.next().toString());
            ok(binding(pod, ""));
            assertEquals("DELETED " + name(pod), unbound.next().toString());
            assertEquals("ADDED " + name(pod), bound.next().toString());
            ok(delete(pod, "{}"));
            assertEquals("MODIFIED " + name(pod), bound.next().toString());
        }
    }

    @Test
    void bookmarksTellHowFarAWatchIs() {
        ListOptions options = new ListOptionsBuilder()
                .withResourceVersion(version(get(pods)))
                .withAllowWatchBookmarks(true)
                .withTimeoutSeconds(4L)
                .build();
        try (PodWatch watch = PodWatch.of(client.pods().inNamespace(namespace), options)) {
            ObjectNode pod = createPod();
            assertEquals("ADDED " + name(pod), watch.next().toString());
            PodWatch.Heard bookmark = watch.next();
            assertEquals(Action.BOOKMARK, bookmark.action());
            long version = Long.parseLong(bookmark.pod().getMetadata().getResourceVersion());
            assertTrue(version >= Long.parseLong(version(pod)), () -> version + " of " + pod);
        }
    }

    // What is forgotten

    /** The answer is good, and then there is one event. */
    @Test
    void aWatchFromAVersionThatIsForgottenEndsWithOneErrorOfAnExpiredVersion() {
        ResourceDefinitionContext kind = kindWithoutPast();
        String root = kind.getGroup() == null ? "/api" : "/apis/" + kind.getGroup();
        ApiReply reply = ask(ApiRequest.get("%s/%s/namespaces/%s/%s?watch=true&resourceVersion=%s"
                .formatted(root, kind.getVersion(), namespace, kind.getPlural(), FORGOTTEN)));
        assertEquals(200, reply.code());
        assertEquals("ERROR", Json.text(reply.body(), "type"));
        assertEquals("Expired", Json.text(reply.body(), "object", "reason"));
        assertEquals(410, Json.number(-1, reply.body(), "object", "code"));
    }

    @Test
    void anInformerWhoseVersionIsForgottenListsAgain() {
        create("before");
        Told<GenericKubernetesResource> told = new Told<>();
        try (KubernetesClient late = new KubernetesClientBuilder()
                        .withConfig(client.getConfiguration())
                        .withHttpClientBuilderConsumer(http ->
                                http.addOrReplaceInterceptor("late", new LateUntilItListsAgain()))
                        .build();
                var informer = late.genericKubernetesResources(kindWithoutPast())
                        .inNamespace(namespace)
                        .inform(told)) {
            told.until("listed");
            create("meanwhile");
            told.until("listed");
            create("after");
            told.until("add after");
            Set<String> known = new HashSet<>();
            informer.getStore()
                    .list()
                    .forEach(object -> known.add(object.getMetadata().getName()));
            assertTrue(known.containsAll(List.of("before", "meanwhile", "after")), known::toString);
        }
    }

    private void create(String name) {
        ResourceDefinitionContext kind = kindWithoutPast();
        String group = kind.getGroup() == null ? "" : kind.getGroup() + "/";
        client.genericKubernetesResources(kind)
                .inNamespace(namespace)
                .resource(new GenericKubernetesResourceBuilder()
                        .withApiVersion(group + kind.getVersion())
                        .withKind(kind.getKind())
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    /** Makes a client's watches as late as those of one that was away for a day. */
    private static final class LateUntilItListsAgain implements Interceptor {

        private final AtomicInteger lists = new AtomicInteger();

        @Override
        public void before(BasicBuilder request, HttpRequest asked, RequestTags tags) {
            String uri = asked.uri().toString();
            if (!uri.contains("watch=true")) {
                lists.incrementAndGet();
            } else if (lists.get() == 1) {
                request.uri(URI.create(uri.replaceFirst(
                        "resourceVersion=[0-9]+", "resourceVersion=" + FORGOTTEN)));
            }
        }
    }
}
