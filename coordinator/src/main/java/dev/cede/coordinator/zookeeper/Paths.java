package dev.cede.coordinator.zookeeper;

/** Where things are in ZooKeeper; a chroot in the connect string goes before all of it. */
final class Paths {
    static final String LATCH = "/cede/latch";
    static final String EPOCH = "/cede/epoch";
    static final String PLANS = "/cede/plans";

    private Paths() {}

    static String plan(String id) {
        return PLANS + "/" + id;
    }
}
