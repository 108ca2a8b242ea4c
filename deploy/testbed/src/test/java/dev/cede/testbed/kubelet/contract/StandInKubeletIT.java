package dev.cede.testbed.kubelet.contract;

import dev.cede.testbed.kubelet.sockets.PluginConnections;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** The stand-in keeps the contract. */
final class StandInKubeletIT {
    private static KubeletUnderTest standIn() {
        return new StandInKubelet(builder -> builder);
    }

    @Nested
    final class Registration extends RegistrationContract {
        /** Nobody need wait ten seconds for a plugin that does not answer. */
        private static final PluginConnections.Limits SHORT =
                new PluginConnections.Limits(Duration.ofSeconds(1), Duration.ofSeconds(30));

        @Override
        KubeletUnderTest begin() {
            return new StandInKubelet(builder -> builder.limits(SHORT));
        }
    }

    @Nested
    final class Admission extends AdmissionContract {
        @Override
        KubeletUnderTest begin() {
            return standIn();
        }
    }

    @Nested
    final class Start extends StartContract {
        @Override
        KubeletUnderTest begin() {
            return standIn();
        }
    }

    @Nested
    final class Freeing extends FreeingContract {
        @Override
        KubeletUnderTest begin() {
            return standIn();
        }
    }

    @Nested
    final class Files extends FilesContract {
        @Override
        KubeletUnderTest begin() {
            return standIn();
        }
    }

    @Nested
    final class Restart extends RestartContract {
        @Override
        KubeletUnderTest begin() {
            return standIn();
        }
    }
}
