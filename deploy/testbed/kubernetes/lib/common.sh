# What the other parts use: refusing, waiting, starting a process that stays.

refuse() {
  echo "cluster: $1" >&2
  exit 2
}

# await WHAT COMMAND...: until the command succeeds; two minutes at most.
await() {
  local what=$1 end=$((SECONDS + 120))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then
      echo "cluster: $what is not ready after two minutes; see the logs in $folder" >&2
      return 1
    fi
    sleep 0.1
  done
}

# daemon NAME COMMAND...: its output goes to NAME.log, its PID to NAME.pid, both in the folder.
daemon() {
  local name=$1
  shift
  setsid "$@" >>"$folder/$name.log" 2>&1 </dev/null &
  echo $! >"$folder/$name.pid"
}

# port NUMBER: the NUMBERth of the cluster's ports.
port() {
  echo $((first_port + $1))
}

kubectl() {
  "$folder/bin/kubectl" --kubeconfig "$folder/kubeconfig" "$@"
}

# The folder with all that is needed before anything runs.
make_folder() {
  local binary=$1 version=$2 name
  mkdir -p "$folder"/{bin,pki,nodes}
  echo "$version" >"$folder/version"
  ln -s "$here/cluster" "$folder/cluster"
  for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl; do
    ln -s "$binary" "$folder/bin/$name"
  done
  save_tunables
}
