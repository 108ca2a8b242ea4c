# Container images without an engine: a tar in OCI layout; sourced by the scripts that make images.
# The same files give the same image, whenever and by whomever they are made.

# oci_image NAME CONFIG TAR FOLDER...: writes an image to the TAR, with each FOLDER's content as a
# layer; CONFIG is the JSON object that says what runs in it and how. Prints the image's digest.
oci_image() {
  local name=$1 config=$2 tar=$3 layout layer manifest layers= diffs=
  shift 3
  layout=$(mktemp -d "${TMPDIR:-/tmp}/cede-image.XXXXXX")
  mkdir -p "$layout/blobs/sha256"
  for layer in "$@"; do
    same_tar "$layout/layer" "$layer" .
    layer=$(oci_blob "$layout/layer")
    diffs+=${diffs:+, }"\"${layer%% *}\""
    layers+=${layers:+, }$(oci_descriptor application/vnd.oci.image.layer.v1.tar $layer)
  done
  cat >"$layout/config" <<END
{"architecture": "$(oci_architecture)", "os": "linux", "config": $config,
 "rootfs": {"type": "layers", "diff_ids": [$diffs]}}
END
  config=$(oci_blob "$layout/config")
  cat >"$layout/manifest" <<END
{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
 "config": $(oci_descriptor application/vnd.oci.image.config.v1+json $config),
 "layers": [$layers]}
END
  manifest=$(oci_blob "$layout/manifest")
  cat >"$layout/index.json" <<END
{"schemaVersion": 2, "manifests": [{
 "mediaType": "application/vnd.oci.image.manifest.v1+json",
 "digest": "${manifest%% *}", "size": ${manifest##* },
 "annotations": {"io.containerd.image.name": "$name",
                 "org.opencontainers.image.ref.name": "${name##*:}"}}]}
END
  echo '{"imageLayoutVersion": "1.0.0"}' >"$layout/oci-layout"
  same_tar "$tar" "$layout" oci-layout index.json blobs
  rm -r "$layout"
  echo "${manifest%% *}"
}

# same_tar TAR FOLDER FILE...: no clock, user or file mask of the machine gets into it.
same_tar() {
  local tar=$1 folder=$2
  shift 2
  tar --create --format=gnu --file "$tar" --directory "$folder" --sort=name --mtime=@0 \
    --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$@"
}

# oci_blob FILE: moves it to its digest's name; prints digest and size.
oci_blob() {
  local digest size
  digest=$(sha256sum "$1" | cut -d ' ' -f 1)
  size=$(stat --format %s "$1")
  mv "$1" "$(dirname "$1")/blobs/sha256/$digest"
  echo "sha256:$digest $size"
}

# oci_descriptor TYPE DIGEST SIZE
oci_descriptor() {
  echo "{\"mediaType\": \"$1\", \"digest\": \"$2\", \"size\": $3}"
}

oci_architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}
