# A node: a mount namespace in which the usual paths are its own, with a containerd and a kubelet.

# What kubelet, containerd, the network plugins and an agent use at fixed paths; each node has its own.
node_paths=(/var/lib/kubelet /var/lib/cede /var/lib/cni /var/log/pods /var/log/containers /run/containerd /run/netns)

# start_node NAME NUMBER
start_node() {
  local name=$1 number=$2 node=$folder/nodes/$1
  mkdir -p "$node"/{cards,cni,kubelet}
  echo "$number" >"$node/number"
  make_cgroups "$name"
  enter_namespace "$name"
  network "$number" >"$node/cni/10-pods.conf"
  runtime_spec "$node" >"$node/runtime-spec.json"
  containerd_config "$node" >"$node/containerd.toml"
  daemon "nodes/$name/containerd" $(entering "$name") containerd --config "$node/containerd.toml"
  await "containerd of $name" on_containerd "$name" version
  local image
  for image in "$folder"/images/*.tar; do
    on_containerd "$name" images import "$image" >/dev/null
  done
  kubeconfig "nodes/$name/kubeconfig" "$name" "/O=system:nodes/CN=system:node:$name"
  kubelet_config "$name" "$number" >"$node/kubelet.yaml"
  start_kubelet "$name"
}

# Makes the namespace, which lives as long as the process that keeps it.
enter_namespace() {
  local node=$folder/nodes/$1 path
  mkdir -p "${node_paths[@]}"
  for path in "${node_paths[@]}"; do
    mkdir -p "$(own_path "$node" "$path")"
  done
  daemon "nodes/$1/keeper" unshare --mount --propagation private sleep infinity
  await "the mount namespace of $1" keeps_namespace "$1"
  for path in "${node_paths[@]}"; do
    in_node "$1" mount --bind "$(own_path "$node" "$path")" "$path"
  done
}

# It sleeps once the namespace is made, and not before.
keeps_namespace() {
  [ "$(cat "/proc/$(cat "$folder/nodes/$1/keeper.pid")/comm")" = sleep ]
}

# own_path FOLDER PATH: what of the node's folder lies at the path; a short name for a socket's sake.
own_path() {
  case $2 in
    /var/lib/kubelet) echo "$1/kubelet" ;;
    *) echo "$1/paths$2" ;;
  esac
}

# entering NODE: the command that runs another in the node's mount namespace.
entering() {
  echo nsenter --mount --target "$(cat "$folder/nodes/$1/keeper.pid")"
}

in_node() {
  local name=$1
  shift
  $(entering "$name") "$@"
}

on_containerd() {
  local name=$1
  shift
  in_node "$name" ctr --namespace k8s.io "$@"
}

node_ready() {
  [ "$(kubectl get node "$1" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]
}

# Pods have an address each, and nothing beyond their node.
network() {
  cat <<END
{"cniVersion": "0.4.0", "name": "pods", "type": "ptp",
 "ipam": {"type": "host-local", "subnet": "10.24$1.0.0/24", "dataDir": "/var/lib/cni/networks"}}
END
}

# Every container finds the simulated cards, as an NVIDIA runtime would show it the driver.
runtime_spec() {
  local cards=$1/cards mount
  mount="{\"type\": \"bind\", \"options\": [\"rbind\", \"rw\"], \"source\": \"$cards\", \"destination\": \"$cards\"}"
  ctr oci spec | tr -d '\n' |
    sed -E "s|\"process\": *\{|&\"env\": [\"NVML_SIM_DIR=$cards\"],|; s|\"mounts\": *\[|&$mount,|"
}

containerd_config() {
  cat <<END
version = 2
root = "$1/containerd"
state = "/run/containerd/state"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "cede.dev/pause:testbed"
  stream_server_address = "127.0.0.1"
  # Without CAP_SYS_RESOURCE nobody can get the negative score that a pod's first container asks for.
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "$1/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  base_runtime_spec = "$1/runtime-spec.json"
END
}

# kubelet_config NAME NUMBER
kubelet_config() {
  cat <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
port: $(port $((10 + 5 * $2)))
healthzPort: $(port $((11 + 5 * $2)))
authentication:
  x509: {clientCAFile: $folder/pki/ca.crt}
  anonymous: {enabled: false}
  webhook: {enabled: false}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
clusterDNS: [10.96.0.10]
cgroupRoot: /cede-$1
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: []
localStorageCapacityIsolation: false
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 1Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%, imagefs.inodesFree: 0%}
makeIPTablesUtilChains: false
featureGates: {$(node_feature_gates)}
END
}

# An entry a device ID in every pod's status is of no use to anybody (README, kubelet).
node_feature_gates() {
  local minor
  minor=$(cut -d . -f 2 "$folder/version")
  [ "$minor" -lt 36 ] || echo "ResourceHealthStatus: false, ResourceHealthStatusMessage: false"
}

start_kubelet() {
  local name=$1 node=$folder/nodes/$1
  ! kubelet_runs "$name" || refuse "kubelet of $name runs"
  daemon "nodes/$name/kubelet" $(entering "$name") "$folder/bin/kubelet" --config "$node/kubelet.yaml" \
    --kubeconfig "$node/kubeconfig" --hostname-override "$name" --node-ip 127.0.0.1 \
    --node-labels cede.dev/share=true
  await "kubelet of $name" kubelet_healthy "$name"
}

kubelet_runs() {
  local pid
  pid=$(cat "$folder/nodes/$1/kubelet.pid" 2>/dev/null) && kill -0 "$pid" 2>/dev/null
}

kubelet_healthy() {
  local number
  number=$(cat "$folder/nodes/$1/number")
  (
    exec 3<>"/dev/tcp/127.0.0.1/$(port $((11 + 5 * number)))" || exit 1
    printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3
    grep -q '^ok' <&3
  )
}

stop_kubelet() {
  local pid
  kubelet_runs "$1" || refuse "kubelet of $1 does not run"
  pid=$(cat "$folder/nodes/$1/kubelet.pid")
  kill "$pid"
  await "the end of kubelet of $1" eval "! kill -0 $pid"
}
