package dev.cede.coordinator.simulation;

import dev.cede.testbed.apiserver.ApiRequest;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Objects whose controllers make pods: users make them, change their size and delete them (E1). */
final class Sets {
    private static final String APPS = "/apis/apps/v1/namespaces/default/";

    private enum Kind {
        DEPLOYMENT(APPS + "deployments", "replicas"),
        STATEFUL_SET(APPS + "statefulsets", "replicas"),
        JOB("/apis/batch/v1/namespaces/default/jobs", "parallelism");

        private final String path;
        private final String size;

        Kind(String path, String size) {
            this.path = path;
            this.size = size;
        }
    }

    private record Made(Kind kind, String name) {
        String path() {
            return kind.path + "/" + name;
        }
    }

    private final Workload workload;
    private final Draws draws;
    private final List<Made> made = new ArrayList<>();
    private int names;

    Sets(Workload workload, Draws draws) {
        this.workload = workload;
        this.draws = draws;
    }

    boolean isEmpty() {
        return made.isEmpty();
    }

    void create() {
        Kind kind = draws.pick(List.of(
                Kind.DEPLOYMENT, Kind.DEPLOYMENT, Kind.DEPLOYMENT, Kind.STATEFUL_SET, Kind.JOB));
        String name = "set" + ++names;
        ObjectNode pod = workload.pod(kind == Kind.JOB);
        pod.withObject("metadata").remove("name");
        pod.withObject("metadata").withObject("labels").put("app", name);
        ObjectNode object = Api.object("{'metadata':{'name':'%s'}}".formatted(name));
        ObjectNode spec = object.putObject("spec");
        spec.put(kind.size, draws.count(2, 3)).set("template", pod);
        switch (kind) {
            case DEPLOYMENT -> select(spec, name);
            case STATEFUL_SET -> {
                select(spec, name);
                spec.put("podManagementPolicy", draws.chance(0.7) ? "Parallel" : "OrderedReady");
            }
            case JOB -> spec.put("completions", draws.count(2, 4));
        }
        workload.must(ApiRequest.post(kind.path, object));
        made.add(new Made(kind, name));
    }

    private static void select(ObjectNode spec, String name) {
        spec.putObject("selector").putObject("matchLabels").put("app", name);
    }

    void change() {
        Made one = draws.pick(made);
        if (draws.chance(0.3)) {
            made.remove(one);
            workload.must(ApiRequest.delete(one.path(), Api.object("{}")));
        } else {
            workload.must(ApiRequest.mergePatch(
                    one.path(),
                    Api.object("{'spec':{'%s':%d}}".formatted(one.kind.size, draws.count(0, 3)))));
        }
    }
}
