/* Backends: those that this build has work, the others are refused. */

#include "good.h"

static void backend(void) {
    infill_backend *made = NULL;
    if (infill_capabilities() & INFILL_CAN_FAER) {
        OK(infill_backend_faer(1, &made));
        CHECK(made != NULL);
    } else {
        STATUS(INFILL_ERROR_UNSUPPORTED, infill_backend_faer(1, &made));
        CHECK(made == NULL);
    }
    infill_backend_free(made);
    infill_backend_free(NULL);
}

static int32_t parabola(void *user, const double *x, size_t dims, double *value) {
    (void)user, (void)dims;
    *value = (x[0] - 0.25) * (x[0] - 0.25);
    return 0;
}

static void gpu(void) {
    infill_param params[] = {INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_config config = small_config(INFILL_F64);
    infill_gpu_options options;
    infill_backend *made = NULL;
    infill_opt *opt = NULL;
    char text[64];
    uint32_t api, software;
    double x, value;
    size_t i, count = infill_gpu_count();
    OK(infill_gpu_options_default(&options, sizeof options));
    CHECK(options.size == sizeof options && options.name == NULL && options.patience == 60 && options.software == 0);
    CHECK(options.power == INFILL_POWER_HIGH && options.api == INFILL_API_ANY);
    for (i = 0; i < count; i++) {
        OK(infill_gpu_adapter(i, text, sizeof text, &api, &software));
        CHECK(strlen(text) > 0 && api >= INFILL_API_VULKAN && api <= INFILL_API_DX12 && software <= 1);
        OK(infill_gpu_adapter(i, text, 1, &api, &software));
        CHECK(text[0] == 0);
    }
    STATUS(INFILL_ERROR_SHAPE, infill_gpu_adapter(count, text, sizeof text, &api, &software));
    OK(infill_new(&space, &config, &opt));
    if (!(infill_capabilities() & INFILL_CAN_GPU)) {
        CHECK(count == 0);
        STATUS(INFILL_ERROR_UNSUPPORTED, infill_backend_gpu(opt, &options, &made));
        CHECK(made == NULL);
    } else {
        options.name = "no adapter has this name";
        options.software = 1;
        STATUS(INFILL_ERROR_BACKEND, infill_backend_gpu(opt, &options, &made));
        options.name = NULL;
        options.worth = 0;
        if (count > 0) {
            OK(infill_backend_gpu(opt, &options, &made));
            OK(infill_minimize_with(opt, made, parabola, NULL, NULL, 10));
            OK(infill_best(opt, &x, 1, &value));
            CHECK(value < 1e-2);
            STATUS(INFILL_ERROR_NO_DATA, infill_backend_reason(made, text, sizeof text));
        }
    }
    infill_backend_free(made);
    infill_free(opt);
}

int main(void) {
    backend();
    gpu();
    return report("good/backend");
}
