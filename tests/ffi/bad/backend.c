/* Backends, and those on a GPU. */

#include "world.h"

static void backends(void) {
    infill_backend **backend = &w.out.backend;
    POINTER(backend, infill_backend_faer(1, backend));
    if (!(infill_capabilities() & INFILL_CAN_FAER)) {
        REFUSE(INFILL_ERROR_UNSUPPORTED, infill_backend_faer(1, backend));
    }
    POINTER(backend, infill_backend_gpu(opt, NULL, backend));
    POINTER(opt, infill_backend_gpu(opt, NULL, backend));
    if (!(infill_capabilities() & INFILL_CAN_GPU)) {
        REFUSE(INFILL_ERROR_UNSUPPORTED, infill_backend_gpu(opt, NULL, backend));
    }
    /* NULL is allowed here. */
    infill_backend_free(NULL);
}

static void gpus(void) {
    infill_gpu_options *filled = &w.out.gpu;
    uint32_t *api = &w.out.api, *software = &w.out.software;
    size_t none = infill_gpu_count();
    POINTER(filled, infill_gpu_options_default(filled, sizeof *filled));
    REFUSE(INFILL_ERROR_VERSION, infill_gpu_options_default(filled, sizeof *filled + 8));
    REFUSE(INFILL_ERROR_VERSION, infill_gpu_options_default(filled, sizeof *filled - 8));
    POINTER(api, infill_gpu_adapter(none, w.out.text, sizeof w.out.text, api, software));
    POINTER(software, infill_gpu_adapter(none, w.out.text, sizeof w.out.text, api, software));
    REFUSE(INFILL_ERROR_NULL, infill_gpu_adapter(none, NULL, sizeof w.out.text, api, software));
    REFUSE(INFILL_ERROR_SHAPE, infill_gpu_adapter(none, w.out.text, sizeof w.out.text, api, software));
    REFUSE(INFILL_ERROR_NULL, infill_backend_reason(NULL, w.out.text, sizeof w.out.text));
    REFUSE(INFILL_ERROR_NULL, infill_backend_reason(NULL, NULL, sizeof w.out.text));
}

static void work(void) {
    backends();
    gpus();
}

int main(void) { return in_both_scalars("bad/backend", work); }
