/* A backend on a GPU as a C program meets it: the list of adapters, a run, a fallback and its reason.
 *
 * Built with a libinfill that has the feature. Prints "no adapter" and ends well where there is none; with the argument
 * "none" the library has to be one without the feature, and to say so. */

#include "check.h"

#define EVALUATIONS 24

static int32_t bowl(void *user, const double *x, size_t dims, double *value) {
    size_t i;
    (void)user;
    *value = 0;
    for (i = 0; i < dims; i++)
        *value += (x[i] - 0.3) * (x[i] - 0.3);
    return 0;
}

static infill_opt *optimizer(uint32_t scalar, uint32_t trials) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(-1, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config;
    infill_opt *opt = NULL;
    OK(infill_config_default(&config, sizeof config));
    config.scalar = scalar;
    config.seed = 5;
    config.limits.trials = trials;
    OK(infill_new(&space, &config, &opt));
    return opt;
}

static infill_gpu_options software(void) {
    infill_gpu_options options;
    OK(infill_gpu_options_default(&options, sizeof options));
    options.software = 1;
    /* Everything is worth the way. */
    options.worth = 0;
    return options;
}

/* A build without the feature has the functions, and they say so. */
static void without(void) {
    infill_gpu_options options = software();
    infill_backend *made = NULL;
    infill_opt *opt = optimizer(INFILL_F64, EVALUATIONS);
    char text[32];
    uint32_t api = 7, software = 7;
    CHECK((infill_capabilities() & INFILL_CAN_GPU) == 0);
    CHECK(infill_gpu_count() == 0);
    STATUS(INFILL_ERROR_SHAPE, infill_gpu_adapter(0, text, sizeof text, &api, &software));
    STATUS(INFILL_ERROR_UNSUPPORTED, infill_backend_gpu(opt, &options, &made));
    STATUS(INFILL_ERROR_UNSUPPORTED, infill_backend_gpu(opt, NULL, &made));
    CHECK(made == NULL && api == 7 && software == 7);
    infill_free(opt);
}

static size_t list(void) {
    char name[256], cut[4];
    uint32_t api, soft;
    size_t i, count = infill_gpu_count();
    for (i = 0; i < count; i++) {
        OK(infill_gpu_adapter(i, name, sizeof name, &api, &soft));
        CHECK(strlen(name) > 0 && api >= INFILL_API_VULKAN && api <= INFILL_API_DX12 && soft <= 1);
        printf("adapter %lu: %s, api %u%s\n", (unsigned long)i, name, (unsigned)api, soft ? ", software" : "");
        OK(infill_gpu_adapter(i, cut, sizeof cut, &api, &soft));
        CHECK(strlen(cut) == 3 && strncmp(cut, name, 3) == 0);
    }
    STATUS(INFILL_ERROR_SHAPE, infill_gpu_adapter(count, name, sizeof name, &api, &soft));
    return count;
}

static void refused(void) {
    infill_gpu_options options = software();
    infill_backend *made = NULL;
    infill_opt *opt = optimizer(INFILL_F64, EVALUATIONS);
    options.name = "no adapter has this name";
    STATUS(INFILL_ERROR_BACKEND, infill_backend_gpu(opt, &options, &made));
    options = software();
    options.api = 9;
    STATUS(INFILL_ERROR_CONFIG, infill_backend_gpu(opt, &options, &made));
    options = software();
    options.size = 1;
    STATUS(INFILL_ERROR_VERSION, infill_backend_gpu(opt, &options, &made));
    CHECK(made == NULL);
    infill_free(opt);
}

/* The device proposes, in both scalars; there is no reason while it works. */
static void asked(uint32_t scalar) {
    infill_gpu_options options = software();
    infill_backend *gpu = NULL;
    infill_opt *opt = optimizer(scalar, EVALUATIONS);
    char reason[64];
    double x[2], value;
    infill_proposal proposal;
    int i;
    OK(infill_backend_gpu(opt, &options, &gpu));
    for (i = 0; i < EVALUATIONS / 2; i++) {
        OK(infill_ask_with(opt, gpu, x, 2, &proposal));
        CHECK(bowl(NULL, x, 2, &value) == 0);
        OK(infill_tell(opt, proposal.trial, value));
    }
    OK(infill_minimize_with(opt, gpu, bowl, NULL, NULL, EVALUATIONS / 2));
    OK(infill_best(opt, x, 2, &value));
    CHECK(value < 1e-3);
    STATUS(INFILL_ERROR_NO_DATA, infill_backend_reason(gpu, reason, sizeof reason));
    infill_backend_free(gpu);
    infill_free(opt);
}

/* The fault that a caller can bring about: no patience at all. The run goes on and ends as well. */
static void fallen(void) {
    infill_gpu_options options = software();
    infill_backend *gpu = NULL;
    infill_opt *opt = optimizer(INFILL_F64, EVALUATIONS);
    char reason[64] = "", cut[8];
    double x[2], value;
    options.patience = 0;
    OK(infill_backend_gpu(opt, &options, &gpu));
    OK(infill_minimize_with(opt, gpu, bowl, NULL, NULL, EVALUATIONS));
    OK(infill_best(opt, x, 2, &value));
    CHECK(value < 1e-3);
    OK(infill_backend_reason(gpu, reason, sizeof reason));
    printf("fallen back: %s\n", reason);
    CHECK(strstr(reason, "lost") != NULL);
    OK(infill_backend_reason(gpu, cut, sizeof cut));
    CHECK(strlen(cut) == 7 && strncmp(cut, reason, 7) == 0);
    STATUS(INFILL_ERROR_SHAPE, infill_backend_reason(gpu, cut, 0));
    STATUS(INFILL_ERROR_NULL, infill_backend_reason(NULL, cut, sizeof cut));
    STATUS(INFILL_ERROR_NULL, infill_backend_reason(gpu, NULL, sizeof cut));
    infill_backend_free(gpu);
    infill_free(opt);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "none") == 0) {
        without();
        return report("gpu without the feature");
    }
    CHECK((infill_capabilities() & INFILL_CAN_GPU) != 0);
    refused();
    if (list() == 0) {
        printf("no adapter\n");
        return report("gpu");
    }
    asked(INFILL_F64);
    asked(INFILL_F32);
    fallen();
    return report("gpu");
}
