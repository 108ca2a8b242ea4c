package dev.cede.testbed.kubelet.contract;

import dev.cede.testbed.cluster.TestCluster;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A real kubelet, which says what the contract is. */
@Tag("cluster")
final class RealKubeletClusterIT {
    private static KubeletUnderTest real() {
        TestCluster cluster = TestCluster.current();
        return new RealKubelet(cluster, cluster.nodes().getFirst());
    }

    @Nested
    final class Registration extends RegistrationContract {
        @Override
        KubeletUnderTest begin() {
            return real();
        }
    }

    @Nested
    final class Admission extends AdmissionContract {
        @Override
        KubeletUnderTest begin() {
            return real();
        }
    }

    @Nested
    final class Start extends StartContract {
        @Override
        KubeletUnderTest begin() {
            return real();
        }
    }

    @Nested
    final class Freeing extends FreeingContract {
        @Override
        KubeletUnderTest begin() {
            return real();
        }
    }

    @Nested
    final class Files extends FilesContract {
        @Override
        KubeletUnderTest begin() {
            return real();
        }
    }

    @Nested
    final class Restart extends RestartContract {
        @Override
        KubeletUnderTest begin() {
            return real();
        }
    }
}
