# The programs: Debian's containerd and friends must be there, Kubernetes and etcd are built here.

require_tools() {
  local tool missing=()
  for tool in go gcc openssl containerd runc ctr nsenter unshare; do
    command -v $tool >/dev/null || missing+=($tool)
  done
  [ -x /usr/lib/cni/ptp ] || missing+=(containernetworking-plugins)
  [ ${#missing[@]} = 0 ] || refuse "missing: ${missing[*]} (Debian: apt-get install --no-install-recommends \
gcc libc6-dev openssl containerd runc containernetworking-plugins util-linux; Go from go.dev)"
}

# The version in go.mod is the one that is used where none is asked for.
default_version() {
  sed -n 's/^\s*k8s.io\/kubernetes \(v[0-9.]*\)$/\1/p' "$here/go.mod"
}

# kubernetes_binary VERSION: builds it where needed and prints its path.
kubernetes_binary() {
  local version=$1 source=$here target
  target=$here/target/$version
  mkdir -p "$target"
  if [ "$version" != "$(default_version)" ]; then
    source=$target/module
    other_version "$version" "$source" >&2
  fi
  echo "Building Kubernetes $version (the first time takes some ten minutes) ..." >&2
  local minor=${version#v1.}
  local package=k8s.io/component-base/version
  (cd "$source" && go build -trimpath -o "$target/kubernetes" -ldflags "-s -w
    -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}" .) >&2
  echo "$target/kubernetes"
}

# other_version VERSION FOLDER: the module with another Kubernetes in it.
other_version() {
  local version=$1 module=$2 default
  default=$(default_version)
  mkdir -p "$module"
  cp "$here"/*.go "$module"
  # The staging modules of v1.36.3 are v0.36.3; what is needed indirectly is found anew.
  sed "s/ v0${default#v1}$/ v0${version#v1}/; s/ $default$/ $version/; /\/\/ indirect/d" \
    "$here/go.mod" >"$module/go.mod"
  (cd "$module" && go mod tidy)
}
