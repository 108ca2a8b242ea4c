/*
 * The part of NVIDIA's management library that the simulation offers: names, numbers and layouts
 * as its public interface fixes them (NVML API reference, nvml.h).
 */
#ifndef CEDE_NVML_ABI_H
#define CEDE_NVML_ABI_H

#include <stdint.h>

#define NVML_SUCCESS 0
#define NVML_ERROR_UNINITIALIZED 1
#define NVML_ERROR_INVALID_ARGUMENT 2
#define NVML_ERROR_NOT_FOUND 6
#define NVML_ERROR_INSUFFICIENT_SIZE 7
#define NVML_ERROR_GPU_IS_LOST 15
#define NVML_ERROR_OPERATING_SYSTEM 17
#define NVML_ERROR_ARGUMENT_VERSION_MISMATCH 25
#define NVML_ERROR_UNKNOWN 999

struct nvml_memory_v1 {
    uint64_t total, free, used;
};

struct nvml_memory_v2 {
    uint32_t version;
    uint64_t total, reserved, free, used;
};
#define NVML_MEMORY_V2 (sizeof(struct nvml_memory_v2) | 2U << 24)
_Static_assert(NVML_MEMORY_V2 == (40 | 2 << 24), "nvmlMemory_v2");

struct nvml_pci_info {
    char bus_id_legacy[16];
    uint32_t domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
};
_Static_assert(sizeof(struct nvml_pci_info) == 68, "nvmlPciInfo_t");

struct nvml_process_v1 {
    uint32_t pid;
    uint64_t used_bytes;
};
_Static_assert(sizeof(struct nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");

struct nvml_process_v2 {
    uint32_t pid;
    uint64_t used_bytes;
    uint32_t gpu_instance, compute_instance; /* all ones: not a part of a split card */
};
_Static_assert(sizeof(struct nvml_process_v2) == 24, "nvmlProcessInfo_v2_t");

/* The number of a return code's name without NVML_ERROR_, and back; -1 and NULL when unknown. */
int nvml_code(const char *name);
const char *nvml_code_name(int code);

#endif
