// Reads the cases from the standard input, makes each call, and writes what the exception says of it.

#include <infill.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using words = std::vector<std::string>;

words split(const std::string &text, char by) {
    words out;
    std::string word;
    for (std::istringstream in(text); std::getline(in, word, by);) out.push_back(word);
    return out;
}

double number(const std::string &word) { return std::strtod(word.c_str(), nullptr); }
std::size_t place(const std::string &word) { return std::strtoul(word.c_str(), nullptr, 10); }

std::vector<double> numbers(const std::string &list) {
    std::vector<double> out;
    for (const auto &word : split(list, ',')) out.push_back(number(word));
    return out;
}

infill::rule when(const words &part, std::size_t at) {
    if (part[at] == "=") return infill::equals(number(part[at + 1]));
    if (part[at] == "in") return infill::in(numbers(part[at + 1]));
    return infill::between(number(part[at + 1]), number(part[at + 3]));
}

infill::param parameter(const words &part) {
    const bool pair = part[1] == "real" || part[1] == "integer";
    infill::param out = part[1] == "real"      ? infill::real(number(part[2]), number(part[3]))
                        : part[1] == "integer" ? infill::integer(number(part[2]), number(part[3]))
                        : part[1] == "ordinal" ? infill::ordinal(numbers(part[2]))
                                               : infill::categorical(place(part[2]));
    for (std::size_t i = pair ? 4 : 3; i < part.size(); i++) {
        if (part[i] == "log") out = out.log();
        else if (part[i] == "default") out = out.usual(number(part[++i]));
        else out = out.labelled(split(part[i], ','));
    }
    return out.named(part[0]);
}

// The space of some parts; rules of parameters that are not there cannot be written.
infill::space space(const std::vector<words> &parts) {
    std::vector<infill::param> params;
    std::vector<std::pair<std::size_t, infill::rule>> terms;
    std::vector<std::vector<std::pair<std::size_t, infill::rule>>> clauses;
    infill_impute impute = INFILL_IMPUTE_CENTRE;
    for (const words &part : parts) {
        if (part[0] == "if" || part[0] == "or") {
            infill::param &child = params.at(place(part[1]));
            child = part[0] == "if" ? child.when(place(part[2]), when(part, 3)) : child.or_when(place(part[2]), when(part, 3));
        } else if (part[0] == "forbid" || part[0] == "also") {
            if (part[0] == "forbid") clauses.emplace_back();
            clauses.back().emplace_back(place(part[1]), when(part, 2));
        } else if (part[0] == "impute") {
            impute = INFILL_IMPUTE_OUTSIDE;
        } else {
            params.push_back(parameter(part));
        }
    }
    infill::space out(std::move(params));
    for (auto &clause : clauses) out.forbid(std::move(clause));
    return out.impute(impute);
}

void set(infill_config &config, const std::string &name, double value) {
    const std::map<std::string, double infill_config::*> reals = {
#define REAL(field) {#field, &infill_config::field}
        REAL(acquisition_parameter), REAL(delta), REAL(noise_variance), REAL(noise_lo), REAL(noise_hi), REAL(noise_sd),
        REAL(refit_growth), REAL(training_tolerance), REAL(forest_features), REAL(model_freedom), REAL(sampler_width),
        REAL(interleave_beta), REAL(polish_tolerance)};
    const std::map<std::string, std::uint32_t infill_config::*> counts = {
        REAL(acquisition), REAL(design), REAL(trend), REAL(targets), REAL(training_objective), REAL(model), REAL(policy),
        REAL(pending), REAL(hyper), REAL(hyper_count), REAL(warp), REAL(search_method), REAL(strategy), REAL(strategy_parameter),
        REAL(incumbent), REAL(when_full), REAL(categories), REAL(structure)};
    if (reals.count(name)) config.*reals.at(name) = value;
    else config.*counts.at(name) = static_cast<std::uint32_t>(value);
}

void limit(infill_limits &limits, const std::string &name, double value) {
    const std::map<std::string, std::uint32_t infill_limits::*> counts = {
#define LIMIT(field) {#field, &infill_limits::field}
        LIMIT(trials), LIMIT(dims), LIMIT(levels), LIMIT(nodes), LIMIT(lists), LIMIT(thetas), LIMIT(candidates), LIMIT(starts),
        LIMIT(exact), LIMIT(columns), LIMIT(names), LIMIT(posteriors)};
    limits.*counts.at(name) = static_cast<std::uint32_t>(value);
}

void act(infill::optimizer &opt, const words &action, const std::vector<words> &other) {
    const std::string &verb = action[0];
    auto saved = opt.save();
    if (verb == "attach") {
        infill::optimizer::restore(saved, space(other));
    } else if (verb == "truncate") {
        saved.resize(place(action[1]));
        infill::optimizer::restore(saved);
    } else if (verb == "flip") {
        saved[place(action[1])] ^= 0x55;
        infill::optimizer::restore(saved);
    } else if (verb == "observe") {
        opt.observe(numbers(action[1]), number(action[2]));
    } else if (verb == "enqueue") {
        opt.enqueue(numbers(action[1]));
    } else if (verb == "tell") {
        opt.tell(place(action[1]), number(action[2]));
    } else if (verb == "fill") {
        for (;;) opt.fail(opt.ask().trial);
    } else if (verb == "open") {
        for (;;) opt.ask();
    } else {
        const auto trial = opt.ask().trial;
        if (verb == "forget") {
            opt.forget(trial);
            opt.forget(trial);
        } else {
            if (verb == "again") opt.tell(trial, number(action[1]));
            opt.tell(trial, number(action[1]));
        }
    }
}

void run(const std::string &line) {
    std::vector<words> own, other;
    infill::config config;
    words action;
    config.limits.trials = 20;
    std::string text = line;
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t end = text.find(" ; ", at);
        const words part = split(text.substr(at, end == std::string::npos ? end : end - at), ' ');
        at = end == std::string::npos ? end : end + 3;
        const bool kind = part.size() > 1 && (part[1] == "real" || part[1] == "integer" || part[1] == "ordinal" || part[1] == "category");
        const bool rule = part[0] == "if" || part[0] == "or" || part[0] == "forbid" || part[0] == "also" || part[0] == "impute";
        if (part[0] == "set") set(config, part[1], number(part[2]));
        else if (part[0] == "limit") limit(config.limits, part[1], number(part[2]));
        else if (kind || rule) (action.empty() ? own : other).push_back(part);
        else action = part;
    }
    const infill::space mine = space(own);
    infill::optimizer opt(mine, config);
    if (action.empty()) return;
    try {
        act(opt, action, other);
    } catch (const infill::error &refused) {
        // What the limits say of an ask, and the terms of a clause, are told by who has them.
        const infill_status code = refused.code();
        if (code != INFILL_ERROR_FORBIDDEN && code != INFILL_ERROR_FULL && code != INFILL_ERROR_TOO_MANY_OPEN) throw;
        const infill::space::data c(mine);
        const auto x = action.size() > 1 ? numbers(action[1]) : std::vector<double>();
        infill_given given = INFILL_GIVEN(code, c.get(), nullptr);
        char text[512];
        std::size_t length;
        given.opt = opt.handle();
        given.x = x.data();
        given.dims = x.size();
        infill_explain(&given, text, sizeof text, &length);
        throw infill::error(code, text);
    }
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        if (line.empty() || line[0] == '#') continue;
        try {
            run(line);
            std::cout << "ACCEPTED\n";
        } catch (const infill::error &refused) {
            std::cout << refused.what() << "\n";
        } catch (const std::exception &refused) {
            std::cout << refused.what() << "\n";
        }
    }
}
