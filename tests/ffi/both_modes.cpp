// A program with a part in each mode: the linker must not take a function of one for that of the other.

#include "infill.hpp"

#include "check.hpp"

int without_exceptions();

int main() {
    CHECK(without_exceptions() == 0);
    infill::optimizer optimizer({infill::real(0, 1)});
    infill_status code = INFILL_OK;
    try {
        optimizer.tell(1, 1);
    } catch (const infill::error &error) {
        code = error.code();
    }
    CHECK(code == INFILL_ERROR_STALE_TRIAL && optimizer.ask().x.size() == 1 && !optimizer.best());
    return failures();
}
