package dev.cede.coordinator.cluster;

import java.util.List;
import java.util.Map;

/**
 * What restricts a pod's choice of node.
 *
 * @param unsupported names of constraints in the spec that Cede cannot judge yet; a pod with one is
 *     refused with a sentence, never misplaced
 */
public record NodeNeeds(
        Map<String, String> nodeSelector, List<Toleration> tolerations, List<String> unsupported) {
    public static final NodeNeeds NONE = new NodeNeeds(Map.of(), List.of(), List.of());

    /**
     * A toleration as in the pod's spec; empty texts mean "not given".
     *
     * @param operator {@code Equal} or {@code Exists}
     */
    public record Toleration(String key, String operator, String value, String effect) {
        public boolean tolerates(Taint taint) {
            boolean sameEffect = effect.isEmpty() || effect.equals(taint.effect());
            boolean sameKey = key.isEmpty() ? operator.equals("Exists") : key.equals(taint.key());
            return sameEffect
                    && sameKey
                    && (operator.equals("Exists") || value.equals(taint.value()));
        }
    }
}
