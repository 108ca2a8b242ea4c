# The images that the test bed itself needs: static programs, each alone in its image.
source "$root/deploy/image/oci.sh"

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
  local name=$1 files entry
  shift
  entry=$(basename "$1")
  files=$(mktemp -d "$folder/image.XXXXXX")
  cp "$@" "$files"
  mkdir -p "$folder/images"
  oci_image "$name" "{\"Entrypoint\": [\"/$entry\"]}" "$folder/images/$entry.tar" "$files" >/dev/null
  rm -r "$files"
}
