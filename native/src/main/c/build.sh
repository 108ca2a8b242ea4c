#!/bin/sh
# Compiles the simulated driver and gpu-hog: build.sh OUT, and with a second folder the simulated
# drivers of the tests, each of which lacks something. Run by Maven; needs gcc and nothing else.
set -eu
cd "$(dirname "$0")"
out=$1
cc=${CC:-gcc}
if ! command -v "$cc" >/dev/null 2>&1; then
    echo "Cede's native part is built with a C compiler and '$cc' was not found:" \
        "install gcc with the C library's headers (Debian: gcc libc6-dev), or set CC." >&2
    exit 1
fi
flags="-std=gnu11 -O2 -g0 -Wall -Wextra -Werror -fPIC -fvisibility=hidden"

library() { # FILE FLAG...
    file=$1
    shift
    # shellcheck disable=SC2086
    "$cc" $flags "$@" -shared -o "$file.new" \
        nvml-sim.c nvml-sim-processes.c nvml-codes.c card-conf.c slots.c -ldl
    mv "$file.new" "$file"
}

hog() { # FILE FLAG...
    file=$1
    shift
    # shellcheck disable=SC2086
    "$cc" $flags "$@" -o "$file.new" \
        gpu-hog.c hog-options.c hog-proc.c nvml-codes.c card-conf.c slots.c &&
        mv "$file.new" "$file"
}

mkdir -p "$out"
library "$out/libnvidia-ml-sim.so"
# Static, so that it runs in an empty image; some C libraries come without their static form.
hog "$out/gpu-hog" -static 2>/dev/null || hog "$out/gpu-hog"

if [ $# -gt 1 ]; then
    mkdir -p "$2"
    library "$2/only-unversioned.so" -DNVML_SIM_PROCESS_CALLS=1
    library "$2/only-v2.so" -DNVML_SIM_PROCESS_CALLS=2
    library "$2/only-v3.so" -DNVML_SIM_PROCESS_CALLS=4
    library "$2/wide-v3.so" -DNVML_SIM_PROCESS_CALLS=4 -DNVML_SIM_WIDE_PROCESSES
    library "$2/no-process-call.so" -DNVML_SIM_PROCESS_CALLS=0
    library "$2/no-memory-v2.so" -DNVML_SIM_NO_MEMORY_V2
fi
