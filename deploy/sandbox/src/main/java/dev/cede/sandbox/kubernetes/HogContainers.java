package dev.cede.sandbox.kubernetes;

import dev.cede.testbed.cluster.TestCluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.apps.Deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the containers of a manifest run gpu-hog, each holding what its limits allow. */
public final class HogContainers {
    private static final String MEMORY = "volcano.sh/gpu-mem.128Mi";

    /** Where a container with a share finds its limits. */
    private static final EnvVar LIMITED =
            new EnvVar("GPU_HOG_LIMIT_FILE", "/var/run/cede/limits", null);

    /** One without has no card, and just lives. */
    private static final EnvVar NOTHING = new EnvVar("GPU_HOG_MIB", "0", null);

    private HogContainers() {}

    public static HasMetadata in(HasMetadata object) {
        podSpec(object).ifPresent(HogContainers::change);
        return object;
    }

    private static Optional<PodSpec> podSpec(HasMetadata object) {
        return switch (object) {
            case Pod pod -> Optional.of(pod.getSpec());
            case Deployment deployment ->
                Optional.of(deployment.getSpec().getTemplate().getSpec());
            default -> Optional.empty();
        };
    }

    private static void change(PodSpec spec) {
        spec.setAutomountServiceAccountToken(false);
        spec.getInitContainers().forEach(HogContainers::change);
        spec.getContainers().forEach(HogContainers::change);
    }

    private static void change(Container container) {
        container.setImage(TestCluster.GPU_HOG_IMAGE);
        container.setImagePullPolicy("Never");
        container.setCommand(List.of());
        container.setArgs(List.of());
        List<EnvVar> env = new ArrayList<>(container.getEnv());
        env.add(hasShare(container) ? LIMITED : NOTHING);
        container.setEnv(env);
    }

    private static boolean hasShare(Container container) {
        ResourceRequirements resources = container.getResources();
        return resources != null
                && resources.getLimits() != null
                && resources.getLimits().containsKey(MEMORY);
    }
}
