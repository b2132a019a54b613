// What goes beyond one model: sources, branches, races, comparisons, documents.

#include "wrapper.hpp"

namespace {

void among_branches() {
    const infill::space space{infill::categorical(2), infill::real(0, 1).when(0, infill::equals(0)),
                              infill::integer(1, 9).when(0, infill::equals(1))};
    infill::config config = seeded(3, 30);
    config.strategy = INFILL_STRATEGY_SINGLE;
    config.strategy_start = 3;
    const auto cost = [](const vector<double> &x) { return x[0] == 0 ? 0.5 + x[1] : (x[2] - 7) * (x[2] - 7); };
    infill::optimizer optimizer(space, config);
    CHECK(optimizer.dims() == 3 && optimizer.remaining() == 30);
    CHECK(optimizer.has_space(space) && !optimizer.has_space(infill::space{infill::categorical(2)}));
    CHECK(!optimizer.best() && !optimizer.recommend() && !optimizer.predict({0, 0.5, 1}));
    optimizer.forget(optimizer.enqueue({0, 0.5, 1}));
    optimizer.observe({0, 0.5, 1}, 1);
    optimizer.fail(optimizer.ask().trial);
    for (int i = 0; i < 8; ++i) {
        const auto ask = optimizer.ask();
        if (i % 2 == 0) {
            optimizer.tell(ask.trial, cost(ask.x));
        } else {
            optimizer.tell_noisy(ask.trial, cost(ask.x), 1e-4);
        }
    }
    CHECK(optimizer.count() == 10 && optimizer.closed() == 10);
    CHECK(optimizer.best()->value == cost(optimizer.best()->x));
    CHECK(std::isfinite(optimizer.recommend()->mean) && std::isfinite(optimizer.predict({0, 0.5, 1})->mean));

    infill::optimizer again = infill::optimizer::restore(optimizer.save());
    CHECK(again.ask().x == optimizer.ask().x);
    CHECK(infill::size(space, config) == optimizer.bytes());
    config.strategy_parameter = 1;
    CHECK(code([&] { infill::optimizer(space, config); }) == INFILL_ERROR_UNSUPPORTED);
}

void races() {
    infill::race_rules rules;
    rules.configs = 4;
    rules.runs = 60;
    std::vector<std::uint64_t> words(infill::race::size(rules) / 8);
    infill::race race(rules, words);
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
    infill::race timed(rules);
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
    infill::frace frace(space, plan);
    CHECK(!frace.best() && frace.bytes() == infill::frace::size(space, plan));
    frace.forget(frace.ask()->id);
    frace.crashed(frace.ask()->id);
    while (const auto run = frace.ask()) frace.tell(run->id, run->x[0] + run->x[1]);
    CHECK(frace.best()->x[0] < 0.3 && frace.best()->x[1] == 0 && frace.dims() == 2);
    std::vector<std::uint64_t> copy(frace.bytes() / 8);
    std::memcpy(copy.data(), frace.handle(), frace.bytes());
    CHECK(infill::frace::attach(copy).best()->x == frace.best()->x);
    plan.elitist = 0;
    plan.cap = 1;
    plan.slack = 1;
    std::vector<std::uint64_t> room(infill::frace::size(space, plan) / 8);
    infill::frace brief(space, plan, room);
    CHECK(brief.bytes() < frace.bytes());
    while (const auto run = brief.ask()) {
        if (run->x[0] + run->x[1] > run->cap) brief.capped(run->id);
        else brief.tell(run->id, run->x[0] + run->x[1]);
    }
    CHECK(brief.best()->x[0] < 0.3 && brief.best()->x[1] == 0);
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
    CHECK(document.values(vector<double>{0, 1}) == R"({"kind":"a"})");
    const auto numbers = document.vector(vector<double>{1, 1}, 2);
    CHECK(numbers[0] == 1 && numbers[1] == 0.5);
    const infill::space space{infill::real(0, 1), infill::categorical(3)};
    CHECK(infill::document::of(space, {"x", "kind"}).name(1) == "kind");
    CHECK(code([&] { infill::document::of(space, {"x"}); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { infill::document::read("{"); }) == INFILL_ERROR_FORMAT);
}

} // namespace

void sources() {
    const vector<std::uint32_t> labels{0, 0, 1};
    const vector<double> described = infill::meta_features({1, 2, 4}, labels);
    CHECK(described.size() == INFILL_META_FEATURES && described[0] == 2);
    CHECK(code([&] { infill::meta_features({1, 2}, labels); }) == INFILL_ERROR_SHAPE);
    CHECK(code([&] { infill::meta_features({}, vector<std::uint32_t>()); }) == INFILL_ERROR_NO_DATA);

    infill::optimizer earlier(plane(), seeded(1, 25));
    CHECK(code([&] { earlier.source(); }) == INFILL_ERROR_NO_DATA);
    for (double a = -5; a <= 10; a += 3) earlier.observe({a, 1}, bowl({a, 1}) * 7);
    for (double b = 0; b <= 15; b += 3) earlier.observe({1, b}, bowl({1, b}) * 7);
    vector<std::uint64_t> words = earlier.source(described);
    CHECK(earlier.source().size() < words.size() && words.size() < earlier.source({}, INFILL_FORM_FULL).size());
    CHECK(infill::sources_check(words) == 1 && infill::sources_check() == 0);
    CHECK(infill::sources_check({words.data(), words.size() * 8, described}) == 1);
    const vector<std::uint64_t> once = words;
    words.insert(words.end(), once.begin(), once.end());
    const infill::sources both(words, described);
    CHECK(infill::sources_check(both) == 2);
    words[words.size() - 3] ^= 4;
    CHECK(code([&] { infill::sources_check(both); }) == INFILL_ERROR_CORRUPT);
    words[words.size() - 3] ^= 4;

    infill::config config = seeded(2);
    config.limits.sources = 2;
    config.transfer_start = INFILL_START_NEAREST;
    config.transfer_how = INFILL_HOW_STAGE;
    infill::optimizer optimizer(plane(), config);
    CHECK(code([&] { optimizer.ask_from(words); }) == INFILL_ERROR_SHAPE);
    const infill::proposal first = optimizer.ask_from(both);
    CHECK(first.origin == INFILL_ORIGIN_SOURCE && bowl(first.x) < 3);
    optimizer.tell(first.trial, bowl(first.x));
    const auto second = optimizer.next_from(both);
    optimizer.tell(second->trial, bowl(second->x));
    unsigned steps = 0;
    const infill::run found = optimizer.minimize_from(both, bowl, 4, [&](const infill::step &) { ++steps; });
    CHECK(steps == 4 && !found.stopped && found.value < 3);
    CHECK(optimizer.minimize_from(both, bowl, 2).value <= found.value && optimizer.closed() == 8);

    // It looks at what it asks.
    const auto advice = optimizer.recommend_from(both);
    const auto belief = optimizer.predict_from(both, advice->x);
    CHECK(advice->mean == belief->mean && advice->variance == belief->variance);
    CHECK(belief->mean != optimizer.predict(advice->x)->mean);
    CHECK(optimizer.predict_from({}, advice->x)->mean == optimizer.predict(advice->x)->mean);
    CHECK(optimizer.recommend_from()->x == optimizer.recommend()->x);
    CHECK(code([&] { optimizer.predict_from(words, advice->x); }) == INFILL_ERROR_SHAPE);

    // Without any it is a run as ever.
    infill::optimizer plain(plane(), config), none(plane(), config);
    CHECK(plain.ask().x == none.ask_from().x && plain.ask().x == none.next_from()->x);
}

void beyond() {
    sources();
    among_branches();
    races();
    comparisons();
    documents();
}
