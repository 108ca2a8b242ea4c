package dev.cede.testbed.kubelet.core;

/**
 * Known weaknesses of real kubelets, each to be had or not.
 *
 * @param keying how a client is found when a stream ends
 * @param chooseErrorLeaks IDs stay in use until the next rebuild where a choice failed after they
 *     were taken, and where Allocate answered for no container
 * @param rebuildForgetsPicks freeing dead pods' devices forgets picks whose Allocate is under way,
 *     so that PodResources List can lead to one ID given twice
 * @param listsOnlyActive PodResources List names only active pods (from 1.34)
 */
public record Quirks(
        ClientKeying keying,
        boolean chooseErrorLeaks,
        boolean rebuildForgetsPicks,
        boolean listsOnlyActive) {

    /** What Kubernetes 1.36 does. */
    public static Quirks of136() {
        return new Quirks(ClientKeying.NAME, true, true, true);
    }

    /** What Kubernetes 1.33 does. */
    public static Quirks of133() {
        return new Quirks(ClientKeying.NAME, true, true, false);
    }
}
