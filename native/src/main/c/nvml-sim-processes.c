/*
 * The process lists of the simulated driver, in each form that drivers have offered them.
 * NVML_SIM_PROCESS_CALLS says which forms this library has: 1 unversioned, 2 _v2, 4 _v3.
 * NVML_SIM_WIDE_PROCESSES makes entries 32 bytes wide, as some drivers of one series did.
 */
#include "nvml-abi.h"
#include "nvml-sim.h"

#include <string.h>

#ifndef NVML_SIM_PROCESS_CALLS
#define NVML_SIM_PROCESS_CALLS 7
#endif
#ifdef NVML_SIM_WIDE_PROCESSES
#define NEW_STRIDE (sizeof(struct nvml_process_v2) + sizeof(uint64_t))
#else
#define NEW_STRIDE sizeof(struct nvml_process_v2)
#endif
#define OLD_STRIDE sizeof(struct nvml_process_v1)
#define ENTRY_MAX (SLOT_COUNT + GHOST_MAX)

struct entries {
    unsigned count;
    struct nvml_process_v2 entry[ENTRY_MAX];
};

static void add(struct entries *entries, uint32_t pid, uint64_t bytes) {
    entries->entry[entries->count++] = (struct nvml_process_v2){pid, bytes, UINT32_MAX, UINT32_MAX};
}

static int collect(struct nvml_device *device, bool graphics, struct entries *entries) {
    struct card_conf conf;
    struct slot_uses uses;
    int code = sim_card(device, graphics ? "graphics" : "compute", &conf);
    if (code == NVML_SUCCESS) {
        code = sim_uses(device, &conf, &uses);
    }
    if (code != NVML_SUCCESS) {
        return code;
    }
    entries->count = 0;
    for (int i = 0; i < uses.count && !graphics; i++) {
        if (uses.use[i].pid != 0) { /* a holder outside the caller's PID namespace has no name */
            add(entries, uses.use[i].pid, uses.use[i].bytes);
        }
    }
    for (int i = 0; i < conf.ghost_count; i++) {
        if (conf.ghost[i].graphics == graphics) {
            add(entries, conf.ghost[i].pid, conf.ghost[i].bytes);
        }
    }
    return NVML_SUCCESS;
}

__attribute__((unused)) /* in a driver without any of the calls */
static int list(struct nvml_device *device, bool graphics, unsigned *count, char *infos,
                size_t stride) {
    struct entries entries;
    if (count == NULL || (*count > 0 && infos == NULL)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    int code = collect(device, graphics, &entries);
    if (code != NVML_SUCCESS) {
        return code;
    }
    unsigned room = *count;
    *count = entries.count;
    if (room < entries.count) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    size_t known = stride < sizeof entries.entry[0] ? stride : sizeof entries.entry[0];
    for (unsigned i = 0; i < entries.count; i++) {
        memset(infos + i * stride, 0, stride);
        memcpy(infos + i * stride, &entries.entry[i], known);
    }
    return NVML_SUCCESS;
}

#define PROCESS_CALL(name, graphics, stride)                                                       \
    EXPORT int name(struct nvml_device *device, unsigned *count, void *infos) {                    \
        return list(device, graphics, count, infos, stride);                                       \
    }

#if NVML_SIM_PROCESS_CALLS & 1
PROCESS_CALL(nvmlDeviceGetComputeRunningProcesses, false, OLD_STRIDE)
PROCESS_CALL(nvmlDeviceGetGraphicsRunningProcesses, true, OLD_STRIDE)
#endif
#if NVML_SIM_PROCESS_CALLS & 2
PROCESS_CALL(nvmlDeviceGetComputeRunningProcesses_v2, false, NEW_STRIDE)
PROCESS_CALL(nvmlDeviceGetGraphicsRunningProcesses_v2, true, NEW_STRIDE)
#endif
#if NVML_SIM_PROCESS_CALLS & 4
PROCESS_CALL(nvmlDeviceGetComputeRunningProcesses_v3, false, NEW_STRIDE)
PROCESS_CALL(nvmlDeviceGetGraphicsRunningProcesses_v3, true, NEW_STRIDE)
#endif
