# Container images without an engine: a tar in OCI layout with one layer, from static programs.

make_images() {
  local native=$here/target/native programs=$folder/programs
  sh "$root/native/src/main/c/build.sh" "$native" >/dev/null
  mkdir -p "$programs"
  gcc -static -O2 -Wall -Wextra -o "$programs/pause" "$here/images/pause.c"
  image cede.dev/pause:testbed "$programs/pause"
  image cede.dev/gpu-hog:testbed "$native/native/gpu-hog" "$native/native/libnvidia-ml-sim.so"
}

# image NAME FILE...: an image of these files, whose entry point is the first.
image() {
  local name=$1 layout layer config manifest entry
  shift
  entry=$(basename "$1")
  layout=$(mktemp -d "$folder/image.XXXXXX")
  mkdir -p "$layout/root" "$layout/blobs/sha256"
  cp "$@" "$layout/root"
  # The same files give the same image.
  tar --create --file "$layout/layer" --directory "$layout/root" --sort=name --mtime=@0 \
    --owner=0 --group=0 --numeric-owner .
  rm -r "$layout/root"
  layer=$(blob "$layout/layer")
  cat >"$layout/config" <<END
{"architecture": "$(oci_architecture)", "os": "linux",
 "config": {"Entrypoint": ["/$entry"]},
 "rootfs": {"type": "layers", "diff_ids": ["${layer%% *}"]}}
END
  config=$(blob "$layout/config")
  cat >"$layout/manifest" <<END
{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
 "config": $(descriptor application/vnd.oci.image.config.v1+json $config),
 "layers": [$(descriptor application/vnd.oci.image.layer.v1.tar $layer)]}
END
  manifest=$(blob "$layout/manifest")
  cat >"$layout/index.json" <<END
{"schemaVersion": 2, "manifests": [{
 "mediaType": "application/vnd.oci.image.manifest.v1+json",
 "digest": "${manifest%% *}", "size": ${manifest##* },
 "annotations": {"io.containerd.image.name": "$name",
                 "org.opencontainers.image.ref.name": "${name##*:}"}}]}
END
  echo '{"imageLayoutVersion": "1.0.0"}' >"$layout/oci-layout"
  mkdir -p "$folder/images"
  tar --create --file "$folder/images/$entry.tar" --directory "$layout" oci-layout index.json blobs
  rm -r "$layout"
}

# blob FILE: moves it to its digest's name; prints digest and size.
blob() {
  local digest size
  digest=$(sha256sum "$1" | cut -d ' ' -f 1)
  size=$(stat --format %s "$1")
  mv "$1" "$(dirname "$1")/blobs/sha256/$digest"
  echo "sha256:$digest $size"
}

# descriptor TYPE DIGEST SIZE
descriptor() {
  echo "{\"mediaType\": \"$1\", \"digest\": \"$2\", \"size\": $3}"
}

oci_architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}
