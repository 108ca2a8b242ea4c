package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class TablesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'status':{'phase':'Pending'}} | Pending",
                "{'status':{'phase':'Failed','reason':'UnexpectedAdmissionError'}} | UnexpectedAdmissionError",
                "{'metadata':{'deletionTimestamp':'x'},'status':{'phase':'Running'}} | Terminating",
                "{'metadata':{'deletionTimestamp':'x'},'status':{'phase':'Failed'}} | Failed",
                "{'spec':{'schedulingGates':[{'name':'g'}]},'status':{'phase':'Pending'}} | SchedulingGated",
                "{'status':{'phase':'Pending','containerStatuses':[{'state':{'waiting':"
                        + "{'reason':'ContainerCreating'}}}]}} | ContainerCreating",
                "{'status':{'phase':'Succeeded','containerStatuses':[{'state':{'terminated':"
                        + "{'reason':'Completed','exitCode':0}}}]}} | Completed",
                "{'status':{'phase':'Failed','containerStatuses':[{'state':{'terminated':"
                        + "{'exitCode':3}}}]}} | ExitCode:3",
                "{'status':{'phase':'Failed','containerStatuses':[{'state':{'terminated':"
                        + "{'exitCode':137,'signal':9}}}]}} | Signal:9",
                "{'status':{'phase':'Running','containerStatuses':[{'ready':true,'state':"
                        + "{'running':{}}}]}} | Running"
            })
    void statusOfAPodAsKubectlUsersKnowIt(String pod, String status) {
        assertEquals(status, PodRow.status(json(pod)));
    }

    @ParameterizedTest
    @CsvSource({"0,0s", "119,119s", "120,2m", "150,2m30s", "3599,59m", "7200,2h", "172800,2d"})
    void ages(long seconds, String age) {
        String since = CoreFixture.START.toString();
        assertEquals(age, Tables.age(since, CoreFixture.START.plusSeconds(seconds)));
    }

    @Test
    void aTableHasOneRowForEachObjectAndAsManyCellsAsColumns() {
        CoreFixture cluster = new CoreFixture();
        cluster.boundPod("p", "n1");
        ApiRequest plain = ApiRequest.get(CoreFixture.PODS);
        ApiRequest asTable = new ApiRequest(
                plain.method(), plain.path(), plain.query(), "", "application/json;as=Table", "");
        ObjectNode table = cluster.ok(asTable);
        List<String> columns = Json.objects(table, "columnDefinitions").stream()
                .map(column -> Json.text(column, "name"))
                .toList();
        assertEquals(
                List.of(
                        "Name",
                        "Ready",
                        "Status",
                        "Restarts",
                        "Age",
                        "IP",
                        "Node",
                        "Nominated Node",
                        "Readiness Gates"),
                columns);
        List<String> cells = Json.objects(table, "rows")
                .getFirst()
                .path("cells")
                .valueStream()
                .map(Json::text)
                .toList();
        assertEquals(
                List.of("p", "0/1", "Pending", "0", "0s", "<none>", "n1", "<none>", "<none>"),
                cells);
    }
}
