/* Spaces with names as JSON documents: good input, then bad. */

#include "check.h"

static const char TEXT[] =
    "{\"name\": \"tree\", \"hyperparameters\": ["
    "{\"name\": \"kind\", \"type\": \"categorical\", \"choices\": [\"forest\", \"boosted\", \"none\"], \"default_value\": \"boosted\"},"
    "{\"name\": \"seed\", \"type\": \"constant\", \"value\": 42},"
    "{\"name\": \"trees\", \"type\": \"uniform_int\", \"lower\": 1, \"upper\": 100, \"log\": true, \"default_value\": 10},"
    "{\"name\": \"depth\", \"type\": \"ordinal\", \"sequence\": [\"low\", \"high\"], \"default_value\": \"low\"},"
    "{\"name\": \"rate\", \"type\": \"uniform_float\", \"lower\": 0.5, \"upper\": 1.5, \"log\": false, \"default_value\": 1.0}],"
    "\"conditions\": [{\"child\": \"rate\", \"parent\": \"kind\", \"type\": \"EQ\", \"value\": \"boosted\"},"
    "{\"child\": \"trees\", \"parent\": \"kind\", \"type\": \"IN\", \"values\": [\"forest\", \"boosted\"]}],"
    "\"forbiddens\": [{\"type\": \"AND\", \"clauses\": [{\"type\": \"EQUALS\", \"name\": \"kind\", \"value\": \"forest\"},"
    "{\"type\": \"EQUALS\", \"name\": \"depth\", \"value\": \"high\"}]}]}";

static void read_and_run(void) {
    infill_document *document = NULL, *again = NULL;
    const infill_space *space = NULL;
    infill_opt *opt = NULL;
    infill_config config = small_config(INFILL_F64);
    char text[2048], name[16], values[256];
    double x[4], back[4], vector[5];
    size_t length = 0, needed = 0;
    int i;

    OK(infill_document_read(TEXT, strlen(TEXT), &document));
    OK(infill_document_space(document, &space));
    CHECK(space->dims == 4 && space->count == 2 && space->terms == 2);
    OK(infill_document_name(document, 2, name, sizeof name, &length));
    CHECK(strcmp(name, "depth") == 0 && length == 5);

    /* What is written is read as the same. */
    OK(infill_document_write(document, NULL, 0, &needed));
    CHECK(needed > 100 && needed < sizeof text);
    STATUS(INFILL_ERROR_MEMORY, infill_document_write(document, text, needed, &length));
    OK(infill_document_write(document, text, needed + 1, &length));
    CHECK(length == needed && strlen(text) == needed);
    OK(infill_document_read(text, length, &again));
    OK(infill_document_write(again, text, sizeof text, &length));
    CHECK(length == needed);

    OK(infill_document_point(document, "{\"kind\": \"none\", \"depth\": \"high\"}", 33, x, 4));
    CHECK(x[0] == 2 && x[1] == 10 && x[2] == 1 && x[3] == 1);
    OK(infill_document_values(document, x, 4, values, sizeof values, &length));
    CHECK(strcmp(values, "{\"kind\":\"none\",\"seed\":42,\"depth\":\"high\"}") == 0);
    OK(infill_document_vector(document, x, 4, vector, 5));
    CHECK(vector[0] == 2 && vector[1] == 1 && isnan(vector[2]) && vector[3] == 1 && isnan(vector[4]));

    /* A run in its space: what is forbidden never comes, and names lead back to the same point. */
    config.limits.dims = 4;
    config.limits.conditions = 2;
    config.limits.levels = 16;
    config.limits.terms = 2;
    {
        size_t size = infill_size(space, &config);
        void *mem = reserve(size);
        CHECK(size > 0);
        OK(infill_init(mem, size, space, &config, &opt));
        for (i = 0; i < 12; i++) {
            infill_trial trial;
            OK(infill_ask(opt, x, 4, &trial));
            CHECK(!(x[0] == 0 && x[2] == 1));
            OK(infill_document_values(document, x, 4, values, sizeof values, &length));
            OK(infill_document_point(document, values, length, back, 4));
            CHECK(back[0] == x[0] && back[2] == x[2]);
            if (x[0] == 1) CLOSE(x[3], back[3], 1e-15);
            OK(infill_tell(opt, trial, x[0] == 1 ? fabs(x[3] - 0.75) : 1 + x[2]));
        }
        free(mem);
    }
    infill_document_free(again);
    infill_document_free(document);
}

static void of_a_space(void) {
    infill_param params[] = {INFILL_CATEGORICAL(3), INFILL_REAL_LOG(0.001, 10)};
    infill_space space = INFILL_SPACE(params, 2);
    const char *names[] = {"kind", "rate"}, *twice[] = {"kind", "kind"};
    infill_document *document = NULL;
    char name[16];
    size_t length = 0;

    OK(infill_document_of(&space, names, &document));
    OK(infill_document_name(document, 1, name, sizeof name, &length));
    CHECK(strcmp(name, "rate") == 0);
    infill_document_free(document);
    OK(infill_document_of(&space, NULL, &document));
    OK(infill_document_name(document, 1, name, sizeof name, &length));
    CHECK(strcmp(name, "x1") == 0);
    infill_document_free(document);
    STATUS(INFILL_ERROR_BOUNDS, infill_document_of(&space, twice, &document));
    STATUS(INFILL_ERROR_NULL, infill_document_of(NULL, NULL, &document));
    STATUS(INFILL_ERROR_NULL, infill_document_of(&space, NULL, NULL));
}

static void bad(void) {
    infill_document *document = NULL, *none = NULL;
    const infill_space *space = NULL;
    char text[16] = "unwritten";
    double x[4] = {0, 0, 0, 0}, vector[5];
    size_t length = 7;

    STATUS(INFILL_ERROR_NULL, infill_document_read(NULL, 3, &none));
    STATUS(INFILL_ERROR_NULL, infill_document_read(TEXT, strlen(TEXT), NULL));
    STATUS(INFILL_ERROR_FORMAT, infill_document_read(TEXT, 0, &none));
    STATUS(INFILL_ERROR_FORMAT, infill_document_read(TEXT, strlen(TEXT) - 1, &none));
    STATUS(INFILL_ERROR_FORMAT, infill_document_read("\"\xff\"", 3, &none));
    STATUS(INFILL_ERROR_DIMENSIONS, infill_document_read("{\"hyperparameters\": []}", 23, &none));
    CHECK(none == NULL);

    OK(infill_document_read(TEXT, strlen(TEXT), &document));
    STATUS(INFILL_ERROR_NULL, infill_document_space(NULL, &space));
    STATUS(INFILL_ERROR_NULL, infill_document_space(document, NULL));
    STATUS(INFILL_ERROR_NULL, infill_document_write(NULL, text, sizeof text, &length));
    STATUS(INFILL_ERROR_NULL, infill_document_write(document, NULL, 4, &length));
    STATUS(INFILL_ERROR_NULL, infill_document_write(document, text, sizeof text, NULL));
    STATUS(INFILL_ERROR_MEMORY, infill_document_write(document, text, sizeof text, &length));
    STATUS(INFILL_ERROR_SHAPE, infill_document_name(document, 4, text, sizeof text, &length));
    STATUS(INFILL_ERROR_MEMORY, infill_document_name(document, 0, text, 4, &length));
    STATUS(INFILL_ERROR_NULL, infill_document_name(NULL, 0, text, sizeof text, &length));
    STATUS(INFILL_ERROR_SHAPE, infill_document_values(document, x, 3, text, sizeof text, &length));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_document_values(document, x, 4, text, sizeof text, &length));
    STATUS(INFILL_ERROR_NULL, infill_document_values(document, NULL, 4, text, sizeof text, &length));
    STATUS(INFILL_ERROR_FORMAT, infill_document_point(document, "3", 1, x, 4));
    STATUS(INFILL_ERROR_FORMAT, infill_document_point(document, "{\"nobody\": 1}", 13, x, 4));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_document_point(document, "{\"kind\": 1}", 11, x, 4));
    STATUS(INFILL_ERROR_SHAPE, infill_document_point(document, "{}", 2, x, 3));
    STATUS(INFILL_ERROR_NULL, infill_document_point(document, "{}", 2, NULL, 4));
    CHECK(x[0] == 0 && x[3] == 0);
    x[1] = 5, x[3] = 1;
    STATUS(INFILL_ERROR_SHAPE, infill_document_vector(document, x, 4, vector, 4));
    STATUS(INFILL_ERROR_NULL, infill_document_vector(document, x, 4, NULL, 5));
    CHECK(strcmp(text, "unwritten") == 0 && length == 7 && space == NULL);
    infill_document_free(document);
    infill_document_free(NULL);
}

int main(void) {
    if (infill_capabilities() & INFILL_CAN_STD) {
        read_and_run();
        of_a_space();
        bad();
    }
    return report("document");
}
