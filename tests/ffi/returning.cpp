// The mode without exceptions: every kind of result, and a run from space to answer.

#define INFILL_NO_EXCEPTIONS
#include "infill.hpp"

#include "check.hpp"

using std::vector;

namespace {

double bowl(const vector<double> &x) { return (x[0] - 1) * (x[0] - 1) + x[1] * x[1]; }

infill::space plane() { return {infill::real(-5, 10), infill::real(0, 15)}; }

void optimizers() {
    static_assert(!std::is_constructible_v<infill::optimizer, infill::space>);
    auto refused = infill::optimizer::create({infill::real(1, 0)});
    CHECK(!refused && refused.status() == INFILL_ERROR_BOUNDS);
    static std::uint64_t memory[4];
    CHECK(infill::optimizer::create(plane(), {}, memory).status() == INFILL_ERROR_MEMORY);
    CHECK(infill::optimizer::restore(vector<char>(100, 'x')).status() == INFILL_ERROR_FOREIGN);
    CHECK(infill::optimizer::attach(memory).status() != INFILL_OK);

    CHECK(infill::config::preset("nothing").status() == INFILL_ERROR_CONFIG);
    CHECK(infill::config::preset("gpgo-student")->model == INFILL_MODEL_STUDENT);

    infill::config config;
    config.limits.trials = 30;
    auto made = infill::optimizer::create(plane(), config);
    CHECK(made && made.status() == INFILL_OK);
    infill::optimizer optimizer = *std::move(made);
    const auto none = optimizer.best();
    CHECK(none && !*none);

    const auto ask = optimizer.ask();
    CHECK(ask && ask->x.size() == 2);
    CHECK(optimizer.tell(ask->trial, NAN).status() == INFILL_ERROR_NOT_FINITE);
    CHECK(optimizer.tell(ask->trial, bowl(ask->x)));
    CHECK(optimizer.fail(ask->trial).status() == INFILL_ERROR_STALE_TRIAL);
    CHECK(optimizer.enqueue({1, 2, 3}).status() == INFILL_ERROR_SHAPE);

    int heard = 0;
    auto run = optimizer.minimize(bowl, 15, [&](const infill::step &) { return ++heard < 10; });
    CHECK(run && run->stopped && heard == 10 && optimizer.closed() == 11);
    run = optimizer.minimize(bowl, 10);
    CHECK(run && !run->stopped && run->value < 1 && run->value == bowl(run->x));
    CHECK(optimizer.minimize(bowl, 99).status() == INFILL_OK && *optimizer.next() == std::nullopt);

    std::size_t trials = 0;
    for (const auto &trial : *optimizer.trials()) trials += trial.state == INFILL_STATE_DONE;
    CHECK(trials == 30);
    const auto found = optimizer.find(~std::uint64_t{0});
    CHECK(found && !*found);
    CHECK(optimizer.at(30).status() == INFILL_ERROR_SHAPE);
    infill::limits larger{};
    larger.trials = 31;
    auto clone = optimizer.clone(larger);
    CHECK(clone && clone->ask() && !optimizer.ask());
    const auto restored = infill::optimizer::restore(optimizer.save());
    CHECK(restored && (*restored->best())->value == (*optimizer.best())->value);

    CHECK(optimizer.relearn());

    infill::optimizer other = std::move(optimizer);
    CHECK(optimizer.relearn().status() == INFILL_ERROR_NULL);
    CHECK(optimizer.ask().status() == INFILL_ERROR_NULL && optimizer.best().status() == INFILL_ERROR_NULL);
    CHECK(other.recommend() && *other.recommend());
    CHECK(other.predict({1, 99}).status() == INFILL_ERROR_OUT_OF_RANGE);
}

void the_parts() {
    const auto kernel = infill::kernel::matern52().scaled();
    CHECK(*kernel.thetas(1) == 2);
    CHECK(*kernel.eval(*kernel.start(1), {0.5}, {0.5}) > 0);
    CHECK(kernel.eval({0}, {0.5}, {0.5}).status() == INFILL_ERROR_SHAPE);
    CHECK(infill::gp::create(infill::gp_config(0, 1, kernel)).status() == INFILL_ERROR_LIMITS);
    auto gp = *infill::gp::create(infill::gp_config(4, 1, kernel));
    CHECK(gp.predict({0}).status() == INFILL_ERROR_NO_DATA);
    CHECK(gp.push({0}, 1) && gp.push({1}, 2) && gp.fit());
    CHECK(gp.predict({0})->mean > 0 && gp.train());
    CHECK(infill::acquisition_score(INFILL_ACQUISITION_BOUND, -1, 0, 0, 0).status() == INFILL_ERROR_CONFIG);
    CHECK(infill::design(plane(), INFILL_DESIGN_SOBOL, 1, 4)->size() == 8);
    if ((infill::capabilities() & INFILL_CAN_FAER) == 0) {
        CHECK(infill::backend::faer().status() == INFILL_ERROR_UNSUPPORTED);
    }
}

}  // namespace

int without_exceptions() {
    optimizers();
    the_parts();
    return failures();
}
