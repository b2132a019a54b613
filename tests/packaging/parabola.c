/* Finds the bottom of a parabola and prints it with the version of the library. */
#include <infill.h>
#include <stdio.h>

static int32_t parabola(void *user, const double *x, size_t dims, double *value)
{
    (void)user;
    (void)dims;
    *value = (x[0] - 2) * (x[0] - 2);
    return 0;
}

int main(void)
{
    infill_param params[] = {INFILL_REAL(-5, 10)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_config config;
    infill_opt *opt;
    double x, value;
    infill_config_default(&config, sizeof config);
    if (infill_version() != INFILL_VERSION || infill_new(&space, &config, &opt) != INFILL_OK)
        return 1;
    infill_minimize(opt, parabola, NULL, 15);
    infill_best(opt, &x, 1, &value);
    infill_free(opt);
    printf("%s %.2f\n", infill_version_str(), x);
    return 0;
}
