/* Which library this is, and what its statuses say. */

#include "good.h"

static void version(void) {
    char text[32];
    CHECK(infill_version() == INFILL_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", INFILL_VERSION_MAJOR, INFILL_VERSION_MINOR, INFILL_VERSION_PATCH);
    CHECK(strcmp(infill_version_str(), text) == 0);
    CHECK((infill_capabilities() & INFILL_CAN_STD) && (infill_capabilities() & INFILL_CAN_F32));
    CHECK(infill_capabilities() & INFILL_CAN_F64);
    CHECK(strcmp(infill_status_str(INFILL_OK), "all is well") == 0);
    CHECK(strcmp(infill_status_str(1), infill_status_str(-1000)) == 0);
    for (int32_t status = -69; status <= 0; status++) {
        /* Every status has a sentence of its own, numbers between have the common one. */
        int known = status >= -28 || status <= -64;
        CHECK(known == (strcmp(infill_status_str(status), infill_status_str(1)) != 0));
    }
}

int main(void) {
    version();
    return report("good/library");
}
