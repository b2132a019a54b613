// Kernels, processes, acquisitions and designs; who does the arithmetic.

#include "wrapper.hpp"

namespace {

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
    CHECK(at(length(kernel::of(INFILL_OP_MATERN52))) == at(length(kernel::matern52())));
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
    CHECK(infill::acquisition_score(INFILL_ACQUISITION_BOUND, 1.5, at.mean, at.variance, 0) == -(1.0 - 1.5 * 2.0));
    const double log_score = infill::acquisition_score(INFILL_ACQUISITION_LOG_IMPROVEMENT, 0, at.mean, at.variance, 0.5);
    CHECK(near(std::exp(log_score), infill::acquisition_score(INFILL_ACQUISITION_IMPROVEMENT, 0, at.mean, at.variance, 0.5), 1e-12));
    const auto slope = infill::acquisition_gradient(INFILL_ACQUISITION_BOUND, 1.5, at.mean, at.variance, 0);
    CHECK(slope.score == 2 && slope.by_mean == -1 && slope.by_deviation == 1.5);
    CHECK(code([&] { infill::acquisition_score(INFILL_ACQUISITION_BOUND, -1, at.mean, at.variance, 0); }) == INFILL_ERROR_CONFIG);
    CHECK(code([&] { infill::acquisition_gradient(infill_acquisition(77), 0, at.mean, at.variance, 0); }) == INFILL_ERROR_CONFIG);
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

void gpus() {
    const infill::gpu_options options;
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

} // namespace

void processes() {
    kernels();
    regression();
    parts();
    gpus();
    backends();
}
