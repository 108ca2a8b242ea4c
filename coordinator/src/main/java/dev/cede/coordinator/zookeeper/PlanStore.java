package dev.cede.coordinator.zookeeper;

import dev.cede.coordinator.loop.SavedPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Saved plans. Every change checks, in its transaction, that the term is still ours. */
final class PlanStore {
    private static final Logger LOG = LoggerFactory.getLogger(PlanStore.class);

    private final CuratorFramework client;

    PlanStore(CuratorFramework client) {
        this.client = client;
    }

    /** What a transaction, or reading back after one, has shown. */
    enum Outcome {
        DONE,
        /** The plan is not as asked for, and will not be by this transaction. */
        NOT_DONE,
        /** Epoch or latch are not ours any more. */
        NOT_OURS,
        /** It may have been carried out. */
        UNANSWERED
    }

    /** All open plans, in the order of their names. */
    List<SavedPlan> open() throws Exception {
        client.sync().forPath(Paths.PLANS);
        List<SavedPlan> plans = new ArrayList<>();
        for (String id :
                client.getChildren().forPath(Paths.PLANS).stream().sorted().toList()) {
            Optional<byte[]> data = read(id);
            data.ifPresent(bytes -> plans.add(parse(id, bytes)));
        }
        return plans;
    }

    private static SavedPlan parse(String id, byte[] data) {
        try {
            return PlanCodec.read(data);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(Paths.plan(id) + ": " + e.getMessage(), e);
        }
    }

    void ensureExists() throws Exception {
        try {
            client.create().creatingParentsIfNeeded().forPath(Paths.PLANS, new byte[0]);
        } catch (KeeperException.NodeExistsException e) {
            LOG.debug("it exists, as it should", e);
        }
    }

    Outcome save(Term term, String id, byte[] data) throws Exception {
        Outcome outcome = commit(term, creation(id, data));
        return outcome == Outcome.NOT_DONE ? readBack(id, data) : outcome;
    }

    /** Removes the old ones and creates the other, or nothing of it. */
    Outcome replace(Term term, List<String> old, String id, byte[] data) throws Exception {
        List<CuratorOp> changes = new ArrayList<>();
        for (String removed : old) {
            changes.add(removal(removed));
        }
        changes.add(creation(id, data));
        Outcome outcome = commit(term, changes.toArray(CuratorOp[]::new));
        return outcome == Outcome.NOT_DONE ? readBack(id, data) : outcome;
    }

    private CuratorOp creation(String id, byte[] data) throws Exception {
        return client.transactionOp().create().forPath(Paths.plan(id), data);
    }

    private CuratorOp removal(String id) throws Exception {
        return client.transactionOp().delete().forPath(Paths.plan(id));
    }

    /** After a save without an answer: what became of it; the read follows all earlier writes. */
    Outcome readBack(String id, byte[] data) throws Exception {
        try {
            client.sync().forPath(Paths.plan(id));
            return read(id).filter(found -> Arrays.equals(found, data)).isPresent()
                    ? Outcome.DONE
                    : Outcome.NOT_DONE;
        } catch (KeeperException e) {
            return unanswered(e);
        }
    }

    /** Removing what is gone already is done as well. */
    Outcome close(Term term, String id) throws Exception {
        Outcome outcome = commit(term, removal(id));
        return outcome == Outcome.NOT_DONE ? Outcome.DONE : outcome;
    }

    private Outcome commit(Term term, CuratorOp... changes) throws Exception {
        CuratorOp epoch =
                client.transactionOp().check().withVersion(term.version()).forPath(Paths.EPOCH);
        CuratorOp latch = client.transactionOp().check().forPath(term.latch());
        List<CuratorOp> all = new ArrayList<>(List.of(epoch, latch));
        all.addAll(List.of(changes));
        try {
            client.transaction().forOperations(all);
            return Outcome.DONE;
        } catch (KeeperException e) {
            List<OpResult> results = e.getResults();
            if (results == null) {
                return unanswered(e);
            }
            return failed(results, 0) || failed(results, 1) ? Outcome.NOT_OURS : Outcome.NOT_DONE;
        }
    }

    /** The failed one carries its code; those after it say only that another one failed. */
    private static boolean failed(List<OpResult> results, int index) {
        return results.get(index) instanceof OpResult.ErrorResult error
                && error.getErr() != Code.OK.intValue()
                && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue();
    }

    private Optional<byte[]> read(String id) throws Exception {
        try {
            return Optional.of(client.getData().forPath(Paths.plan(id)));
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        }
    }

    private static Outcome unanswered(KeeperException e) throws KeeperException {
        return switch (e.code()) {
            case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED, REQUESTTIMEOUT ->
                Outcome.UNANSWERED;
            default -> throw e;
        };
    }
}
