package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Resources;
import dev.cede.testbed.apiserver.ApiReply;
import dev.cede.testbed.apiserver.ApiRequest;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What users do: they create, scale and delete; some pods end by themselves. */
final class Workload {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final List<Integer> PRIORITIES = List.of(0, 0, 100, 1_000);

    /** A longer queue of those that find no room shows nothing new. */
    private static final int MOST_WAITING = 4;

    private final World world;
    private final Draws draws;
    private final int mostUnits;
    private final int mostPods;
    private final Gangs gangs;
    private final Sets sets;
    private int names;

    Workload(World world, Draws draws, int mostUnits, int mostPods) {
        this.world = world;
        this.draws = draws;
        this.mostUnits = mostUnits;
        this.mostPods = mostPods;
        this.gangs = new Gangs(world, this, Draws.of(draws.seed(), "gangs"));
        this.sets = new Sets(this, Draws.of(draws.seed(), "sets"));
    }

    void start() {
        for (int priority : List.of(0, 100, 1_000)) {
            must(ApiRequest.post(
                    "/apis/scheduling.k8s.io/v1/priorityclasses",
                    Api.object(
                            "{'metadata':{'name':'p" + priority + "'},'value':" + priority + "}")));
        }
        world.time.after(draws.between(500, 3_000), this::act);
    }

    void must(ApiRequest request) {
        ApiReply reply = world.api.call(request);
        if (!reply.isSuccess()) {
            throw new IllegalStateException(request + " gave " + reply);
        }
    }

    private void act() {
        if (world.time.now() >= Faults.END) {
            return;
        }
        List<PodFacts> pods = world.api.allPods();
        long live = pods.stream().filter(pod -> !pod.finished()).count();
        long waiting =
                pods.stream().filter(pod -> !pod.finished() && !pod.bound()).count();
        boolean room = live < mostPods && waiting < MOST_WAITING;
        long draw = draws.between(0, 99);
        if (pods.isEmpty() || (draw < 50 && room)) {
            createPod(pod(draws.chance(0.3)));
        } else if (draw < 65 && room) {
            sets.create();
        } else if (draw < 80 && room) {
            gangs.create();
        } else if (draw < 90) {
            delete(draws.pick(pods), draws.chance(0.2));
        } else if (!sets.isEmpty()) {
            sets.change();
        }
        world.time.after(draws.skewed(50, 4_000), this::act);
    }

    /** A pod with a name of its own. */
    ObjectNode pod(boolean ends) {
        ObjectNode pod = Api.object("{'metadata':{'name':'pod" + ++names + "'}}");
        ObjectNode labels = pod.withObject("metadata").putObject("labels");
        label(labels, ends);
        int cards = draws.chance(0.1) ? 2 : 1;
        if (cards > 1) {
            labels.put(Resources.GPU_NUMBER, Integer.toString(cards));
        }
        pod.set("spec", spec(ends ? "Never" : "Always", cards));
        return pod;
    }

    /** Asks for the same. */
    void likeness(ObjectNode pod, ObjectNode of) {
        pod.set("spec", of.get("spec").deepCopy());
        ObjectNode labels = pod.withObject("metadata").withObject("labels");
        labels.remove(Resources.GPU_NUMBER);
        JsonNode cards = of.path("metadata").path("labels").path(Resources.GPU_NUMBER);
        if (!cards.isMissingNode()) {
            labels.set(Resources.GPU_NUMBER, cards);
        }
    }

    void createPod(ObjectNode pod) {
        must(ApiRequest.post(PODS, pod));
    }

    private void label(ObjectNode labels, boolean ends) {
        long draw = draws.between(0, 9);
        labels.put("manner", draw < 7 ? "OBEYS" : draw < 9 ? "SLOW" : "CLINGS");
        labels.put("ends", Long.toString(ends ? draws.between(500, 15_000) : 0));
    }

    private ObjectNode spec(String restartPolicy, int cards) {
        ObjectNode spec = Api.TREES.createObjectNode();
        spec.put("schedulerName", "volcano")
                .put("priorityClassName", "p" + draws.pick(PRIORITIES))
                .put("restartPolicy", restartPolicy)
                .put("terminationGracePeriodSeconds", draws.between(1, 4));
        int containers = draws.chance(0.15) ? 2 : 1;
        boolean core = draws.chance(0.35);
        for (int i = 0; i < containers; i++) {
            ObjectNode container = spec.withArray("containers").addObject();
            container.put("name", "c" + i).put("image", "hog");
            ObjectNode limits = container.putObject("resources").putObject("limits");
            long units = draws.between(1, containers == 1 ? mostUnits : mostUnits / 2);
            limits.put(Resources.MEMORY, Long.toString(cards * units));
            if (core) {
                long percentage = draws.between(1, 20 / containers) * 5;
                limits.put(Resources.CORE, Long.toString(cards * percentage));
            }
        }
        return spec;
    }

    private void delete(PodFacts pod, boolean force) {
        world.tally.count(force ? "pods deleted by force" : "pods deleted");
        world.api.call(ApiRequest.delete(
                PODS + "/" + pod.ref().name(),
                Api.object(force ? "{'gracePeriodSeconds':0}" : "{}")));
    }

    /** How the processes of a pod end. */
    static Driver.Manner manner(PodFacts pod) {
        return Driver.Manner.valueOf(pod.labels().getOrDefault("manner", "OBEYS"));
    }

    static long endsAfter(PodFacts pod) {
        return Long.parseLong(pod.labels().getOrDefault("ends", "0"));
    }
}
