# What a cluster leaves on the machine beside its folder: processes, cgroups, kernel settings.

# kubelet sets these as it likes them.
tunables=(vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops
  kernel.keys.root_maxkeys kernel.keys.root_maxbytes)

save_tunables() {
  local name
  for name in "${tunables[@]}"; do
    echo "$(cat "/proc/sys/${name//./\/}") $name"
  done >"$folder/tunables"
}

restore_tunables() {
  local value name
  while read -r value name; do
    # What cannot be written could not be changed by kubelet either.
    echo "$value" 2>/dev/null >"/proc/sys/${name//./\/}" || true
  done <"$folder/tunables"
}

# One directory a hierarchy in version 1, one in version 2.
cgroup_hierarchies() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo /sys/fs/cgroup
  else
    awk '$3 == "cgroup" || $3 == "cgroup2" {print $2}' /proc/mounts
  fi
}

make_cgroups() {
  local hierarchy file
  for hierarchy in $(cgroup_hierarchies); do
    mkdir -p "$hierarchy/cede-$1"
    # A cpuset starts empty in version 1, and takes no process then.
    for file in cpuset.cpus cpuset.mems; do
      [ ! -e "$hierarchy/$file" ] || cat "$hierarchy/$file" >"$hierarchy/cede-$1/$file"
    done
  done
}

# All processes in the nodes' cgroups: containers.
contained_processes() {
  local hierarchy
  for hierarchy in $(cgroup_hierarchies); do
    find "$hierarchy"/cede-n[0-9] -name cgroup.procs -exec cat {} + 2>/dev/null || true
  done | sort -u
}

# All processes that were started for this cluster: its own and its tests'.
marked_processes() {
  grep -lzxF "CEDE_TESTBED_PROCESS=$folder" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3 || true
}

kill_all() {
  local pids
  pids=$({ marked_processes; contained_processes; })
  [ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
  [ -z "$pids" ]
}

down() {
  await "the end of all processes" kill_all
  local hierarchy
  for hierarchy in $(cgroup_hierarchies); do
    find "$hierarchy"/cede-n[0-9] -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
  [ ! -e "$folder/tunables" ] || restore_tunables
  # Its mounts went with the last process of each namespace.
  rm -rf --one-file-system "$folder"
  rmdir --ignore-fail-on-non-empty "${node_paths[@]}" 2>/dev/null || true
}
