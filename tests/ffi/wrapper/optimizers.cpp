// Optimizers: the whole loop, ask and tell, their blocks, their configuration.

#include "wrapper.hpp"

#include <stdexcept>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

vector<double> next(infill::optimizer &optimizer) { return optimizer.ask().x; }

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

    // A full block ends a run.
    infill::optimizer small(plane(), seeded(7, 4));
    CHECK(!small.minimize(bowl, 5).stopped);
    CHECK(small.closed() == 4 && !small.next());

    // What was open when a block was saved is handed out again, then the run goes on.
    infill::optimizer lost(plane(), seeded(7, 4));
    const auto open = lost.next();
    auto again = infill::optimizer::restore(lost.save());
    std::vector<double> point(2);
    CHECK(again.next_into(point) == open->trial && point == open->x);
    again.tell(open->trial, bowl(point));
    while (const auto question = again.next()) {
        CHECK(question->origin != INFILL_ORIGIN_RESUMED);
        again.tell(question->trial, bowl(question->x));
    }
    CHECK(again.closed() == 4);
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

    // Why settings are refused can be asked without trying them.
    auto none = seeded(1, 10);
    none.search_global = 0;
    CHECK(infill::why(INFILL_ERROR_CONFIG, plane(), none).find("search_global") != std::string::npos);
}

void ask_and_tell() {
    infill::optimizer optimizer(plane(), seeded(9, 30));
    CHECK(!optimizer.best() && !optimizer.recommend() && !optimizer.predict({0, 0}));
    CHECK(optimizer.dims() == 2 && optimizer.scalar() == INFILL_F64 && optimizer.remaining() == 30);
    CHECK(optimizer.has_space(plane()) && !optimizer.has_space(infill::space{infill::real(0, 1), infill::real(0, 9)}));

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
    CHECK(named.hyper == INFILL_HYPER_MCMC && named.pending == INFILL_PENDING_FANTASIES && !named.kernel);
    CHECK(code([&] { infill::config::preset("no such thing"); }) == INFILL_ERROR_CONFIG);
    CHECK(code([&] { infill::config::preset(nullptr); }) == INFILL_ERROR_NULL);
}

// Names and labels, what is active, and what differs.
void named() {
    const auto space = [](std::vector<std::string> labels) {
        return infill::space{infill::categorical(std::move(labels)).named("optimizer"),
                             infill::real(0, 1).named("momentum").when(0, infill::equals(1))};
    };
    infill::optimizer optimizer(space({"adam", "sgd"}), seeded(3, 12));
    CHECK(optimizer.name(1) == "momentum" && optimizer.label(0, 1) == "sgd");
    CHECK(code([&] { optimizer.label(1, 0); }) == INFILL_ERROR_SHAPE);
    const auto plain = optimizer.observe(infill::point({0.0, std::nullopt}), 1);
    const auto at = optimizer.active(plain, optimizer.find(plain)->x);
    CHECK(at.size() == 2 && at[0] == 0.0 && !at[1]);
    CHECK(code([&] { optimizer.enqueue(infill::point({1.0, std::nullopt})); }) == INFILL_ERROR_OUT_OF_RANGE);
    const auto saved = optimizer.save();
    CHECK(infill::optimizer::restore(saved, space({"adam", "sgd"})).closed() == 1);
    std::vector<std::uint64_t> words(saved.size() / 8);
    std::memcpy(words.data(), saved.data(), saved.size());
    CHECK(infill::optimizer::attach(words, space({"adam", "sgd"})).closed() == 1);
    try {
        infill::optimizer::restore(saved, space({"sgd", "adam"}));
        CHECK(false);
    } catch (const infill::error &error) {
        CHECK(error.code() == INFILL_ERROR_SPACE);
        CHECK(std::string(error.what()).find("category 0 is called sgd, in the block adam") != std::string::npos);
    }
}

} // namespace

void optimizers() {
    named();
    whole_loop();
    exceptions();
    ask_and_tell();
    blocks();
    moved_from();
    configurations();
}
