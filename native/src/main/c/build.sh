#!/bin/sh
# build.sh TARGET: compiles the simulated driver and gpu-hog into TARGET/native and puts them among
# the jar's resources; drivers for the tests, each of which lacks something, go beside the tests.
# Run by Maven; needs gcc and nothing else. Does nothing when nothing has changed.
set -eu
cd "$(dirname "$0")"
target=$1
out=$target/native
resources=$target/classes/dev/cede/native/linux-$(uname -m)
variants=$target/test-classes/nvml-variants
stamp=$variants/built # the last thing made

if [ -f "$stamp" ] && [ -x "$resources/gpu-hog" ] && [ -z "$(find . -newer "$stamp")" ]; then
    exit 0
fi

cc=${CC:-gcc}
if ! command -v "$cc" >/dev/null 2>&1; then
    echo "Cede's native part is built with a C compiler and '$cc' was not found:" \
        "install gcc with the C library's headers (Debian: gcc libc6-dev), or set CC." >&2
    exit 1
fi

compile() { # ARGUMENT...
    "$cc" -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden "$@"
}

library() { # FILE FLAG...
    file=$1
    shift
    compile "$@" -shared -o "$file" nvml-sim.c nvml-sim-processes.c $common -ldl
}

hog() { # FLAG...
    compile "$@" -o "$out/gpu-hog" gpu-hog.c hog-options.c hog-proc.c $common
}

mkdir -p "$out" "$resources" "$variants"
common=
for source in slots card-conf nvml-codes; do
    compile -c -o "$out/$source.o" "$source.c"
    common="$common $out/$source.o"
done

library "$out/libnvidia-ml-sim.so"
# Static, so that it runs in an empty image; some C libraries come without their static form.
hog -static 2>/dev/null || hog
for file in libnvidia-ml-sim.so gpu-hog; do
    cp "$out/$file" "$resources/$file.new" # renamed into place: the old one may be running
    mv "$resources/$file.new" "$resources/$file"
done

library "$variants/only-unversioned.so" -DNVML_SIM_PROCESS_CALLS=1
library "$variants/only-v2.so" -DNVML_SIM_PROCESS_CALLS=2
library "$variants/only-v3.so" -DNVML_SIM_PROCESS_CALLS=4
library "$variants/wide-v3.so" -DNVML_SIM_PROCESS_CALLS=4 -DNVML_SIM_WIDE_PROCESSES
library "$variants/no-process-call.so" -DNVML_SIM_PROCESS_CALLS=0
library "$variants/no-memory-v2.so" -DNVML_SIM_NO_MEMORY_V2
touch "$stamp"
