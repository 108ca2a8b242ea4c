/*
 * A stand-in for libnvidia-ml.so.1 on machines without a GPU. Its cards are files (card-conf.h,
 * slots.h) that may change while it runs; it keeps nothing in memory but how often it was
 * initialised, so it cannot be out of date.
 */
#define _GNU_SOURCE
#include "nvml-sim.h"

#include "nvml-abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int initialised;
static struct nvml_device devices[CARD_MAX];
static char folder[4096];

const char *sim_folder(void) {
    return folder;
}

static int find_folder(void) {
    const char *given = getenv("NVML_SIM_DIR");
    Dl_info self;
    if (given != NULL && given[0] != '\0') {
        snprintf(folder, sizeof folder, "%s", given);
        return NVML_SUCCESS;
    }
    if (dladdr(devices, &self) == 0 || self.dli_fname == NULL) {
        return NVML_ERROR_UNKNOWN;
    }
    snprintf(folder, sizeof folder, "%s", self.dli_fname);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return NVML_ERROR_UNKNOWN;
    }
    *slash = '\0';
    return NVML_SUCCESS;
}

static int driver_fault(const char *call) {
    struct driver_conf conf;
    return driver_load(folder, &conf) ? fault_of(&conf.faults, call) : NVML_ERROR_UNKNOWN;
}

int sim_card(const struct nvml_device *device, const char *call, struct card_conf *conf) {
    if (atomic_load(&initialised) <= 0) {
        return NVML_ERROR_UNINITIALIZED;
    }
    if (device == NULL || device < devices || device >= devices + CARD_MAX) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!card_exists(folder, device->index)) {
        return NVML_ERROR_GPU_IS_LOST;
    }
    if (!card_load(folder, device->index, conf)) {
        return NVML_ERROR_UNKNOWN;
    }
    return fault_of(&conf->faults, call);
}

int sim_uses(const struct nvml_device *device, const struct card_conf *conf,
             struct slot_uses *uses) {
    int fd = slots_open(folder, device->index);
    if (fd < 0 || slots_lock(fd) != 0) {
        fprintf(stderr, "nvml-sim: %s/card%d.slots: %s\n", folder, device->index,
                strerror(errno));
        return NVML_ERROR_OPERATING_SYSTEM;
    }
    int answer = slots_scan(fd, conf->linger_ms, VIEW_DRIVER, uses);
    slots_unlock(fd); /* closing alone is not enough while a fork of this process has it too */
    close(fd);
    return answer == 0 ? NVML_SUCCESS : NVML_ERROR_OPERATING_SYSTEM;
}

static int copy(const char *from, char *into, unsigned size) {
    if (into == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    size_t need = strlen(from) + 1;
    if (size < need) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    memcpy(into, from, need);
    return NVML_SUCCESS;
}

EXPORT int nvmlInit_v2(void) {
    int code = find_folder();
    if (code == NVML_SUCCESS) {
        code = driver_fault("init");
    }
    if (code == NVML_SUCCESS) {
        for (int i = 0; i < CARD_MAX; i++) {
            devices[i].index = i;
        }
        atomic_fetch_add(&initialised, 1);
    }
    return code;
}

EXPORT int nvmlInit(void) {
    return nvmlInit_v2();
}

EXPORT int nvmlShutdown(void) {
    if (atomic_fetch_sub(&initialised, 1) > 0) {
        return NVML_SUCCESS;
    }
    atomic_fetch_add(&initialised, 1);
    return NVML_ERROR_UNINITIALIZED;
}

EXPORT const char *nvmlErrorString(int code) {
    const char *name = nvml_code_name(code);
    return name == NULL ? "unknown return code" : name;
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned length) {
    struct driver_conf conf;
    if (atomic_load(&initialised) <= 0) {
        return NVML_ERROR_UNINITIALIZED;
    }
    return driver_load(folder, &conf) ? copy(conf.version, version, length) : NVML_ERROR_UNKNOWN;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count) {
    if (atomic_load(&initialised) <= 0) {
        return NVML_ERROR_UNINITIALIZED;
    }
    int code = driver_fault("count");
    *count = (unsigned)card_count(folder);
    return code;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct nvml_device **device) {
    struct card_conf conf;
    if (index >= (unsigned)card_count(folder)) {
        return atomic_load(&initialised) <= 0 ? NVML_ERROR_UNINITIALIZED
                                              : NVML_ERROR_INVALID_ARGUMENT;
    }
    *device = &devices[index];
    return sim_card(*device, "handle", &conf);
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, struct nvml_device **device) {
    struct card_conf conf;
    for (int i = 0; i < CARD_MAX && card_exists(folder, i); i++) {
        int code = sim_card(&devices[i], "handle", &conf);
        if (code == NVML_ERROR_UNINITIALIZED || code == NVML_ERROR_UNKNOWN) {
            return code;
        }
        if (strcmp(conf.uuid, uuid) == 0) {
            *device = &devices[i];
            return code;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

EXPORT int nvmlDeviceGetName(struct nvml_device *device, char *name, unsigned length) {
    struct card_conf conf;
    int code = sim_card(device, "name", &conf);
    return code == NVML_SUCCESS ? copy(conf.name, name, length) : code;
}

EXPORT int nvmlDeviceGetUUID(struct nvml_device *device, char *uuid, unsigned length) {
    struct card_conf conf;
    int code = sim_card(device, "uuid", &conf);
    return code == NVML_SUCCESS ? copy(conf.uuid, uuid, length) : code;
}

EXPORT int nvmlDeviceGetMinorNumber(struct nvml_device *device, unsigned *minor) {
    struct card_conf conf;
    int code = sim_card(device, "minor", &conf);
    if (code == NVML_SUCCESS) {
        *minor = conf.minor;
    }
    return code;
}

EXPORT int nvmlDeviceGetIndex(struct nvml_device *device, unsigned *index) {
    struct card_conf conf;
    int code = sim_card(device, "index", &conf);
    if (code == NVML_SUCCESS) {
        *index = (unsigned)device->index;
    }
    return code;
}

EXPORT int nvmlDeviceGetPciInfo_v3(struct nvml_device *device, struct nvml_pci_info *pci) {
    struct card_conf conf;
    int code = sim_card(device, "pci", &conf);
    if (code != NVML_SUCCESS) {
        return code;
    }
    memset(pci, 0, sizeof *pci);
    sscanf(conf.pci, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
    snprintf(pci->bus_id_legacy, sizeof pci->bus_id_legacy, "%04X:%02X:%02X.0",
             pci->domain & 0xffff, pci->bus & 0xff, pci->device & 0xff);
    return copy(conf.pci, pci->bus_id, sizeof pci->bus_id);
}

static int read_memory(struct nvml_device *device, const char *call,
                       struct nvml_memory_v2 *memory) {
    struct card_conf conf;
    struct slot_uses uses;
    int code = sim_card(device, call, &conf);
    if (code == NVML_SUCCESS) {
        code = fault_of(&conf.faults, "memory");
    }
    if (code == NVML_SUCCESS) {
        code = sim_uses(device, &conf, &uses);
    }
    if (code == NVML_SUCCESS) {
        memory->total = conf.total_bytes;
        memory->reserved = conf.reserved_bytes;
        memory->used = uses.bytes + ghost_bytes(&conf);
        uint64_t taken = memory->used + memory->reserved;
        memory->free = taken < memory->total ? memory->total - taken : 0;
    }
    return code;
}

/* The old form counts what the driver reserves as used. */
EXPORT int nvmlDeviceGetMemoryInfo(struct nvml_device *device, struct nvml_memory_v1 *memory) {
    struct nvml_memory_v2 full;
    int code = read_memory(device, "memory_v1", &full);
    if (code == NVML_SUCCESS) {
        *memory = (struct nvml_memory_v1){full.total, full.free, full.used + full.reserved};
    }
    return code;
}

#ifndef NVML_SIM_NO_MEMORY_V2
EXPORT int nvmlDeviceGetMemoryInfo_v2(struct nvml_device *device, struct nvml_memory_v2 *memory) {
    if (memory->version != NVML_MEMORY_V2) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    return read_memory(device, "memory_v2", memory);
}
#endif
