package dev.cede.testbed.kubelet.contract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * What Cede leans on in a kubelet. Holds for a real one as well as for the stand-in: it takes no look
 * inside, and asserts no delay but in which order things come.
 */
@Timeout(300)
abstract class KubeletContract {
    KubeletRig rig;

    /** A kubelet that no pod and no plugin of another test disturbs. */
    abstract KubeletUnderTest begin();

    @BeforeEach
    final void start() {
        rig = new KubeletRig(begin());
    }

    @AfterEach
    final void end() {
        rig.close();
    }
}
