package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectorsTest {

    private static final Map<String, String> LABELS = Map.of("app", "web", "tier", "1");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "app=web               | true",
                "app==web              | true",
                "app = web             | true",
                "app=db                | false",
                "app!=db               | true",
                "app!=web              | false",
                "none!=x               | true",
                "app in (web, db)      | true",
                "app in (db)           | false",
                "none in (x)           | false",
                "app notin (db)        | true",
                "app notin (web)       | false",
                "none notin (x)        | true",
                "app                   | true",
                "none                  | false",
                "!none                 | true",
                "!app                  | false",
                "app in (web,db),tier=1| true",
                "app in (web,db),tier=2| false"
            })
    void labelSelectors(String selector, boolean matches) {
        assertEquals(matches, LabelSelector.parse(selector).matches(LABELS));
    }

    @Test
    void aLabelSelectorThatCannotBeReadIsRefusedWithWhatIsAccepted() {
        Refusal refusal = assertThrows(Refusal.class, () -> LabelSelector.parse("a=b,(c"));
        assertEquals(400, refusal.code());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec.nodeName=n1                          | true",
                "spec.nodeName=                            | false",
                "spec.nodeName!=n1                         | false",
                "status.phase!=Failed,status.phase!=Succeeded | true",
                "status.phase==Running                     | true",
                "metadata.name=p                           | true",
                "metadata.namespace=other                  | false",
                "status.nominatedNodeName=                 | true"
            })
    void fieldSelectorsOfPods(String selector, boolean matches) {
        var pod = CoreFixture.json(
                "{'metadata':{'name':'p','namespace':'default'},'spec':{'nodeName':'n1'},"
                        + "'status':{'phase':'Running'}}");
        assertEquals(matches, FieldSelector.parse(selector, Kinds.PODS).matches(pod));
    }

    @Test
    void aFieldThatARealServerCannotSelectByIsRefused() {
        Refusal refusal = assertThrows(
                Refusal.class, () -> FieldSelector.parse("spec.priority=1", Kinds.PODS));
        assertEquals("field label not supported: spec.priority", refusal.getMessage());
    }
}
