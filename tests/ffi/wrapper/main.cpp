// The library, views of numbers, spaces.

#include "wrapper.hpp"

#include <numeric>

namespace {

void the_library() {
    CHECK(infill::version() == INFILL_VERSION);
    CHECK(std::string(infill::version_str()).find('.') != std::string::npos);
    CHECK((infill::capabilities() & INFILL_CAN_F64) != 0);
    CHECK(infill::align() == INFILL_ALIGN);
    CHECK(infill::words(2, 20) > infill::words(2, 20, INFILL_F32));
    CHECK(infill::choice_name("infill_model", INFILL_MODEL_GRID) == std::string("grid"));
    CHECK(infill::choice_number("infill_model", "grid") == INFILL_MODEL_GRID);
    CHECK(std::string(infill::text(INFILL_OK)) != infill::text(INFILL_ERROR_FULL));
}

void views() {
    const vector<double> from_vector{1, 2};
    const std::array<double, 2> from_array{1, 2};
    const double plain[] = {1, 2};
    for (infill::view view : {infill::view(from_vector), infill::view(from_array), infill::view(plain),
                              infill::view(plain, 2)}) {
        CHECK(view.size() == 2 && view[0] == 1 && view.data()[1] == 2);
        CHECK(std::accumulate(view.begin(), view.end(), 0.0) == 3);
    }
    CHECK(infill::view().size() == 0);
    CHECK([](infill::view view) { return view.size(); }({1, 2, 3}) == 3);
    static_assert(!std::is_convertible_v<vector<float>, infill::view>);
    static_assert(!std::is_convertible_v<const vector<std::uint64_t> &, infill::block>);
}

void spaces() {
    // Levels and values come from temporaries: nothing of them may be looked at later.
    infill::space space{infill::categorical(3), infill::integer(8, 512).log(),
                        infill::ordinal(vector<double>{16, 32, 64})};
    const auto momentum = space.add(infill::real(0, 0.99).when(0, infill::equals(2)));
    CHECK(momentum == 3);
    space.add(infill::real(0, 1).when(2, infill::in({16, 64})).when(1, infill::between(8, 100)));
    CHECK(space.dims() == 5);
    CHECK(!space.fault());
    const infill::space copy = space;
    space = infill::space();
    auto optimizer = infill::optimizer(copy, seeded(1, 30));
    bool differs = false;
    for (int i = 0; i < 12; ++i) {
        const auto ask = optimizer.ask();
        CHECK(ask.x[0] == 0 || ask.x[0] == 1 || ask.x[0] == 2);
        CHECK(ask.x[1] >= 8 && ask.x[1] <= 512 && ask.x[1] == std::floor(ask.x[1]));
        CHECK(ask.x[2] == 16 || ask.x[2] == 32 || ask.x[2] == 64);
        differs = differs || ask.x[2] != 16;
        optimizer.tell(ask.trial, ask.x[1]);
    }
    CHECK(differs);

    auto refused = [](infill::space bad) {
        return code([&] { infill::optimizer(bad, seeded(1)); });
    };
    CHECK(refused({}) == INFILL_ERROR_DIMENSIONS);
    CHECK(refused({infill::real(1, 1)}) == INFILL_ERROR_BOUNDS);
    CHECK(refused({infill::real(-1, 1).log()}) == INFILL_ERROR_BOUNDS);
    CHECK(refused({infill::integer(0.5, 2)}) == INFILL_ERROR_BOUNDS);
    CHECK(refused({infill::ordinal({})}) == INFILL_ERROR_LEVELS);
    CHECK(refused({infill::ordinal({2, 1})}) == INFILL_ERROR_LEVELS);
    CHECK(refused({infill::categorical(1)}) == INFILL_ERROR_LEVELS);
    CHECK(refused({infill::categorical(2).log()}) == INFILL_ERROR_BOUNDS);
    CHECK(refused({infill::real(0, 1).when(0, infill::equals(0))}) == INFILL_ERROR_CONDITION);
    CHECK(refused({infill::categorical(2), infill::real(0, 1).when(SIZE_MAX, infill::equals(0))}) ==
          INFILL_ERROR_CONDITION);
    CHECK(refused({infill::categorical(2), infill::real(0, 1).when(0, infill::in({}))}) == INFILL_ERROR_CONDITION);
    const infill::space faulty(vector<infill::param>{infill::real(0, 1), infill::real(2, 1)});
    CHECK(faulty.fault() == std::optional<std::size_t>(1));
    CHECK(infill::size(faulty) == 0 && infill::design_size(faulty) == 0);
}

/// Alternatives, defaults, what is forbidden and what stands for nothing.
void conditional_spaces() {
    infill::space space{infill::categorical(3), infill::integer(1, 9).when(0, infill::in({1, 2})).usual(4),
                        infill::real(0, 1).when(0, infill::equals(0)).or_when(1, infill::between(5, 9))};
    space.forbid({{0, infill::equals(1)}, {1, infill::between(3, 9)}}).forbid({{2, infill::between(0.25, 0.75)}});
    CHECK(!space.fault());
    for (const infill_impute impute : {INFILL_IMPUTE_CENTRE, INFILL_IMPUTE_USUAL, INFILL_IMPUTE_OUTSIDE,
                                       INFILL_IMPUTE_SCATTER}) {
        space.impute(impute);
        auto optimizer = infill::optimizer(space, seeded(1, 12));
        for (int i = 0; i < 10; i++) {
            const auto trial = optimizer.ask();
            const auto &x = trial.x;
            CHECK(!(x[0] == 1 && x[1] >= 3));
            const bool last = x[0] == 0 || x[1] >= 5;
            CHECK(!(last && x[2] >= 0.25 && x[2] <= 0.75));
            if (x[0] == 0 && impute != INFILL_IMPUTE_CENTRE && impute != INFILL_IMPUTE_SCATTER) CHECK(x[1] == 4);
            optimizer.tell(trial.trial, x[0]);
        }
    }
    infill::space bad = space;
    bad.forbid({{0, infill::equals(7)}});
    CHECK(bad.fault() == std::optional<std::size_t>(2) && infill::size(bad) == 0);
}

} // namespace

int main() {
    the_library();
    views();
    spaces();
    conditional_spaces();
    optimizers();
    processes();
    beyond();
    return failures();
}
