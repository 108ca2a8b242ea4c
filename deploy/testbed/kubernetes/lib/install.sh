# Cede on the cluster, by its own manifests and images; all that is special here is in
# deploy/manifests/overlays/testbed, but for the ports.

coordinators=3

# The ports of the installation, after those of the cluster itself.
coordinator_port() { port $((60 + $1)); }
zookeeper_port() { port $((64 + $1)); } # client; peers and election are 4 and 8 after it
agent_port() { port $((80 + $1)); }

install() {
  local node installed=$folder/installed
  "$root/deploy/image/build" --out "$folder/installed/images" --tag testbed >&2
  make_overlay "$installed/manifests"
  for node in "$folder"/nodes/*; do
    import_images "$(basename "$node")"
    add_card "$node"
  done
  make_certificates "$installed/tls"
  kubectl apply --server-side -k "$installed/manifests" >/dev/null
  await "ZooKeeper" rolled_out statefulset/cede-zookeeper
  for node in "$folder"/nodes/*; do
    await "the agent of $(basename "$node")" shows_shares "$(basename "$node")"
  done
  local i
  for ((i = 0; i < coordinators; i++)); do
    await "coordinator $i" rolled_out "deployment/cede-coordinator-$i"
  done
}

# What the README of the manifests asks an operator for.
make_certificates() {
  "$root/deploy/manifests/certificates" "$1"
  kubectl apply --server-side -f "$root/deploy/manifests/base/00-namespace.yaml" >/dev/null
  kubectl --namespace cede-system create secret tls cede-coordinator-tls \
    --cert "$1/tls.crt" --key "$1/tls.key" >/dev/null
  kubectl --namespace cede-system create configmap cede-coordinator-ca \
    --from-file "$1/ca.crt" >/dev/null
}

import_images() {
  local image
  for image in "$folder"/installed/images/*.tar; do
    on_containerd "$1" images import "$image" >/dev/null
  done
}

# A simulated card of 8 GiB, and the simulated driver that shows it.
add_card() {
  local cards=$1/cards
  cp "$here/target/native/native/libnvidia-ml-sim.so" "$cards/libnvidia-ml.so.1"
  printf '%s\n' "uuid=GPU-$(cat /proc/sys/kernel/random/uuid)" "name=Simulated Card" \
    pci=00000000:01:00.0 minor=0 total_mib=8192 reserved_mib=0 linger_ms=0 >"$cards/card0.conf"
}

rolled_out() {
  kubectl --namespace cede-system rollout status "$1" --timeout 1s
}

# Kubelet has told the API server of the devices that the agent serves.
shows_shares() {
  [ "$(kubectl get node "$1" -o 'jsonpath={.status.allocatable.volcano\.sh/gpu-mem\.128Mi}')" = 64 ]
}

# make_overlay FOLDER: an overlay of the testbed component that gives each replica its ports: the base
# with its coordinator and agent taken out, and copies of these two.
make_overlay() {
  local into=$1 i node name copies=
  for ((i = 0; i < coordinators; i++)); do
    copy_of "$into/coordinator-$i" 50-coordinator.yaml "$i" "$(coordinator_settings "$i")"
    copies+=", coordinator-$i"
  done
  for node in "$folder"/nodes/*; do
    name=$(basename "$node")
    copy_of "$into/agent-$name" 60-agent.yaml "$name" "$(agent_settings "$node")"
    copies+=", agent-$name"
  done
  mkdir -p "$into/rest"
  rest_of_base "$into/rest" >"$into/rest/kustomization.yaml"
  overlay Kustomization "resources: [rest$copies]" >"$into/kustomization.yaml"
}

# overlay KIND LINES: of a kustomization
overlay() {
  printf '%s\n' "apiVersion: kustomize.config.k8s.io/v1beta1" "kind: $1" "$2"
}

# of_source FOLDER PATH: a path among the manifests, as seen from the folder.
of_source() {
  realpath --relative-to "$1" "$root/deploy/manifests/$2"
}

# copy_of FOLDER FILE SUFFIX PATCH: the one object of a file of the base under another name.
copy_of() {
  local into=$1
  mkdir -p "$into"
  cp "$root/deploy/manifests/base/$2" "$into"
  overlay Kustomization "resources: [$2]
components: [$(of_source "$into" overlays/testbed)]
nameSuffix: \"-$3\"
labels: [{pairs: {app.kubernetes.io/instance: \"$3\"}, includeSelectors: true}]
patches:
$4" >"$into/kustomization.yaml"
}

# coordinator_settings NUMBER
coordinator_settings() {
  cat <<END
  - target: {kind: Deployment}
    patch: |-
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: any}
      spec:
        template:
          spec:
            containers:
              - name: coordinator
                ports: [{name: grpc, containerPort: $(coordinator_port "$1")}, {containerPort: 7070, \$patch: delete}]
                env:
                  - {name: KUBERNETES_SERVICE_PORT, value: "$(port 0)"}
                  - {name: LISTEN, value: "127.0.0.1:$(coordinator_port "$1")"}
                  - {name: ZOOKEEPER, value: "$(each_of_three zookeeper_port)"}
END
}

# agent_settings NODE'S FOLDER
agent_settings() {
  local name
  name=$(basename "$1")
  cat <<END
  - target: {kind: DaemonSet}
    patch: |-
      apiVersion: apps/v1
      kind: DaemonSet
      metadata: {name: any}
      spec:
        template:
          spec:
            nodeSelector: {kubernetes.io/hostname: $name}
            containers:
              - name: agent
                env:
                  - {name: COORDINATORS, value: "$(each_of_three coordinator_port)"}
                  - {name: LISTEN, value: "127.0.0.1:$(agent_port "$(cat "$1/number")")"}
                  - {name: NVML_LIBRARY, value: $1/cards/libnvidia-ml.so.1}
END
}

# each_of_three PORT: addresses, with commas
each_of_three() {
  local i
  for i in 0 1 2; do
    echo "127.0.0.1:$("$1" $i)"
  done | paste -sd ,
}

rest_of_base() {
  local i
  overlay Kustomization "resources: [$(of_source "$1" base)]
components: [$(of_source "$1" overlays/testbed)]
patches:
  - {target: {kind: Deployment, name: cede-coordinator}, patch: '{\$patch: delete, kind: Deployment, metadata: {name: any}}'}
  - {target: {kind: DaemonSet, name: cede-agent}, patch: '{\$patch: delete, kind: DaemonSet, metadata: {name: any}}'}
  - target: {kind: ConfigMap, name: cede-zookeeper}
    patch: |-
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: any}
      data:
        zoo.cfg: |
          dataDir=/data
          tickTime=500
          initLimit=20
          syncLimit=10
          admin.enableServer=false
          standaloneEnabled=false"
  for i in 0 1 2; do
    echo "          server.$((i + 1))=127.0.0.1:$(port $((68 + i))):$(port $((72 + i)));127.0.0.1:$(zookeeper_port $i)"
  done
}
