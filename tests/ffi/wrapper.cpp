// Every function of infill.hpp, called and checked, in the mode that throws.

#include "infill.hpp"

#include "check.hpp"

#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#if __cplusplus >= 202002L
#include <span>
#endif

using std::vector;

/// The status that a call fails with; INFILL_OK if it does not.
template <class F>
infill_status code(F &&call) {
    try {
        call();
    } catch (const infill::error &error) {
        CHECK(std::string(error.what()) == infill::text(error.code()));
        return error.code();
    }
    return INFILL_OK;
}

double bowl(const vector<double> &x) { return (x[0] - 1) * (x[0] - 1) + x[1] * x[1]; }

infill::space plane() { return {infill::real(-5, 10), infill::real(0, 15)}; }

infill::config seeded(std::uint64_t seed, std::uint32_t trials = 20) {
    infill::config config;
    config.seed = seed;
    config.limits.trials = trials;
    return config;
}

void the_library() {
    CHECK(infill::version() == INFILL_VERSION);
    CHECK(std::string(infill::version_text()).find('.') != std::string::npos);
    CHECK((infill::capabilities() & INFILL_CAN_F64) != 0);
    CHECK(infill::align() == INFILL_ALIGN);
    CHECK(infill::words(2, 20) > infill::words(2, 20, INFILL_F32));
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
    CHECK(refused({infill::categorical(2).log()}) == INFILL_ERROR_CONFIG);
    CHECK(refused({infill::real(0, 1).when(0, infill::equals(0))}) == INFILL_ERROR_CONDITION);
    CHECK(refused({infill::categorical(2), infill::real(0, 1).when(SIZE_MAX, infill::equals(0))}) ==
          INFILL_ERROR_CONDITION);
    CHECK(refused({infill::categorical(2), infill::real(0, 1).when(0, infill::in({}))}) == INFILL_ERROR_CONDITION);
    const infill::space faulty(vector<infill::param>{infill::real(0, 1), infill::real(2, 1)});
    CHECK(faulty.fault() == std::optional<std::size_t>(1));
    CHECK(infill::size(faulty) == 0 && infill::design_size(faulty) == 0);
}

void whole_loop() {
    infill::optimizer optimizer(plane(), seeded(3, 60));
    std::uint32_t steps = 0;
    auto found = optimizer.minimize(bowl, 20, [&](const infill::step &step) {
        ++steps;
        CHECK(step.evaluation == steps && step.evaluations == 20 && step.x.size() == 2);
        CHECK(step.value == bowl({step.x[0], step.x[1]}) && step.best <= step.value);
    });
    CHECK(steps == 20 && !found.stopped && optimizer.closed() == 20);
    CHECK(found.value < 0.5 && found.value == bowl(found.x));

    // Other callables: one that is no function and counts, one of views, one without progress.
    struct {
        int calls = 0;
        double operator()(infill::view x) { return ++calls, x[0] + x[1]; }
    } counting;
    infill::optimizer sums(plane(), seeded(4));
    CHECK(sums.minimize(counting, 5).x.size() == 2 && counting.calls == 5);
    sums.minimize([](const auto &x) { return x[0]; }, 1);
#if __cplusplus >= 202002L
    sums.minimize([](std::span<const double> x) { return x[0]; }, 1);
#endif

    // Progress stops the run after the third evaluation, which is kept.
    infill::optimizer stopping(plane(), seeded(5));
    found = stopping.minimize(bowl, 10, [](const infill::step &step) { return step.evaluation < 3; });
    CHECK(found.stopped && stopping.closed() == 3 && !found.x.empty());

    // NaN is a failed evaluation, and a run of nothing else finds nothing.
    infill::optimizer failing(plane(), seeded(6));
    bool heard = false;
    found = failing.minimize([](const vector<double> &) { return std::nan(""); }, 3, [&](const infill::step &step) {
        heard = std::isnan(step.value) && std::isnan(step.best);
    });
    CHECK(heard && found.x.empty() && std::isnan(found.value) && !found.stopped && failing.closed() == 3);
    CHECK(!failing.best());
    for (const auto &trial : failing.trials()) CHECK(trial.state == INFILL_STATE_FAILED && std::isnan(trial.value));

    // A full block ends a run with its error; what was told is kept.
    infill::optimizer small(plane(), seeded(7, 4));
    CHECK(code([&] { small.minimize(bowl, 5); }) == INFILL_ERROR_FULL);
    CHECK(small.closed() == 4);
}

void exceptions() {
    struct broken {
        int code;
    };
    infill::optimizer optimizer(plane(), seeded(8));
    int calls = 0, caught = 0;
    auto objective = [&](const vector<double> &x) {
        if (++calls == 4) throw broken{42};
        return bowl(x);
    };
    try {
        optimizer.minimize(objective, 10);
    } catch (const broken &error) {
        caught = error.code;
    }
    CHECK(caught == 42 && calls == 4);
    CHECK(optimizer.closed() == 3 && optimizer.count() == 3);

    CHECK(!optimizer.minimize(objective, 6).stopped && calls == 10 && optimizer.closed() == 9);

    std::string message;
    try {
        optimizer.minimize(bowl, 5, [](const infill::step &) -> bool { throw std::runtime_error("no more"); });
    } catch (const std::runtime_error &error) {
        message = error.what();
    }
    CHECK(message == "no more" && optimizer.closed() == 10);
}

void ask_and_tell() {
    infill::optimizer optimizer(plane(), seeded(9, 30));
    CHECK(!optimizer.best() && !optimizer.recommend() && !optimizer.predict({0, 0}));
    CHECK(optimizer.dims() == 2 && optimizer.scalar() == INFILL_F64 && optimizer.remaining() == 30);

    const auto first = optimizer.ask();
    CHECK(first.origin == INFILL_ORIGIN_DESIGN && std::isnan(first.acquisition));
    std::array<double, 2> x{};
    const infill_trial second = optimizer.ask_into(x);
    CHECK(second != first.trial && (x[0] != first.x[0] || x[1] != first.x[1]));
    optimizer.tell(first.trial, bowl(first.x));
    CHECK(code([&] { optimizer.tell(first.trial, 1); }) == INFILL_ERROR_STALE_TRIAL);
    CHECK(code([&] { optimizer.tell(second, std::nan("")); }) == INFILL_ERROR_NOT_FINITE);
    CHECK(code([&] { optimizer.tell_noisy(second, 1, -1); }) == INFILL_ERROR_NOT_FINITE);
    optimizer.tell_noisy(second, bowl({x[0], x[1]}), 0.25);
    CHECK(optimizer.find(second)->variance == 0.25 && optimizer.find(second)->state == INFILL_STATE_DONE);

    const infill_trial queued = optimizer.enqueue({1, 0.5});
    CHECK(optimizer.find(queued)->state == INFILL_STATE_QUEUED);
    const auto third = optimizer.ask();
    CHECK(third.trial == queued && third.origin == INFILL_ORIGIN_QUEUE && third.x == (vector<double>{1, 0.5}));
    optimizer.fail(third.trial);
    CHECK(optimizer.find(queued)->state == INFILL_STATE_FAILED);

    const auto lost = optimizer.ask();
    optimizer.forget(lost.trial);
    CHECK(!optimizer.find(lost.trial));
    CHECK(code([&] { optimizer.forget(lost.trial); }) == INFILL_ERROR_STALE_TRIAL);
    CHECK(code([&] { optimizer.fail(lost.trial); }) == INFILL_ERROR_STALE_TRIAL);

    const infill_trial seen = optimizer.observe(vector<double>{1, 0.25}, 0.0625);
    CHECK(optimizer.best()->value == 0.0625 && optimizer.best()->x == (vector<double>{1, 0.25}));
    CHECK(code([&] { optimizer.observe({1, 2, 3}, 0); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { optimizer.observe({1, 2}, INFINITY); }) == INFILL_ERROR_NOT_FINITE);
    CHECK(code([&] { optimizer.enqueue({1, 16}); }) == INFILL_ERROR_OUT_OF_RANGE);
    CHECK(code([&] { optimizer.enqueue({}); }) == INFILL_ERROR_SHAPE);
    vector<double> short_point(1);
    CHECK(code([&] { optimizer.ask_into(short_point); }) == INFILL_ERROR_SHAPE);

    while (optimizer.closed() < 20) {
        const auto ask = optimizer.ask();
        optimizer.tell(ask.trial, bowl(ask.x));
    }
    const auto open = optimizer.ask();
    CHECK(open.origin == INFILL_ORIGIN_MODEL && std::isfinite(open.acquisition));
    std::size_t done = 0, failed = 0, opened = 0;
    for (const infill::record &trial : optimizer.trials()) {
        done += trial.state == INFILL_STATE_DONE;
        failed += trial.state == INFILL_STATE_FAILED;
        opened += trial.state == INFILL_STATE_OPEN;
        if (trial.trial == open.trial) CHECK(trial.x == open.x && std::isnan(trial.value));
        if (trial.trial == seen) CHECK(trial.value == 0.0625);
    }
    CHECK(done == 19 && failed == 1 && opened == 1);
    CHECK(optimizer.count() == 21 && optimizer.remaining() == 9);
    const auto last = optimizer.at(20);
    CHECK(optimizer.find(last.trial)->sequence == last.sequence);
    CHECK(code([&] { optimizer.at(21); }) == INFILL_ERROR_SHAPE);

    const auto advice = optimizer.recommend();
    CHECK(advice && advice->x.size() == 2 && advice->mean < 5 && advice->variance >= 0);
    const auto belief = optimizer.predict(advice->x);
    CHECK(belief && near(belief->mean, advice->mean, 1e-9) && belief->deviation() == std::sqrt(belief->variance));
    CHECK(code([&] { optimizer.predict({0}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { optimizer.predict({0, 99}); }) == INFILL_ERROR_OUT_OF_RANGE);

    auto narrow = seeded(1);
    narrow.limits.open = 1;
    infill::optimizer one(plane(), narrow);
    one.ask();
    CHECK(code([&] { one.ask(); }) == INFILL_ERROR_TOO_MANY_OPEN);
    infill::optimizer finite({infill::categorical(2)}, seeded(1));
    finite.minimize([](const vector<double> &at) { return at[0]; }, 2);
    CHECK(code([&] { finite.ask(); }) == INFILL_ERROR_EXHAUSTED);
}

vector<double> next(infill::optimizer &optimizer) { return optimizer.ask().x; }

void blocks() {
    const auto space = plane();
    const auto config = seeded(10, 12);
    infill::optimizer heap(space, config);
    const std::size_t bytes = infill::size(space, config);
    CHECK(bytes == heap.bytes());

    static std::uint64_t memory[INFILL_WORDS(2, 12, INFILL_F64)];
    infill::optimizer lent(space, config, memory);
    CHECK(static_cast<void *>(lent.handle()) == memory);
    infill::optimizer owned(space, config, vector<std::uint64_t>());
    CHECK(owned.bytes() == bytes);
    vector<std::uint64_t> words(bytes / 8);
    infill::optimizer exact(space, config, words);
    CHECK(code([&] { infill::optimizer(space, config, infill::block(words.data(), bytes - 1)); }) ==
          INFILL_ERROR_MEMORY);
    CHECK(code([&] {
              infill::optimizer(space, config, infill::block(reinterpret_cast<char *>(memory) + 1, bytes));
          }) == INFILL_ERROR_ALIGNMENT);
    CHECK(code([&] { infill::optimizer(space, config, infill::block(nullptr, bytes)); }) == INFILL_ERROR_NULL);
    for (int i = 0; i < 10; ++i) {
        const auto x = heap.ask();
        for (auto *other : {&lent, &owned, &exact}) {
            const auto y = other->ask();
            CHECK(y.x == x.x && y.trial == x.trial);
            other->tell(y.trial, bowl(y.x));
        }
        heap.tell(x.trial, bowl(x.x));
    }

    // Saved, and taken up again from bytes of any kind, from memory of the caller's, and as clones.
    const vector<unsigned char> saved = heap.save();
    CHECK(saved.size() == bytes);
    auto restored = infill::optimizer::restore(saved);
    auto text = infill::optimizer::restore(std::string(saved.begin(), saved.end()));
    std::memcpy(words.data(), saved.data(), bytes);
    auto attached = infill::optimizer::attach(words);
    auto clone = heap.clone();
    infill::limits larger{};
    larger.trials = 40;
    auto grown = heap.clone(larger);
    CHECK(grown.remaining() == heap.remaining() + 28 && grown.bytes() == heap.clone_size(larger));
    vector<std::uint64_t> room(heap.clone_size(larger) / 8);
    auto placed = heap.clone(room, larger);
    CHECK(static_cast<void *>(placed.handle()) == room.data());
    const auto expected = next(heap);
    for (auto *other : {&restored, &text, &attached, &clone, &grown, &placed}) CHECK(next(*other) == expected);

    infill::limits smaller{};
    smaller.trials = 3;
    CHECK(code([&] { heap.clone(smaller); }) == INFILL_ERROR_LIMITS);
    CHECK(code([&] { heap.clone(infill::block(room.data(), 64)); }) == INFILL_ERROR_MEMORY);
    CHECK(code([&] { infill::optimizer::restore(vector<unsigned char>()); }) == INFILL_ERROR_MEMORY);
    CHECK(code([&] { infill::optimizer::restore(std::string("short")); }) == INFILL_ERROR_MEMORY);
    CHECK(code([&] { infill::optimizer::restore(std::string(bytes, 'x')); }) == INFILL_ERROR_FOREIGN);
    auto cut = saved;
    cut.resize(cut.size() - 8);
    CHECK(code([&] { infill::optimizer::restore(cut); }) == INFILL_ERROR_MEMORY);
    auto damaged = saved;
    damaged[200] ^= 0x10;
    CHECK(code([&] { infill::optimizer::restore(damaged); }) == INFILL_ERROR_CORRUPT);
}

void moved_from() {
    static_assert(!std::is_copy_constructible_v<infill::optimizer> && !std::is_copy_assignable_v<infill::optimizer>);
    static_assert(!std::is_copy_constructible_v<infill::gp> && !std::is_copy_constructible_v<infill::backend>);
    static_assert(std::is_nothrow_move_constructible_v<infill::optimizer> &&
                  std::is_nothrow_move_assignable_v<infill::optimizer>);
    static_assert(std::is_nothrow_move_constructible_v<infill::gp> && std::is_nothrow_move_assignable_v<infill::gp>);
    static_assert(std::is_nothrow_move_constructible_v<infill::backend>);

    for (bool heap : {true, false}) {
        auto make = [&] {
            return heap ? infill::optimizer(plane(), seeded(11))
                        : infill::optimizer(plane(), seeded(11), vector<std::uint64_t>());
        };
        infill::optimizer from = make(), same = make();
        infill::optimizer to = std::move(from);
        CHECK(next(to) == next(same));
        CHECK(!from.handle() && from.count() == 0 && from.dims() == 0 && from.bytes() == 0 && from.save().empty());
        CHECK(from.closed() == 0 && from.remaining() == 0 && from.trials().empty());
        CHECK(code([&] { from.ask(); }) == INFILL_ERROR_NULL);
        CHECK(code([&] { from.tell(1, 1); }) == INFILL_ERROR_NULL);
        CHECK(code([&] { from.best(); }) == INFILL_ERROR_NULL);
        CHECK(code([&] { from.recommend(); }) == INFILL_ERROR_NULL);
        CHECK(code([&] { from.clone(); }) == INFILL_ERROR_NULL);
        CHECK(code([&] { from.minimize(bowl, 1); }) == INFILL_ERROR_NULL);
        from = std::move(to);
        CHECK(next(from) == next(same));
        from = make();
        CHECK(from.count() == 0 && next(from).size() == 2);
        auto &self = from;
        from = std::move(self);
        CHECK(from.count() == 1 && from.bytes() > 0);
        std::swap(from, same);
        CHECK(same.count() == 1 && from.count() == 2);
    }

    infill::gp gp(infill::gp_config(4, 1, infill::kernel::matern52()));
    infill::gp other = std::move(gp);
    CHECK(!gp.handle() && gp.rows() == 0 && code([&] { gp.fit(); }) == INFILL_ERROR_NULL);
    gp = std::move(other);
    gp.push({0.5}, 1);
    CHECK(gp.rows() == 1);
}

void configurations() {
    using infill::kernel;
    infill::config config = seeded(12, 25);
    config.scalar = INFILL_F32;
    config.kernel = (kernel::matern52().ard() + kernel::linear()).scaled();
    config.trend = INFILL_TREND_LINEAR;
    const infill::config copy = config;
    config.kernel.reset();
    infill::optimizer sum(plane(), copy), standard(plane(), config);
    CHECK(sum.scalar() == INFILL_F32);
    sum.minimize(bowl, 15);
    standard.minimize(bowl, 15);
    CHECK(sum.best()->x != standard.best()->x);

    config.kernel = kernel::matern52().over(1, 2);
    CHECK(code([&] { infill::optimizer(plane(), config); }) == INFILL_ERROR_KERNEL);
    config.kernel.reset();
    config.noise_lo = -1;
    CHECK(code([&] { infill::optimizer(plane(), config); }) != INFILL_OK);
    config = seeded(1);
    config.acquisition = 99;
    CHECK(code([&] { infill::optimizer(plane(), config); }) == INFILL_ERROR_CONFIG);
    config = seeded(1);
    config.size = sizeof(infill_config) + 8;
    CHECK(code([&] { infill::optimizer(plane(), config); }) == INFILL_ERROR_VERSION);
    // Choices, by field and by name.
    config = seeded(1, 12);
    config.model = INFILL_MODEL_EXTRA_TREES;
    config.policy = INFILL_POLICY_KNOWLEDGE;
    config.limits.trees = 8;
    infill::optimizer trees(plane(), config);
    CHECK(trees.minimize(bowl, 8).value < 100);
    trees.relearn();
    CHECK(trees.count() == 8 && trees.minimize(bowl, 4).value < 100);
    config.warp = INFILL_WARP_BETA;
    CHECK(code([&] { infill::optimizer(plane(), config); }) == INFILL_ERROR_UNSUPPORTED);
    const auto names = infill::presets();
    CHECK(names.size() == 9 && std::string(names[0]) == "default");
    for (const char *name : names) CHECK(infill::size(plane(), infill::config::preset(name)) > 0);
    const infill::config named = infill::config::preset("spearmint");
    CHECK(named.treatment == INFILL_TREATMENT_SAMPLED && named.batch == INFILL_BATCH_FANTASIES && !named.kernel);
    CHECK(code([&] { infill::config::preset("no such thing"); }) == INFILL_ERROR_CONFIG);
    CHECK(code([&] { infill::config::preset(nullptr); }) == INFILL_ERROR_NULL);
}

void kernels() {
    using infill::kernel;
    const vector<double> a{0.1, 0.7}, b{0.4, 0.2};
    const double rho = std::sqrt(0.3 * 0.3 + 0.5 * 0.5) / 0.5;
    auto at = [&](const kernel &k) { return k.eval(k.start(2), a, b); };
    const auto length = [](const kernel &k) { return k.fix(INFILL_ROLE_LENGTH, 0.5); };
    CHECK(near(at(length(kernel::squared_exponential())), std::exp(-rho * rho / 2), 1e-12));
    CHECK(near(at(length(kernel::matern12())), std::exp(-rho), 1e-12));
    const double r3 = std::sqrt(3.0) * rho, r5 = std::sqrt(5.0) * rho;
    CHECK(near(at(length(kernel::matern32())), (1 + r3) * std::exp(-r3), 1e-12));
    CHECK(near(at(length(kernel::matern52())), (1 + r5 + r5 * r5 / 3) * std::exp(-r5), 1e-12));
    CHECK(near(at(length(kernel::matern()).fix(INFILL_ROLE_SHAPE, 2.5)), at(length(kernel::matern52())), 1e-8));
    const kernel rational = length(kernel::rational_quadratic()).fix(INFILL_ROLE_SHAPE, 2);
    CHECK(near(at(rational), std::pow(1 + rho * rho / 4, -2), 1e-12));
    CHECK(near(at(length(kernel::gamma_exponential()).fix(INFILL_ROLE_SHAPE, 1)), std::exp(-rho), 1e-12));
    CHECK(near(at(length(kernel::laplace())), std::exp(-0.8 / 0.5), 1e-12));
    const double pi = 3.14159265358979323846;
    const double waves = std::pow(std::sin(pi * 0.3), 2) + std::pow(std::sin(pi * 0.5), 2);
    CHECK(near(at(length(kernel::periodic()).fix(INFILL_ROLE_PERIOD, 1)), std::exp(-2 * waves / 0.25), 1e-12));
    CHECK(near(at(kernel::cosine().fix(INFILL_ROLE_PERIOD, 1)), std::cos(2 * pi * 0.2), 1e-12));
    CHECK(near(at(kernel::linear().fix(INFILL_ROLE_WEIGHT, 2)), 2 * 0.18, 1e-12));
    CHECK(near(at(kernel::polynomial(3).no_bias().fix(INFILL_ROLE_WEIGHT, 2)), std::pow(0.36, 3), 1e-12));
    CHECK(near(at(kernel::polynomial(2).fix(INFILL_ROLE_WEIGHT, 2).fix(INFILL_ROLE_BIAS, 1)), 1.36 * 1.36, 1e-12));
    CHECK(std::fabs(at(kernel::arc_sine())) <= 1);
    CHECK(near(at(kernel::hamming().fix(INFILL_ROLE_WEIGHT, 0.5)), std::exp(-1.0), 1e-12));
    CHECK(near(at(kernel::exchangeable().fix(INFILL_ROLE_CORRELATION, 0.5)), 0.25, 1e-12));
    CHECK(near(at(kernel::constant().fix(INFILL_ROLE_VARIANCE, 3)), 3, 1e-12));
    CHECK(near(at(kernel::branch()), 0, 0) && near(at(kernel::active()), 1, 0));
    const kernel arc = kernel::arc(INFILL_OP_MATERN12).over(0, 1).fix(INFILL_ROLE_ANGLE, 0.5).fix(INFILL_ROLE_RADIUS, 2);
    CHECK(near(at(arc), std::exp(-4 * std::sin(pi * 0.075)), 1e-12));
    const kernel hot = length(kernel::one_hot(1, INFILL_OP_SQUARED_EXPONENTIAL).over({0, 1}));
    CHECK(near(at(hot), std::exp(-(0.09 + 2) / 0.5), 1e-12));

    const kernel first = length(kernel::matern12().over(0, 1)), last = length(kernel::laplace().over({1}));
    CHECK(near(at(first), std::exp(-0.6), 1e-12) && near(at(last), std::exp(-1.0), 1e-12));
    CHECK(near(at(first + last), std::exp(-0.6) + std::exp(-1.0), 1e-12));
    CHECK(near(at((first * last).scaled().fix(INFILL_ROLE_VARIANCE, 2)), 2 * std::exp(-1.6), 1e-12));
    CHECK(kernel::matern52().thetas(2) == 1 && kernel::matern52().ard().thetas(2) == 2);
    CHECK(kernel::matern52().ard().scaled().thetas(3) == 4);
    const kernel set = kernel::matern52().set(INFILL_ROLE_LENGTH, 0.3, 0.1, 2, -1, 0.5);
    CHECK(near(set.start(2)[0], std::log(0.3), 1e-12));

    // Derivatives against differences.
    const kernel both = kernel::matern52().ard().scaled();
    const vector<double> theta{-0.5, 0.2, 0.4};
    const auto slope = both.gradient(theta, a, b);
    CHECK(slope.value == both.eval(theta, a, b) && slope.by_theta.size() == 3 && slope.by_a.size() == 2);
    const double h = 1e-6;
    for (std::size_t i = 0; i < 3; ++i) {
        auto up = theta, down = theta;
        up[i] += h, down[i] -= h;
        CHECK(near(slope.by_theta[i], (both.eval(up, a, b) - both.eval(down, a, b)) / (2 * h), 1e-8));
    }
    for (std::size_t i = 0; i < 2; ++i) {
        auto up = a, down = a;
        up[i] += h, down[i] -= h;
        CHECK(near(slope.by_a[i], (both.eval(theta, up, b) - both.eval(theta, down, b)) / (2 * h), 1e-8));
    }
    const vector<double> points{0.1, 0.7, 0.4, 0.2, 0.9, 0.9};
    const auto gram = both.gram(theta, points, 2);
    CHECK(gram.size() == 6 && near(gram[1], slope.value, 1e-15) && near(gram[0], std::exp(0.4), 1e-12));

    CHECK(code([&] { both.eval(theta, a, {1}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { both.gradient(theta, a, {1}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { both.eval({1}, a, b); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { both.eval(theta, a, {1, NAN}); }) == INFILL_ERROR_NOT_FINITE);
    CHECK(code([&] { both.gram(theta, {1, 2, 3}, 2); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { both.gram(theta, points, 0); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { kernel::matern52().over({}).thetas(2); }) == INFILL_ERROR_KERNEL);
    CHECK(code([&] { kernel::matern52().over(0, 0).start(2); }) == INFILL_ERROR_KERNEL);
    CHECK(code([&] { kernel::matern52().over({1, 0}).thetas(2); }) == INFILL_ERROR_KERNEL);
    CHECK(code([&] { kernel::polynomial(17).thetas(2); }) == INFILL_ERROR_KERNEL);
    CHECK(code([&] { kernel::matern52().set(INFILL_ROLE_LENGTH, 1, 2, 3).thetas(2); }) == INFILL_ERROR_THETA);
}

void regression() {
    using infill::kernel;
    infill::gp_config config(12, 1, kernel::squared_exponential().scaled());
    config.batch = 3;
    config.trend = INFILL_TREND_LINEAR;
    const std::size_t bytes = infill::gp::size(config);
    vector<std::uint64_t> memory(bytes / 8);
    infill::gp heap(config), lent(config, memory), owned(config, vector<std::uint64_t>());
    for (auto *gp : {&heap, &lent, &owned}) {
        CHECK(code([&] { gp->predict({0}); }) == INFILL_ERROR_NO_DATA);
        CHECK(code([&] { gp->trend(); }) == INFILL_ERROR_NO_DATA);
        for (int i = 0; i < 8; ++i) gp->push({i / 4.0}, std::sin(i / 4.0) + i / 2.0, i == 3 ? 1e-4 : 0.0);
        CHECK(gp->rows() == 8 && gp->thetas() == 3);
        gp->set_noise(1e-4, 1e-8, 1e-2);
        gp->fit();
        const double before = gp->evidence();
        infill::training training;
        training.restarts = 2;
        const double after = gp->train(training, 5);
        CHECK(std::isfinite(after) && gp->evidence() >= before);
        const auto at = gp->predict({0.6});
        CHECK(near(at.mean, std::sin(0.6) + 1.2, 0.02) && at.deviation() < 0.1);
    }
    CHECK(heap.theta() == lent.theta() && heap.theta() == owned.theta());

    // A process of fixed hyperparameters: derivatives against differences, and what stays when data come and go.
    infill::gp gp(config);
    gp.set_theta({0, 0, -9});
    CHECK(gp.theta() == (vector<double>{0, 0, -9}));
    for (int i = 0; i < 6; ++i) gp.push({i / 4.0}, std::sin(i / 4.0) + i / 2.0);
    gp.fit();
    const double h = 1e-5;
    const auto slope = gp.evidence_gradient();
    CHECK(slope.value == gp.evidence() && slope.by_theta.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        vector<double> up{0, 0, -9}, down{0, 0, -9};
        up[i] += h, down[i] -= h;
        gp.set_theta(up);
        const double high = gp.evidence();
        gp.set_theta(down);
        CHECK(near(slope.by_theta[i], (high - gp.evidence()) / (2 * h), 1e-4));
    }
    gp.set_theta({0, 0, -9});
    gp.fit();
    CHECK(gp.evidence(INFILL_OBJECTIVE_LEAVE_ONE_OUT) != slope.value);
    CHECK(gp.trend().size() == 2 && gp.jitter() >= 0 && std::isfinite(gp.likelihood()));
    const auto there = gp.predict_gradient({0.6});
    CHECK(there.mean == gp.predict({0.6}).mean && there.by_mean.size() == 1);
    CHECK(near(there.by_mean[0], (gp.predict({0.6 + h}).mean - gp.predict({0.6 - h}).mean) / (2 * h), 1e-5));
    const double rise = gp.predict({0.6 + h}).variance - gp.predict({0.6 - h}).variance;
    CHECK(near(there.by_variance[0], rise / (2 * h), 1e-5));
    const auto joint = gp.predict_joint({0.1, 0.6});
    CHECK(joint.means.size() == 2 && joint.matrix.size() == 3 && near(joint.means[1], there.mean, 1e-9));
    CHECK(near(joint.matrix[2], there.variance, 1e-9));
    const auto draw = gp.sample({0.1, 0.6, 9}, 3);
    CHECK(draw.size() == 3 && draw == gp.sample({0.1, 0.6, 9}, 3) && draw != gp.sample({0.1, 0.6, 9}, 4));
    gp.extend({1.6}, std::sin(1.6) + 3.2, 0.5);
    CHECK(gp.rows() == 7 && std::isfinite(gp.predict({0.6}).mean));
    gp.remove(6);
    CHECK(gp.rows() == 6 && near(gp.predict({0.6}).mean, there.mean, 1e-6));
    CHECK(code([&] { gp.remove(6); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { gp.predict({1, 2}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { gp.predict_joint({1, 2, 3, 4}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { gp.predict_joint({}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { gp.sample({}, 1); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { gp.push({NAN}, 1); }) == INFILL_ERROR_NOT_FINITE);
    CHECK(code([&] { gp.push({1}, 1, -1); }) == INFILL_ERROR_NOT_FINITE);
    CHECK(code([&] { gp.set_theta({0}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { gp.set_theta({0, 0, 99}); }) == INFILL_ERROR_THETA);
    CHECK(code([&] { gp.set_noise(1, 2, 3); }) == INFILL_ERROR_THETA);
    gp.clear();
    CHECK(gp.rows() == 0 && code([&] { gp.fit(); }) == INFILL_ERROR_NO_DATA);
    CHECK(code([&] { gp.extend({1}, 1); }) == INFILL_ERROR_NO_DATA);

    // Two coordinates: points of a joint prediction have to be whole.
    infill::gp plane(infill::gp_config(4, 2, kernel::matern52()));
    plane.push({0, 0}, 1);
    plane.push({1, 1}, 2);
    plane.fit();
    CHECK(plane.trend().empty());
    CHECK(code([&] { plane.predict_joint({1, 2, 3}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { plane.sample({1, 2, 3}, 1); }) == INFILL_ERROR_SHAPE);
    infill::gp_config quadratic(8, 2, kernel::matern52());
    quadratic.trend = INFILL_TREND_QUADRATIC;
    infill::gp curved(quadratic);
    const auto square = infill::design({infill::real(0, 1), infill::real(0, 1)}, INFILL_DESIGN_SOBOL, 1, 8);
    for (std::size_t i = 0; i < 8; ++i) curved.push({square.data() + 2 * i, 2}, square[2 * i]);
    curved.fit();
    CHECK(curved.trend().size() == 6);
    quadratic.trend = INFILL_TREND_CONSTANT;
    infill::gp level(quadratic);
    level.push({0, 0}, 1);
    level.push({1, 0}, 2);
    level.fit();
    CHECK(level.trend().size() == 1);
    CHECK(code([&] { infill::gp(infill::gp_config(4, 2)); }) != INFILL_OK);
    CHECK(code([&] { infill::gp(config, infill::block(memory.data(), 64)); }) == INFILL_ERROR_MEMORY);

    // A covariance of one's own, by functions without captures.
    const double at = 0, lo = -5, hi = 5;
    infill_covariance own{};
    own.size = sizeof own;
    own.eval = [](void *, const double *theta, const double *a, const double *b) {
        return std::exp(-std::fabs(*a - *b) * std::exp(-*theta));
    };
    own.thetas = 1, own.start = &at, own.lo = &lo, own.hi = &hi;
    infill::gp_config custom(4, 1);
    custom.covariance = &own;
    infill::gp laplace(custom);
    laplace.push({0}, 1);
    laplace.fit();
    CHECK(near(laplace.predict({0.5}).mean, std::exp(-0.5), 1e-3));
    CHECK(code([&] { laplace.train(); }) == INFILL_ERROR_UNSUPPORTED);
    CHECK(code([&] { laplace.predict_gradient({0.5}); }) == INFILL_ERROR_UNSUPPORTED);
}

void parts() {
    const infill::prediction at{1.0, 4.0};
    CHECK(infill::score(INFILL_ACQUISITION_BOUND, 1.5, at, 0) == -(1.0 - 1.5 * 2.0));
    const double log_score = infill::score(INFILL_ACQUISITION_LOG_IMPROVEMENT, 0, at, 0.5);
    CHECK(near(std::exp(log_score), infill::score(INFILL_ACQUISITION_IMPROVEMENT, 0, at, 0.5), 1e-12));
    const auto slope = infill::score_with_gradient(INFILL_ACQUISITION_BOUND, 1.5, at, 0);
    CHECK(slope.score == 2 && slope.by_mean == -1 && slope.by_deviation == 1.5);
    CHECK(code([&] { infill::score(INFILL_ACQUISITION_BOUND, -1, at, 0); }) == INFILL_ERROR_CONFIG);
    CHECK(code([&] { infill::score_with_gradient(infill_acquisition(77), 0, at, 0); }) == INFILL_ERROR_CONFIG);
    CHECK(infill::bound_schedule(10, 2, 0.1) < infill::bound_schedule(20, 2, 0.1));
    CHECK(code([&] { infill::bound_schedule(10, 2, 1); }) == INFILL_ERROR_CONFIG);

    const auto space = plane();
    CHECK(infill::design_size(space) > 0);
    const auto all = infill::design(space, INFILL_DESIGN_LATIN_HYPERCUBE, 3, 5);
    CHECK(all.size() == 10);
    std::array<int, 5> strata{};
    for (std::size_t i = 0; i < 5; ++i) ++strata.at(static_cast<std::size_t>(all[2 * i + 1] / 3));
    CHECK((strata == std::array<int, 5>{1, 1, 1, 1, 1}));
    const auto some = infill::design(space, INFILL_DESIGN_LATIN_HYPERCUBE, 3, 5, 2);
    CHECK(some == vector<double>(all.begin(), all.begin() + 4));
    CHECK(code([&] { infill::design(space, INFILL_DESIGN_SOBOL, 1, 5, 6); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { infill::design(space, INFILL_DESIGN_SOBOL, 1, 5, SIZE_MAX); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { infill::design(space, infill_design_kind(9), 1, 5); }) == INFILL_ERROR_CONFIG);
    CHECK(code([&] { infill::design({}, INFILL_DESIGN_SOBOL, 1, 5); }) == INFILL_ERROR_DIMENSIONS);
}

void selections() {
    const infill::space space{infill::categorical(2), infill::real(0, 1).when(0, infill::equals(0)),
                              infill::integer(1, 9).when(0, infill::equals(1))};
    infill::selector selector(0, INFILL_STRATEGY_SINGLE);
    selector.start = 3;
    CHECK(selector.size == sizeof(infill_selector) && selector.strategy == INFILL_STRATEGY_SINGLE);
    const infill::config config = seeded(3, 30);
    const auto cost = [](const vector<double> &x) { return x[0] == 0 ? 0.5 + x[1] : (x[2] - 7) * (x[2] - 7); };
    infill::selection selection(space, selector, config);
    CHECK(selection.dims() == 3 && selection.branches() == 2 && selection.remaining() == 30);
    CHECK(!selection.best() && !selection.recommend() && !selection.predict({0, 0.5, 1}));
    selection.forget(selection.enqueue({0, 0.5, 1}));
    selection.observe({0, 0.5, 1}, 1);
    selection.fail(selection.ask().trial);
    for (int i = 0; i < 8; ++i) {
        const auto ask = selection.ask();
        if (i % 2 == 0) {
            selection.tell(ask.trial, cost(ask.x));
        } else {
            selection.tell_noisy(ask.trial, cost(ask.x), 1e-4);
        }
    }
    std::array<double, 3> x{};
    selection.tell(selection.ask_into(x), cost({x[0], x[1], x[2]}));
    CHECK(selection.count() == 11 && selection.closed() == 11);
    CHECK(selection.best()->value == cost(selection.best()->x));
    CHECK(std::isfinite(selection.recommend()->mean) && std::isfinite(selection.predict({0, 0.5, 1})->mean));
    CHECK(selection.at(0).sequence >= 1);
    CHECK(code([&] { selection.at(11); }) == INFILL_ERROR_SHAPE);

    infill::selection again = infill::selection::restore(selection.save());
    CHECK(again.ask().x == selection.ask().x);
    vector<std::uint64_t> words(infill::selection::size(space, selector, config) / 8);
    CHECK(8 * words.size() == selection.bytes());
    infill::selection lent = infill::selection::create(space, selector, config, words);
    lent.ask();
    const infill::selection attached = infill::selection::attach(words);
    CHECK(attached.count() == 1);
    const infill::selection moved = std::move(lent);
    CHECK(moved.handle() && !lent.handle() && lent.save().empty());
    CHECK(code([&] { infill::selection(space, infill::selector(1)); }) == INFILL_ERROR_UNSUPPORTED);
}

void gpus() {
    const infill_gpu_options options = infill::gpu_options();
    CHECK(options.size == sizeof options);
    const infill::optimizer optimizer(plane(), seeded(13));
    const bool can = (infill::capabilities() & INFILL_CAN_GPU) != 0;
    CHECK(can || infill::adapters().empty());
    if (!can) {
        CHECK(code([&] { infill::backend::gpu(optimizer.handle(), options); }) == INFILL_ERROR_UNSUPPORTED);
    }
}

void backends() {
    if ((infill::capabilities() & INFILL_CAN_FAER) == 0) {
        CHECK(code([] { infill::backend::faer(); }) == INFILL_ERROR_UNSUPPORTED);
        return;
    }
    infill::backend backend = infill::backend::faer(1);
    infill::backend other = std::move(backend);
    CHECK(!backend.handle() && other.handle());
    infill::optimizer optimizer(plane(), seeded(13));
    optimizer.minimize(bowl, 12, [](const infill::step &) {}, &other);
    CHECK(optimizer.ask(&other).origin == INFILL_ORIGIN_MODEL);
    infill::gp gp(infill::gp_config(4, 1, infill::kernel::matern52()));
    gp.push({0}, 1);
    gp.push({1}, 2);
    gp.fit(&other);
    const double blocked = gp.evidence(INFILL_OBJECTIVE_EVIDENCE, &other);
    CHECK(near(blocked, gp.evidence(), 1e-9));
    CHECK(near(blocked, gp.evidence_gradient(INFILL_OBJECTIVE_EVIDENCE, &other).value, 1e-9));
    CHECK(std::isfinite(gp.train({}, 1, &other)));
}

void races() {
    infill::race_rules rules;
    rules.configs = 4;
    rules.runs = 60;
    std::vector<std::uint64_t> words(infill::race::size(rules) / 8);
    infill::race race = infill::race::create(rules, words);
    for (std::uint32_t config = 0; config < 4; ++config) race.challenge(config);
    CHECK(!race.incumbent() && !race.cost(0) && !race.over());
    race.begin(5);
    race.forget(race.ask()->id);
    while (const auto run = race.ask()) race.tell(run->id, run->config == 2 ? 0.5 : 1.0);
    CHECK(race.incumbent() == 2u && race.cost(2) == 0.5 && race.count() == 60 && race.over());
    CHECK(race.runs(2) >= race.runs(1) && race.record(0).config == 0 && race.bytes() == 8 * words.size());
    CHECK(infill::race::attach(words).incumbent() == 2u);
    CHECK(code([&] { race.record(60); }) == INFILL_ERROR_SHAPE);
    rules.cap = 10;
    infill::race timed = infill::race::create(rules);
    timed.challenge(7);
    timed.challenge(8);
    timed.capped(timed.ask()->id);
    timed.crashed(timed.ask()->id);
    CHECK(timed.cost(7) == 100.0);
    rules.penalty = 0;
    CHECK(code([&] { infill::race::create(rules); }) == INFILL_ERROR_CONFIG);

    const infill::space space{infill::real(0, 1), infill::categorical(3)};
    infill::frace_plan plan;
    plan.budget = 300;
    infill::frace frace = infill::frace::create(space, plan);
    CHECK(!frace.best() && frace.bytes() == infill::frace::size(space, plan));
    frace.forget(frace.ask()->id);
    frace.crashed(frace.ask()->id);
    while (const auto run = frace.ask()) frace.tell(run->id, run->x[0] + run->x[1]);
    CHECK((*frace.best())[0] < 0.3 && (*frace.best())[1] == 0);
    std::vector<std::uint64_t> copy(frace.bytes() / 8);
    std::memcpy(copy.data(), frace.handle(), frace.bytes());
    CHECK(infill::frace::attach(copy, 2).best() == frace.best());
    plan.elitist = 0;
    plan.cap = 1;
    plan.slack = 1;
    infill::frace brief = infill::frace::create(space, plan);
    CHECK(brief.bytes() < frace.bytes());
    while (const auto run = brief.ask()) {
        if (run->x[0] + run->x[1] > run->cap) brief.capped(run->id);
        else brief.tell(run->id, run->x[0] + run->x[1]);
    }
    CHECK((*brief.best())[0] < 0.3 && (*brief.best())[1] == 0);
}

void comparisons() {
    const vector<double> values{3, 2, 1, 3, 1, 2, 3, 2, 1, 2, 3, 1};
    const auto ranks = infill::compare::ranks(values, 3);
    CHECK((ranks == vector<double>{2.75, 2, 1.25}));
    CHECK(near(infill::compare::win_rates(values, 3)[2], 0.75, 1e-12));
    CHECK(infill::compare::net_wins(values, 3)[2] == -4);
    CHECK(infill::compare::friedman(values, 3).freedom == 2);
    CHECK(infill::compare::wilcoxon({1, 2, 3}, {0, 0, 0}).p == 0.25);
    const double difference = infill::compare::critical_difference(4, 18);
    CHECK(near(difference, 1.106, 1e-3));
    const auto text = infill::compare::diagram({"a", "b", "c"}, ranks, difference);
    CHECK(text.find("2.750 a") != std::string::npos);
    CHECK(code([&] { infill::compare::ranks(values, 5); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { infill::compare::diagram({"a"}, ranks, 1); }) == INFILL_ERROR_SHAPE);
}

void documents() {
    const std::string text =
        R"({"hyperparameters": [{"name": "kind", "type": "categorical", "choices": ["a", "b"]},)"
        R"({"name": "rate", "type": "uniform_float", "lower": 0.5, "upper": 1.5, "default_value": 1.0}],)"
        R"("conditions": [{"child": "rate", "parent": "kind", "type": "EQ", "value": "b"}]})";
    const infill::document document = infill::document::read(text);
    CHECK(document.space()->dims == 2 && document.handle() != nullptr);
    CHECK(document.name(1) == "rate");
    CHECK(infill::document::read(document.text()).text() == document.text());
    CHECK((document.point(R"({"kind": "b"})") == vector<double>{1, 1}));
    CHECK(document.values(vector<double>{0, 1}) == R"({"kind": "a"})");
    const auto numbers = document.vector(vector<double>{1, 1}, 2);
    CHECK(numbers[0] == 1 && numbers[1] == 0.5);
    const infill::space space{infill::real(0, 1), infill::categorical(3)};
    CHECK(infill::document::of(space, {"x", "kind"}).name(1) == "kind");
    CHECK(code([&] { infill::document::of(space, {"x"}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { infill::document::read("{"); }) == INFILL_ERROR_FORMAT);
}

int main() {
    the_library();
    views();
    spaces();
    conditional_spaces();
    whole_loop();
    exceptions();
    ask_and_tell();
    blocks();
    moved_from();
    configurations();
    kernels();
    regression();
    parts();
    selections();
    gpus();
    backends();
    races();
    comparisons();
    documents();
    return failures();
}
