package dev.cede.architecture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The package rules hold, and each would be noticed if it were broken. */
class ArchitectureTest {
    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.cede");

    /** The product with {@code planted} classes, each of which breaks rules. */
    private static final JavaClasses SPOILED = new ClassFileImporter()
            .withImportOption(location ->
                    !location.contains("/test-classes/") || location.contains("/planted/"))
            .importPackages("dev.cede");

    private record Named(String name, ArchRule rule) {}

    private static List<Named> rules(JavaClasses classes) {
        Rules rules = new Rules(classes);
        return List.of(
                new Named("coresDoNoInputOrOutput", rules.coresDoNoInputOrOutput()),
                new Named("coresStartNoThreads", rules.coresStartNoThreads()),
                new Named("coresDoNotLog", rules.coresDoNotLog()),
                new Named("coresReadNoClock", rules.coresReadNoClock()),
                new Named("coresDrawOnlyFromSeeds", rules.coresDrawOnlyFromSeeds()),
                new Named("coresKnowNoTransport", rules.coresKnowNoTransport()),
                new Named("nodesSideKnowsNoClusterClients", rules.nodesSideKnowsNoClusterClients()),
                new Named(
                        "messagesMeetTheModelOnlyAtTheWire",
                        rules.messagesMeetTheModelOnlyAtTheWire()),
                new Named("theModelStandsAlone", rules.theModelStandsAlone()),
                new Named("theLedgerKnowsOnlyTheModel", rules.theLedgerKnowsOnlyTheModel()),
                new Named(
                        "theTestbedDoesNotKnowTheProduct", rules.theTestbedDoesNotKnowTheProduct()),
                new Named(
                        "agentAndCoordinatorShareOnlyTheLanguage",
                        rules.agentAndCoordinatorShareOnlyTheLanguage()),
                new Named("theCoordinatorKnowsNoNode", rules.theCoordinatorKnowsNoNode()),
                new Named(
                        "theSandboxSeesOnlyWhatOperatorsSee",
                        rules.theSandboxSeesOnlyWhatOperatorsSee()));
    }

    @TestFactory
    Stream<DynamicTest> theProductKeepsEachRule() {
        return rules(PRODUCT).stream()
                .map(named ->
                        DynamicTest.dynamicTest(named.name(), () -> named.rule().check(PRODUCT)));
    }

    @TestFactory
    Stream<DynamicTest> eachRuleSeesAPlantedViolation() {
        return rules(SPOILED).stream()
                .map(named -> DynamicTest.dynamicTest(
                        named.name(),
                        () -> assertTrue(
                                named
                                        .rule()
                                        .evaluate(SPOILED)
                                        .getFailureReport()
                                        .getDetails()
                                        .stream()
                                        .anyMatch(detail -> detail.contains(".planted.")),
                                named.name() + " sees nothing wrong")));
    }

    @Test
    void allModulesAreLookedAt() {
        for (String type : List.of(
                "dev.cede.model.Units",
                "dev.cede.nvml.CardInventory",
                "dev.cede.deviceplugin.Steering",
                "dev.cede.agent.Main",
                "dev.cede.coordinator.Main",
                "dev.cede.testbed.kubelet.Kubelet",
                "dev.cede.sandbox.Main")) {
            assertTrue(PRODUCT.contain(type), type);
        }
    }
}
