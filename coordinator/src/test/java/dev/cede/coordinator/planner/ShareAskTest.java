package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.ContainerFacts.Kind;
import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.ShareAsk.ContainerAsk;
import dev.cede.coordinator.planner.ShareAsk.Invalid;
import dev.cede.coordinator.planner.ShareAsk.Valid;
import dev.cede.model.Amount;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A1 to A9, B12: each bad input has a sentence of its own (B33, A12). */
final class ShareAskTest {
    private static final String MEM = "container c: volcano.sh/gpu-mem.128Mi ";
    private static final String CORE = "container c: volcano.sh/gpu-core.percentage ";

    private static ContainerFacts container(
            Kind kind, String memory, String memoryRequest, String core, String coreRequest) {
        return new ContainerFacts("c", kind, memory, memoryRequest, core, coreRequest, "");
    }

    private static PodFacts pod(String gpuNumber, ContainerFacts... containers) {
        PodFacts base = Pods.pending("H(p0)");
        Map<String, String> labels =
                gpuNumber.isEmpty() ? Map.of() : Map.of("volcano.sh/gpu-num", gpuNumber);
        return with(base, labels, List.of(containers), base.placement());
    }

    private static PodFacts with(
            PodFacts base,
            Map<String, String> labels,
            List<ContainerFacts> containers,
            NodeNeeds placement) {
        return new PodFacts(
                base.ref(),
                base.resourceVersion(),
                base.schedulerName(),
                base.priority(),
                base.priorityClass(),
                base.neverPreempts(),
                base.gated(),
                base.nodeName(),
                base.nominatedNode(),
                base.phase(),
                base.statusReason(),
                base.created(),
                base.deletionTimestamp(),
                base.grace(),
                base.started(),
                base.owner(),
                base.mirror(),
                labels,
                base.annotations(),
                containers,
                base.requests(),
                placement,
                base.scheduledMessage(),
                base.fence(),
                base.listsUnits());
    }

    private static String sentence(PodFacts pod) {
        return ShareAsk.of(pod, 5) instanceof Invalid invalid ? invalid.sentence() : "valid";
    }

    private static String sentence(String memory, String core) {
        return sentence(pod("", container(Kind.APP, memory, "", core, "")));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "1 | '' | 1 | 0",
                "16384 | '' | 16384 | 0",
                "64 | 0 | 64 | 0",
                "64 | 5 | 64 | 5",
                "64 | 100 | 64 | 100",
            })
    void acceptsWhatTheRulesAllow_A1_A3_A5(String memory, String core, int units, int percent) {
        assertEquals(
                new Valid(new ShareAsk(
                        List.of(new ContainerAsk("c", new Amount(units, percent))), 1)),
                ShareAsk.of(pod("", container(Kind.APP, memory, memory, core, core)), 5));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | '' | is 0; accepted is 1 to 16384 units a card",
                "-1 | '' | is -1; accepted is 1 to 16384 units a card",
                "16385 | '' | is 16385; accepted is 1 to 16384 units a card",
                "2147483648 | '' | is 2147483648; accepted is 1 to 16384 units a card",
                "99999999999999999999 | '' | is 99999999999999999999; accepted is 1 to 16384 units a"
                        + " card",
                "1k | '' | is \"1k\"; accepted is a plain whole number, without fraction, exponent or"
                        + " suffix",
                "0.5 | '' | is \"0.5\"; accepted is a plain whole number, without fraction, exponent"
                        + " or suffix",
            })
    void refusesMemoryOutOfRange_A1(String memory, String core, String words) {
        assertEquals(MEM + words, sentence(memory, core));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "8 | -5 | is -5; accepted is 5 to 100 percent a card",
                "8 | 105 | is 105; accepted is 5 to 100 percent a card",
                "8 | 7 | is 7; accepted is a multiple of 5 percent a card",
                "8 | NaN | is \"NaN\"; accepted is a plain whole number, without fraction, exponent or"
                        + " suffix",
                "'' | 10 | is 10 without memory; accepted is core together with"
                        + " volcano.sh/gpu-mem.128Mi of at least 1",
                "0 | 10 | is 10 without memory; accepted is core together with"
                        + " volcano.sh/gpu-mem.128Mi of at least 1",
            })
    void refusesCoreOutOfRangeOrAlone_A3_A4(String memory, String core, String words) {
        assertEquals(CORE + words, sentence(memory, core));
    }

    @Test
    void theStepIsConfiguration_A3() {
        PodFacts pod = pod("", container(Kind.APP, "8", "", "7", ""));
        assertEquals(
                new Valid(new ShareAsk(List.of(new ContainerAsk("c", new Amount(8, 7))), 1)),
                ShareAsk.of(pod, 1));
    }

    @Test
    void refusesRequestsThatDifferFromLimits_A2() {
        assertEquals(
                MEM
                        + "has request 8 and limit 16; accepted is a request equal to the limit, or none",
                sentence(pod("", container(Kind.APP, "16", "8", "", ""))));
        assertEquals(
                CORE
                        + "has request 5 and limit 10; accepted is a request equal to the limit, or none",
                sentence(pod("", container(Kind.APP, "16", "", "10", "5"))));
        assertEquals(
                MEM
                        + "has request 8 and no limit; accepted is a limit, and a request equal to it or"
                        + " none",
                sentence(pod("", container(Kind.APP, "", "8", "", ""))));
    }

    @Test
    void refusesOrdinaryInitContainers_A6() {
        assertEquals(
                "init container c asks for GPU shares (volcano.sh/gpu-mem.128Mi 8); only app"
                        + " containers may, and init containers with restartPolicy Always",
                sentence(pod("", container(Kind.INIT, "8", "", "", ""))));
        assertEquals("valid", sentence(pod("", container(Kind.INIT, "", "", "0", ""))));
    }

    @Test
    void aSidecarAsksLikeAnAppContainerAndComesBeforeIt_A6() {
        ContainerFacts side = new ContainerFacts("side", Kind.SIDECAR, "8", "8", "30", "", "");
        ContainerFacts main = new ContainerFacts("main", Kind.APP, "16", "", "60", "", "");
        assertEquals(
                new Valid(new ShareAsk(
                        List.of(
                                new ContainerAsk("side", new Amount(8, 30)),
                                new ContainerAsk("main", new Amount(16, 60))),
                        1)),
                ShareAsk.of(pod("", side, main), 5));
        assertEquals(
                new Valid(new ShareAsk(
                        List.of(
                                new ContainerAsk("side", new Amount(4, 15)),
                                new ContainerAsk("main", new Amount(8, 30))),
                        2)),
                ShareAsk.of(pod("2", side, main), 5));
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 1k | '' | container c: volcano.sh/gpu-mem.128Mi is \"1k\"; accepted is a plain"
                        + " whole number, without fraction, exponent or suffix",
                "'' | '' | 10 | container c: volcano.sh/gpu-core.percentage is 10 without memory;"
                        + " accepted is core together with volcano.sh/gpu-mem.128Mi of at least 1",
                "2 | 7 | '' | container c: volcano.sh/gpu-mem.128Mi is 7; accepted with"
                        + " volcano.sh/gpu-num 2 is a multiple of 2",
                "2 | 8 | '' | label volcano.sh/gpu-num is 2 while some containers ask for core and"
                        + " some do not; accepted above 1 is core for all of them or for none",
                "2 | 8 | 120 | label volcano.sh/gpu-num is 2, and volcano.sh/gpu-core.percentage of"
                        + " all containers adds up to 120 percent on each card; accepted is 100 or less",
            })
    void aSidecarIsJudgedTogetherWithTheAppContainers_A6_A8(
            String number, String memory, String core, String words) {
        ContainerFacts main = container(Kind.APP, "8", "", "120", "");
        assertEquals(
                words, sentence(pod(number, container(Kind.SIDECAR, memory, "", core, ""), main)));
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "x | 8 | '' | label volcano.sh/gpu-num is \"x\"; accepted is a whole number of cards,"
                        + " at least 1",
                "0 | 8 | '' | label volcano.sh/gpu-num is \"0\"; accepted is a whole number of cards,"
                        + " at least 1",
                "x2 | 8 | '' | label volcano.sh/gpu-num is \"x2\"; accepted is a whole number of cards,"
                        + " at least 1",
                "-2 | 8 | '' | label volcano.sh/gpu-num is \"-2\"; accepted is a whole number of cards,"
                        + " at least 1",
                "2 | 7 | '' | container c: volcano.sh/gpu-mem.128Mi is 7; accepted with"
                        + " volcano.sh/gpu-num 2 is a multiple of 2",
                "2 | 8 | 15 | container c: volcano.sh/gpu-core.percentage is 15; accepted with"
                        + " volcano.sh/gpu-num 2 is a multiple of 10",
                "2 | 8 | 12 | container c: volcano.sh/gpu-core.percentage is 12; accepted with"
                        + " volcano.sh/gpu-num 2 is a multiple of 10",
                "2 | 8 | 210 | container c: volcano.sh/gpu-core.percentage is 210; accepted is 5 to"
                        + " 100 percent a card",
                "2 | 32770 | '' | container c: volcano.sh/gpu-mem.128Mi is 32770; accepted is 1 to"
                        + " 16384 units a card",
                "2 | 8 | 200 | valid",
                "2 | 32768 | '' | valid",
                "1 | 8 | '' | valid",
            })
    void refusesBadNumbersOfCards_A8_A9(String number, String memory, String core, String words) {
        assertEquals(words, sentence(pod(number, container(Kind.APP, memory, "", core, ""))));
    }

    @Test
    void splitsEveryContainerEvenlyOverTheCards_A8() {
        ContainerFacts a = new ContainerFacts("a", Kind.APP, "12", "12", "30", "", "");
        ContainerFacts b = new ContainerFacts("b", Kind.APP, "3", "", "15", "", "");
        assertEquals(
                new Valid(new ShareAsk(
                        List.of(
                                new ContainerAsk("a", new Amount(4, 10)),
                                new ContainerAsk("b", new Amount(1, 5))),
                        3)),
                ShareAsk.of(pod("3", a, b), 5));
    }

    @Test
    void refusesMoreCoreOfEachCardThanThereIs_A8() {
        assertEquals(
                "label volcano.sh/gpu-num is 2, and volcano.sh/gpu-core.percentage of all containers"
                        + " adds up to 120 percent on each card; accepted is 100 or less",
                sentence(pod(
                        "2",
                        container(Kind.APP, "8", "", "120", ""),
                        container(Kind.APP, "8", "", "120", ""))));
    }

    @Test
    void refusesMixedTypesOnSeveralCards_A8() {
        assertEquals(
                "label volcano.sh/gpu-num is 2 while some containers ask for core and some do not;"
                        + " accepted above 1 is core for all of them or for none",
                sentence(pod(
                        "2",
                        container(Kind.APP, "8", "", "", ""),
                        container(Kind.APP, "8", "", "10", ""))));
    }

    @Test
    void refusesWholeCardsBesideShares_B12() {
        ContainerFacts both = new ContainerFacts("c", Kind.APP, "8", "", "", "", "1");
        assertEquals(
                "container c: nvidia.com/gpu is 1 in a pod that asks for shares; accepted is one kind"
                        + " or the other",
                sentence(pod("", both)));
        ContainerFacts whole = new ContainerFacts("c", Kind.APP, "", "", "", "", "1");
        assertEquals("valid", sentence(pod("", whole)));
    }

    @Test
    void refusesWhatItCannotJudge() {
        NodeNeeds needs = new NodeNeeds(Map.of(), List.of(), List.of("nodeAffinity", "hostPorts"));
        assertEquals(
                "the pod's spec has nodeAffinity, hostPorts; that is not supported yet, accepted are"
                        + " nodeSelector and tolerations",
                sentence(with(Pods.pending("H(p0)"), Map.of(), List.of(), needs)));
    }

    @Test
    void everySentenceIsItsOwn_A12() {
        Set<String> sentences = new TreeSet<>(List.of(
                sentence("0", ""),
                sentence("1k", ""),
                sentence("8", "105"),
                sentence("8", "7"),
                sentence("", "10"),
                sentence(pod("", container(Kind.APP, "16", "8", "", ""))),
                sentence(pod("", container(Kind.INIT, "8", "", "", ""))),
                sentence(pod("0", container(Kind.APP, "8", "", "", ""))),
                sentence(pod("2", container(Kind.APP, "7", "", "", "")))));
        assertEquals(9, sentences.size());
    }
}
