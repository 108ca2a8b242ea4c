package dev.cede.sandbox;

import dev.cede.sandbox.machine.Machines;

import java.util.ArrayList;
import java.util.List;

/** How a person reaches a sandbox that stays: commands to copy. */
final class Ways {
    private Ways() {}

    static List<String> to(Machines machines) {
        String kubectl = "kubectl --kubeconfig " + machines.kubernetes().kubeconfig();
        String coordinator =
                "grpcurl -cacert " + machines.authority() + " " + machines.coordinatorAddress();
        List<String> lines = new ArrayList<>(List.of(
                "",
                "Everything stays up until Ctrl-C. Kubernetes:",
                "  " + kubectl + " get pods -o wide",
                "  " + kubectl + " apply -f deploy/examples/20-high.yaml",
                "  " + kubectl + " delete deployment high",
                "The coordinator:",
                "  " + coordinator + " list",
                "  " + coordinator + " describe cede.v1.Inspect",
                "  " + coordinator + " cede.v1.Inspect/ListPending",
                "  " + coordinator + " cede.v1.Inspect/ListCards"));
        machines.agentAddresses().forEach((node, address) -> {
            lines.add("The agent of " + node + ":");
            lines.add("  grpcurl -plaintext " + address + " list");
            lines.add("  grpcurl -plaintext " + address + " cede.v1.CardService/ListCards");
        });
        lines.add("Configuration and logs: " + machines.folder());
        lines.add("");
        return lines;
    }
}
