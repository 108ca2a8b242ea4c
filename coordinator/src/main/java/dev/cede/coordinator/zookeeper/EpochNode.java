package dev.cede.coordinator.zookeeper;

import dev.cede.model.Epoch;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The epoch as it stands in ZooKeeper: the number of the last term and its leader's address, in one
 * node that is only ever changed by compare-and-set.
 */
final class EpochNode {
    private static final Logger LOG = LoggerFactory.getLogger(EpochNode.class);

    private final CuratorFramework client;

    EpochNode(CuratorFramework client) {
        this.client = client;
    }

    /** What was read, with the node's version. */
    record Stored(Epoch epoch, String leader, int version) {}

    /**
     * A term begins: one more than the last, and than any other that is known of, which is larger
     * where ZooKeeper lost its data. Repeats while others change it.
     */
    Stored advance(String leader, Epoch known) throws Exception {
        while (true) {
            Stored last = read();
            Epoch next = new Epoch(Math.max(last.epoch().value(), known.value()) + 1);
            try {
                Stat stat = client.setData()
                        .withVersion(last.version())
                        .forPath(Paths.EPOCH, write(next, leader));
                return new Stored(next, leader, stat.getVersion());
            } catch (KeeperException.BadVersionException e) {
                LOG.debug("somebody else's term, or ours whose answer was lost: one more", e);
            }
        }
    }

    /** Creates the node if it is missing. */
    Stored read() throws Exception {
        Stat stat = new Stat();
        try {
            return parse(client.getData().storingStatIn(stat).forPath(Paths.EPOCH), stat);
        } catch (KeeperException.NoNodeException e) {
            create();
            return parse(client.getData().storingStatIn(stat).forPath(Paths.EPOCH), stat);
        }
    }

    private void create() throws Exception {
        try {
            client.create().creatingParentsIfNeeded().forPath(Paths.EPOCH, write(Epoch.NONE, ""));
        } catch (KeeperException.NodeExistsException e) {
            LOG.debug("another contender was faster; what it wrote is as good", e);
        }
    }

    private static byte[] write(Epoch epoch, String leader) {
        return (epoch + " " + leader).getBytes(StandardCharsets.UTF_8);
    }

    private static Stored parse(byte[] data, Stat stat) {
        String text = new String(data, StandardCharsets.UTF_8);
        int space = text.indexOf(' ');
        if (space < 1) {
            throw new IllegalStateException(Paths.EPOCH + " holds no epoch: " + text);
        }
        Epoch epoch = new Epoch(Long.parseLong(text.substring(0, space)));
        return new Stored(epoch, text.substring(space + 1), stat.getVersion());
    }

    /** The leader's address out of the node's data; empty when there is none. */
    static String leader(byte[] data) {
        return data == null ? "" : parse(data, new Stat()).leader();
    }
}
