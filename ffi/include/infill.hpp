/*
 * infill for C++17: header-only, over infill.h alone.
 *
 *     infill::space space{infill::real(-5, 10), infill::integer(1, 64).log(), infill::categorical(3)};
 *     infill::config config;
 *     config.seed = 7;
 *     infill::optimizer optimizer(space, config);
 *     auto found = optimizer.minimize([](const std::vector<double> &x) { return cost(x); }, 40);
 *     // found.x, found.value
 *
 * Points go in as anything that has data() and size() of double (std::vector, std::array, arrays, {1.0, 2.0}) and
 * come out as std::vector<double>, in user units. Matrices are rows behind one another. It minimises.
 *
 * Errors. Every function that can fail returns result<T>:
 *
 *   by default             result<T> is T itself, and a failure throws infill::error, whose code() is the status.
 *   INFILL_NO_EXCEPTIONS   result<T> holds a status and, if that is INFILL_OK, a T: `if (auto p = o.ask()) use(p->x);`.
 *                          Nothing throws or catches; it compiles with -fno-exceptions -fno-rtti, and defines itself
 *                          there. Objects come from create(), since a constructor could not tell that it failed.
 *                          A callable that throws, or a container without memory, ends the program.
 *
 * create(), and all else, is there in both modes; parts of a program may be built in different ones. A call that
 * failed has changed nothing. Where infill.h speaks of no data, or of a trial that is gone, and a program may well
 * ask, there is std::optional instead of an error. The errors of each function are those that infill.h lists for
 * the C function it calls, INFILL_ERROR_SHAPE where sizes of containers do not fit each other, and INFILL_ERROR_NULL
 * for an object that was moved from; such an object may be assigned to and destroyed.
 *
 * Names of choices (INFILL_F32, INFILL_ACQUISITION_BOUND, ...) are those of infill.h. What stands between "generated" and
 * "end" follows from infill.h: INFILL_WRITE_HEADER=1 cargo test -p infill-tests --test header writes it anew.
 *
 * Licence: MIT OR Apache-2.0.
 */

#ifndef INFILL_HPP
#define INFILL_HPP

#ifndef INFILL_EXPERIMENTAL
#define INFILL_EXPERIMENTAL
#endif
#include "infill.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(INFILL_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define INFILL_NO_EXCEPTIONS
#endif

#ifndef INFILL_NO_EXCEPTIONS
#include <exception>
#include <stdexcept>
#endif

namespace infill {

// The modes have names of their own for the linker, so that a program may hold both.
#ifndef INFILL_NO_EXCEPTIONS
inline namespace throwing {

/// What a call that failed throws.
///
/// Threads: plain data. Lifetime: its own.
class error : public std::runtime_error {
public:
    error(infill_status code, const std::string &why) : std::runtime_error(why), code_(code) {}

    /// The status, a negative number.
    infill_status code() const noexcept { return code_; }

private:
    infill_status code_;
};

/// What a function that can fail returns: here the value itself.
template <class T>
using result = T;

#else
inline namespace returning {

/// The status of a call.
class outcome {
public:
    explicit outcome(infill_status status) noexcept : status_(status) {}

    infill_status status() const noexcept { return status_; }
    explicit operator bool() const noexcept { return status_ == INFILL_OK; }

private:
    infill_status status_;
};

/// What a function that can fail returns: a status, and a value if that is INFILL_OK.
///
/// Threads: plain data. Lifetime: its own. Looking at a value that is not there is undefined, as for std::optional.
template <class T>
class [[nodiscard]] result : public outcome {
public:
    result(T value) : outcome(INFILL_OK), value_(std::move(value)) {}
    static result failed(infill_status status) { return result(status, std::nullopt); }

    T &operator*() & noexcept { return *value_; }
    const T &operator*() const & noexcept { return *value_; }
    /// By value, so that `for (auto &trial : *optimizer.trials())` keeps what it walks over.
    T operator*() && { return std::move(*value_); }
    T *operator->() noexcept { return &*value_; }
    const T *operator->() const noexcept { return &*value_; }

private:
    result(infill_status status, std::nullopt_t) : outcome(status) {}

    std::optional<T> value_;
};

/// The status of a function that has nothing to give.
template <>
class [[nodiscard]] result<void> : public outcome {
    using outcome::outcome;
};

#endif

/// A sentence for a status.
inline const char *text(infill_status status) noexcept { return infill_status_str(status); }

/// Numbers that somebody else keeps, as a parameter: any container of double becomes one.
///
/// Threads: plain data. Lifetime: that of the numbers; those of a braced list end with the full expression.
class view {
public:
    constexpr view() noexcept = default;
    constexpr view(const double *data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr view(std::initializer_list<double> list) noexcept : view(list.begin(), list.size()) {}
    template <class C, class = std::enable_if_t<
                           std::is_convertible_v<decltype(std::data(std::declval<const C &>())), const double *>>>
    constexpr view(const C &container) noexcept : view(std::data(container), std::size(container)) {}

    constexpr const double *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr const double *begin() const noexcept { return data_; }
    constexpr const double *end() const noexcept { return data_ + size_; }
    constexpr double operator[](std::size_t index) const noexcept { return data_[index]; }

private:
    const double *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Memory that the caller lends: an array, std::array or std::vector of uint64_t, or bytes aligned to INFILL_ALIGN.
///
/// Threads: plain data. Lifetime: that of the memory, which has to outlive the object made in it and stay in place.
class block {
public:
    constexpr block(void *data, std::size_t bytes) noexcept : data_(data), bytes_(bytes) {}
    template <class C,
              class = std::enable_if_t<std::is_same_v<decltype(std::data(std::declval<C &>())), std::uint64_t *>>>
    constexpr block(C &words) noexcept : block(std::data(words), std::size(words) * sizeof(std::uint64_t)) {}

    constexpr void *data() const noexcept { return data_; }
    constexpr std::size_t bytes() const noexcept { return bytes_; }

private:
    void *data_;
    std::size_t bytes_;
};

// What a call gives.

/// A point and the value told there.
struct evaluation {
    std::vector<double> x;
    double value = 0;
};

/// What a model believes of a value.
struct prediction {
    double mean = 0;
    double variance = 0;
    double deviation() const noexcept { return std::sqrt(variance); }
};

/// A point and what the model believes of it.
struct recommendation : prediction {
    std::vector<double> x;
};

/// What a run has come to, after each evaluation.
struct step : infill_step {
    /// The point just evaluated, for the time of the call.
    view x;
};

/// What optimizer::minimize came to: the best trial so far, also of earlier runs; no x, and NaN, if no value was told yet.
struct run : evaluation {
    /// Whether progress ended the run.
    bool stopped = false;
};

/// An objective of training with its derivatives by the hyperparameters, the noise last.
struct evidence_gradient {
    double value = 0;
    std::vector<double> by_theta;
};

// generated from infill.h: results
/// The answer to infill_ask_with.
struct proposal : infill_proposal {
    std::vector<double> x;
};

/// A trial as the optimizer remembers it; its point comes beside it.
struct record : infill_record {
    std::vector<double> x;
};

/// What kernel::gradient gives.
struct kernel_gradient {
    double value = {};
    std::vector<double> by_theta;
    std::vector<double> by_a;
};

/// What gp::predict_gradient gives.
struct gp_predict_gradient : prediction {
    std::vector<double> by_mean;
    std::vector<double> by_variance;
};

/// What gp::predict_joint gives.
struct gp_predict_joint {
    std::vector<double> means;
    std::vector<double> matrix;
};

/// What acquisition_gradient gives.
struct acquisition_gradient_result {
    double score = {};
    double by_mean = {};
    double by_deviation = {};
};

/// A run to be made.
struct frace_run : infill_run {
    std::vector<double> x;
};

/// What frace::best gives.
struct frace_best {
    std::vector<double> x;
    std::uint32_t config = {};
};
// end of what is generated

namespace detail {

/// What a call was given, found among its arguments in C by their types, and why it was refused.
class given {
public:
    template <class... A>
    explicit given(infill_status status, const A &...arguments) {
        c_.status = status;
        (add(arguments), ...);
        // Memory and a text are looked at as what was to become an optimizer or a document, and as nothing else.
        if (!(std::is_same_v<A, infill_opt **> || ...)) c_.mem = nullptr;
        if (!(std::is_same_v<A, infill_document **> || ...)) c_.text = nullptr;
    }

    /// The culprit, what was given, what may be.
    std::string why() const {
        std::size_t length = 0;
        std::string text(infill_explain(&c_, nullptr, 0, &length) == INFILL_OK ? length + 1 : 1, '\0');
        infill_explain(&c_, text.data(), text.size(), &length);
        text.pop_back();
        return text;
    }

private:
    template <class A>
    void add(const A &one) {
        std::size_t *const size = std::exchange(size_, nullptr);
        if constexpr (std::is_convertible_v<A, const infill_opt *>) c_.opt = one;
        else if constexpr (std::is_convertible_v<A, const infill_space *>) c_.space = one;
        else if constexpr (std::is_convertible_v<A, const infill_config *>) c_.config = one;
        else if constexpr (std::is_same_v<A, double>) (values_++ == 0 ? c_.value : c_.variance) = one;
        else if constexpr (std::is_convertible_v<A, const double *>) first(c_.x, one, c_.dims);
        else if constexpr (std::is_convertible_v<A, const char *>) first(c_.text, one, c_.length);
        else if constexpr (std::is_same_v<A, void *>) first(c_.mem, one, c_.bytes);
        else if constexpr (std::is_integral_v<A>) {
            if (size) *size = static_cast<std::size_t>(one);
            else c_.trial = static_cast<infill_trial>(one);
        }
    }

    /// The first array of its kind; its size comes next.
    template <class T>
    void first(const T *&field, const T *array, std::size_t &size) {
        if (field) return;
        field = array;
        size_ = &size;
    }

    infill_given c_ = INFILL_GIVEN(INFILL_OK, nullptr, nullptr);
    std::size_t *size_ = nullptr;
    int values_ = 0;
};

/// The value of a call with these arguments that came to this status.
template <class T, class... A>
result<T> give(infill_status status, T value, [[maybe_unused]] const A &...arguments) {
#ifndef INFILL_NO_EXCEPTIONS
    if (status != INFILL_OK) throw error(status, given(status, arguments...).why());
#else
    if (status != INFILL_OK) return result<T>::failed(status);
#endif
    return value;
}

/// Calls a function of infill.h that writes nothing.
template <class... P, class... A>
result<void> call(infill_status (*function)(P...), const A &...arguments) {
    const infill_status status = function(arguments...);
#ifndef INFILL_NO_EXCEPTIONS
    if (status != INFILL_OK) throw error(status, given(status, arguments...).why());
#else
    return result<void>(status);
#endif
}

/// Moves what a result holds, and gives its status.
template <class T>
infill_status take(result<T> from, T &to) {
#ifndef INFILL_NO_EXCEPTIONS
    to = std::move(from);
    return INFILL_OK;
#else
    if (from) to = *std::move(from);
    return from.status();
#endif
}

/// What sizes that do not fit each other come to.
template <class T>
result<T> refused() {
    if constexpr (std::is_void_v<T>) return call(+[] { return static_cast<infill_status>(INFILL_ERROR_SHAPE); });
    else return give(INFILL_ERROR_SHAPE, T());
}

/// What a function of infill.h writes to out, a part of its arguments.
template <class T, class... P, class... A>
result<T> filled(T &out, infill_status (*function)(P...), const A &...arguments) {
    const infill_status status = function(arguments...);
    return give(status, std::move(out), arguments...);
}

/// The same, nothing for some statuses.
template <class T, class... P, class... A>
result<std::optional<T>> filled_unless(std::initializer_list<infill_status> none, T &out,
                                       infill_status (*function)(P...), const A &...arguments) {
    const infill_status status = function(arguments...);
    if (std::find(none.begin(), none.end(), status) != none.end()) return std::optional<T>();
    return give(status, std::optional<T>(std::move(out)), arguments...);
}

/// What a function of infill.h writes to its last parameter.
template <class T, class... P, class... A>
result<T> last(infill_status (*function)(P...), const A &...arguments) {
    T out{};
    return filled(out, function, arguments..., &out);
}

/// The same, nothing for some statuses.
template <class T, class... P, class... A>
result<std::optional<T>> last_unless(std::initializer_list<infill_status> none, infill_status (*function)(P...),
                                     const A &...arguments) {
    T out{};
    return filled_unless(none, out, function, arguments..., &out);
}

/// The text that a function of infill.h writes to its last three parameters, once its length is known.
template <class... P, class... A>
result<std::string> told(infill_status (*function)(P...), const A &...arguments) {
    std::size_t length = 0;
    infill_status status = function(arguments..., nullptr, 0, &length);
    std::string text(length + 1, '\0');
    if (status == INFILL_OK) status = function(arguments..., text.data(), text.size(), &length);
    text.resize(length);
    return give(status, std::move(text));
}

/// Keeps an exception on this side of the border.
class border {
public:
#ifndef INFILL_NO_EXCEPTIONS
    /// What body returns; 1, which stops a run, if it throws.
    template <class F>
    std::int32_t call(F &&body) noexcept {
        try {
            return body();
        } catch (...) {
            thrown_ = std::current_exception();
            return 1;
        }
    }
    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    std::exception_ptr thrown_;
#else
    template <class F>
    std::int32_t call(F &&body) noexcept { return body(); }
    void rethrow() const noexcept {}
#endif
};

/// A copy with a change.
template <class T, class F>
T changed(T copy, F &&change) {
    change(copy);
    return copy;
}

/// The same texts for C.
inline std::vector<const char *> texts(const std::vector<std::string> &all) {
    std::vector<const char *> out;
    for (const std::string &one : all) out.push_back(one.c_str());
    return out;
}

/// How many rows of dims numbers there are, unless the last is not whole.
inline bool whole_rows(view numbers, std::size_t dims, std::size_t &rows) {
    if (dims == 0 || numbers.size() % dims != 0) return false;
    rows = numbers.size() / dims;
    return true;
}

/// Words for so many bytes, in a vector that is taken over; at least one, so that there is an address.
inline std::shared_ptr<std::vector<std::uint64_t>> words(std::size_t bytes, std::vector<std::uint64_t> &&taken = {}) {
    auto all = std::make_shared<std::vector<std::uint64_t>>(std::move(taken));
    all->resize(std::max<std::size_t>({1, all->size(), (bytes + 7) / 8}));
    return all;
}

/// What an object O of the library with handles H is made of.
template <class O, class H>
class object {
public:
    /// What C functions take, and the first byte of its block if it has one; NULL if it was moved from.
    H *handle() const noexcept { return held_.get(); }

protected:
    /// The handle, with what has to be given back with it.
    using held = std::shared_ptr<H>;
    /// What it was made from is for objects that remember some of it.
    template <class... A>
    explicit object(held &&handle, const A &...) noexcept : held_(std::move(handle)) {}
    object(object &&) noexcept = default;
    object &operator=(object &&) noexcept = default;

    /// The object whose handle a function writes to its last parameter, and that free gives back.
    template <class F, class... A>
    static result<O> made(void (*free)(H *), F &&function, const A &...arguments) {
        H *handle = nullptr;
        const infill_status status = function(arguments..., &handle);
        return give(status, O(held(handle, free), arguments...), arguments..., &handle);
    }

    /// The same in memory that is among the arguments, and that somebody keeps in its place: words, or nobody if it is lent.
    template <class F, class... A>
    static result<O> placed(std::shared_ptr<void> words, F &&function, const A &...arguments) {
        H *handle = nullptr;
        const infill_status status = function(arguments..., &handle);
        return give(status, O(held(std::move(words), handle), arguments...), arguments..., &handle);
    }

private:
    held held_;
};

}  // namespace detail

// ---- What may vary ---------------------------------------------------------------------------------------------

/// Which values are meant, of a parent that switches a child on or in what is forbidden: equals, in or between.
///
/// Threads: plain data. Lifetime: its own.
class rule {
public:
    rule(infill_when when, double lo, double hi, view values = {})
        : c_{0, when, 0, 0, lo, hi, nullptr, values.size()}, values_(values.begin(), values.end()) {}

private:
    friend class param;
    friend class space;

    /// The same of a parameter, by its index, joined to the one before or not.
    rule of(std::size_t parameter, std::uint32_t joined) && {
        c_.parameter = static_cast<std::uint32_t>(std::min<std::size_t>(parameter, UINT32_MAX));
        c_.also = joined;
        return std::move(*this);
    }

    infill_term c_;
    std::vector<double> values_;
};

/// This value.
inline rule equals(double value) { return rule(INFILL_WHEN_EQUALS, value, value); }
/// One of these values.
inline rule in(view values) { return rule(INFILL_WHEN_IN, 0, 0, values); }
/// Any value from lo to hi.
inline rule between(double lo, double hi) { return rule(INFILL_WHEN_BETWEEN, lo, hi); }

/// One thing that may vary: real, integer, ordinal or categorical.
///
/// Threads: plain data. Lifetime: its own; it keeps copies of levels.
class param {
public:
    param(infill_kind kind, double lo, double hi, std::size_t count, view levels = {})
        : c_{kind, 0, lo, hi, nullptr, count, 0, 0, 0}, levels_(levels.begin(), levels.end()) {}

    /// The same, uniform in its exponent: for reals and integers.
    param log() const { return detail::changed(*this, [](param &other) { other.c_.log = 1; }); }

    /// The same with a default, which INFILL_IMPUTE_USUAL writes where it does not matter.
    param usual(double value) const {
        return detail::changed(*this, [&](param &other) { other.c_.usual = value; other.c_.has_usual = 1; });
    }

    /// The same with a name, which errors and the block tell.
    param named(std::string name) const {
        return detail::changed(*this, [&](param &other) { other.name_ = std::move(name); });
    }

    /// The same with labels of its values, for categories.
    param labelled(std::vector<std::string> labels) const {
        return detail::changed(*this, [&](param &other) { other.labels_ = std::move(labels); });
    }

    /// The same, but it matters only where the earlier parameter number parent obeys the rule. All rules must hold.
    param when(std::size_t parent, rule values) const { return with(parent, std::move(values), 0); }

    /// The same with an alternative to the last rule: one of such a run must hold.
    param or_when(std::size_t parent, rule values) const { return with(parent, std::move(values), 1); }

private:
    friend class space;

    param with(std::size_t parent, rule values, std::uint32_t either) const {
        return detail::changed(*this, [&](param &other) { other.rules_.push_back(std::move(values).of(parent, either)); });
    }

    infill_param c_;
    std::vector<double> levels_;
    std::vector<rule> rules_;
    std::string name_;
    std::vector<std::string> labels_;
};

/// Every number from lo to hi.
inline param real(double lo, double hi) { return param(INFILL_KIND_REAL, lo, hi, 0); }
/// Every whole number from lo to hi.
inline param integer(double lo, double hi) { return param(INFILL_KIND_INTEGER, lo, hi, 0); }
/// These numbers, which increase.
inline param ordinal(view levels) { return param(INFILL_KIND_ORDINAL, 0, 0, levels.size(), levels); }
/// One of count values without order, named 0 to count − 1.
inline param categorical(std::size_t count) { return param(INFILL_KIND_CATEGORICAL, 0, 0, count); }
/// One of these values without order.
inline param categorical(std::vector<std::string> labels) {
    const std::size_t count = labels.size();
    return categorical(count).labelled(std::move(labels));
}

/// Parameters, in the order of the coordinates of a point.
///
/// Threads: plain data. Lifetime: its own; an optimizer keeps what it needs.
class space {
public:
    space() = default;
    space(std::initializer_list<param> params) : params_(params) {}
    explicit space(std::vector<param> params) : params_(std::move(params)) {}

    /// Adds a parameter and gives its index, for when().
    std::size_t add(param other) {
        params_.push_back(std::move(other));
        return params_.size() - 1;
    }

    /// Forbids what all of these terms describe together; each is the index of a parameter with some of its values.
    space &forbid(std::vector<std::pair<std::size_t, rule>> terms) {
        std::uint32_t also = 0;
        for (auto &[index, values] : terms) forbidden_.push_back(std::move(values).of(index, std::exchange(also, 1)));
        return *this;
    }

    /// What a model sees of a parameter that does not matter.
    space &impute(infill_impute how) {
        impute_ = how;
        return *this;
    }

    std::size_t dims() const noexcept { return params_.size(); }

    /// The index of the parameter (or, for INFILL_ERROR_CONDITION and INFILL_ERROR_CLAUSE, of the condition or of what is
    /// forbidden) for which it is refused.
    std::optional<std::size_t> fault() const {
        const std::int64_t index = infill_space_fault(data(*this).get());
        return index < 0 ? std::nullopt : std::optional<std::size_t>(index);
    }

    /// The same as C data, which end with this object or with the space.
    struct data {
        explicit data(const space &from) {
            for (const param &one : from.params_) {
                for (const auto &[term, values] : one.rules_) {
                    conditions.push_back({static_cast<std::uint32_t>(params.size()), term.parameter, term.when, term.also,
                                          term.lo, term.hi, values.data(), term.count});
                }
                params.push_back(one.c_);
                params.back().levels = one.levels_.data();
                names.push_back(one.name_.c_str());
                labels.push_back(detail::texts(one.labels_));
                // There are as many labels as values.
                if (!one.labels_.empty()) labels.back().resize(std::max(one.c_.count, one.labels_.size()));
            }
            for (const auto &list : labels) lists.push_back(list.empty() ? nullptr : list.data());
            for (const auto &[term, values] : from.forbidden_) {
                terms.push_back(term);
                terms.back().values = values.data();
            }
            c = {sizeof(infill_space), params.data(), params.size(), conditions.data(), conditions.size(),
                 terms.data(), terms.size(), from.impute_, 0, names.data(), lists.data()};
        }
        data(data &&) = delete;
        const infill_space *get() const noexcept { return &c; }

    private:
        std::vector<infill_param> params;
        std::vector<infill_condition> conditions;
        std::vector<infill_term> terms;
        std::vector<const char *> names;
        std::vector<std::vector<const char *>> labels;
        std::vector<const char *const *> lists;
        infill_space c;
    };

private:
    std::vector<param> params_;
    std::vector<rule> forbidden_;
    std::uint32_t impute_ = INFILL_IMPUTE_CENTRE;
};

// ---- Kernels ---------------------------------------------------------------------------------------------------

/// A covariance function: `kernel::matern52().ard().over(0, 3) * kernel::hamming().over({3})`, `.scaled()`.
///
/// Each function gives a new kernel; ard, over, no_bias, set and fix concern the part that was made last.
/// Hyperparameters (theta) are logarithms. A kernel that makes no sense is refused where it is used.
///
/// Threads: plain data. Lifetime: its own; an optimizer keeps what it needs.
class kernel {
public:
    /// The kernel of this number, for a new one too; the functions below are its members with their own words.
    static kernel of(infill_op op, std::uint32_t degree = 0) { return kernel(op, degree); }
    /// (Σ w a b + w₀)ᵈ
    static kernel polynomial(std::uint32_t degree) { return kernel(INFILL_OP_POLYNOMIAL, degree); }
    /// Of parameters that can be inactive: a radial profile, INFILL_OP_SQUARED_EXPONENTIAL to INFILL_OP_MATERN52.
    static kernel arc(infill_op profile = INFILL_OP_MATERN52) { return kernel(INFILL_OP_ARC, profile); }
    /// A radial profile of numbers and of categories as unit vectors, the last coordinates of those it is over.
    static kernel one_hot(std::uint32_t categories, infill_op profile = INFILL_OP_MATERN52) {
        return kernel(INFILL_OP_ONE_HOT, profile + 256 * categories);
    }

    // generated from infill.h: kernels
    /// The constant σ².
    static kernel constant() { return kernel(INFILL_OP_CONSTANT); }
    /// exp(−ρ²/2)
    static kernel squared_exponential() { return kernel(INFILL_OP_SQUARED_EXPONENTIAL); }
    /// exp(−ρ)
    static kernel matern12() { return kernel(INFILL_OP_MATERN12); }
    /// (1 + √3ρ) exp(−√3ρ)
    static kernel matern32() { return kernel(INFILL_OP_MATERN32); }
    /// (1 + √5ρ + 5ρ²/3) exp(−√5ρ)
    static kernel matern52() { return kernel(INFILL_OP_MATERN52); }
    /// 2¹⁻ᵛ/Γ(ν) zᵛ Kᵥ(z), z = √(2ν) ρ: the Matérn kernel of any order ν, which is not learnt (the derivative by it is
    /// 0). Not in a build without the other models.
    static kernel matern() { return kernel(INFILL_OP_MATERN); }
    /// (1 + ρ²/(2α))⁻ᵅ
    static kernel rational_quadratic() { return kernel(INFILL_OP_RATIONAL_QUADRATIC); }
    /// exp(−ρᵞ)
    static kernel gamma_exponential() { return kernel(INFILL_OP_GAMMA_EXPONENTIAL); }
    /// exp(−Σ |Δ|/ℓ)
    static kernel laplace() { return kernel(INFILL_OP_LAPLACE); }
    /// exp(−2 Σ sin²(πΔ/p)/ℓ²)
    static kernel periodic() { return kernel(INFILL_OP_PERIODIC); }
    /// cos(2π Σ Δ/p)
    static kernel cosine() { return kernel(INFILL_OP_COSINE); }
    /// Σ w a b
    static kernel linear() { return kernel(INFILL_OP_LINEAR); }
    /// 2/π arcsin of a normalised dot product.
    static kernel arc_sine() { return kernel(INFILL_OP_ARC_SINE); }
    /// exp(−Σ w [a ≠ b])
    static kernel hamming() { return kernel(INFILL_OP_HAMMING); }
    /// Π (a = b ? 1 : c)
    static kernel exchangeable() { return kernel(INFILL_OP_EXCHANGEABLE); }
    /// Π [a = b]: zero across branches of a conditional space.
    static kernel branch() { return kernel(INFILL_OP_BRANCH); }
    /// Π [(a < 0) = (b < 0)]: zero unless the same coordinates are active, that is, not negative.
    static kernel active() { return kernel(INFILL_OP_ACTIVE); }
    // end of what is generated

    friend kernel operator+(kernel a, const kernel &b) { return std::move(a).join(b, INFILL_OP_SUM); }
    friend kernel operator*(kernel a, const kernel &b) { return std::move(a).join(b, INFILL_OP_PRODUCT); }

    /// Times a variance.
    kernel scaled() const {
        return detail::changed(*this, [](kernel &other) { other.nodes_.emplace_back(INFILL_OP_SCALE, 0); });
    }

    /// With a length, period, weight or correlation for each coordinate.
    kernel ard() const {
        return changed([](node &last) { last.c.flags |= INFILL_NODE_ARD; });
    }

    /// Without constant input: for a polynomial or arc sine.
    kernel no_bias() const {
        return changed([](node &last) { last.c.flags |= INFILL_NODE_NO_BIAS; });
    }

    /// Over count coordinates from first on, instead of all.
    kernel over(std::uint32_t first, std::size_t count) const {
        // No coordinates would mean all of them to the library; an empty list is refused.
        if (count == 0) return over({});
        return changed([&](node &last) {
            last.c.first = first;
            last.c.count = count;
            last.list.reset();
        });
    }

    /// Over these coordinates, which increase (for one_hot, up to the first category and again from there).
    kernel over(std::vector<std::uint16_t> coordinates) const {
        return changed([&](node &last) {
            last.c.first = 0;
            last.c.count = coordinates.size();
            last.list = std::move(coordinates);
        });
    }

    /// Start, range and log-normal prior (flat if sd = 0), or another one, of the hyperparameters of a role, in natural units.
    kernel set(infill_role role, double value, double lo, double hi, double prior_mean = 0, double prior_sd = 0,
               infill_prior prior = INFILL_PRIOR_LOG_NORMAL) const {
        return changed([&](node &last) { last.hypers.push_back({role, prior, value, lo, hi, prior_mean, prior_sd}); });
    }

    /// A value that training does not move.
    kernel fix(infill_role role, double value) const { return set(role, value, value, value); }

    /// The hyperparameters at which training starts.
    result<std::vector<double>> start(std::size_t dims) const {
        std::size_t count = 0;
        infill_status status = detail::take(thetas(dims), count);
        std::vector<double> theta(count);
        if (status == INFILL_OK) status = infill_kernel_start(data(*this).get(), dims, theta.data(), count);
        return detail::give(status, std::move(theta));
    }

    // generated from infill.h: functions of infill_kernel
    /// The number of hyperparameters of a kernel over points of dims coordinates.
    result<std::size_t> thetas(std::size_t dims) const {
        return detail::last<std::size_t>(infill_kernel_thetas, data(*this).get(), dims);
    }

    /// k(a, b), in double precision.
    result<double> eval(view theta, view a, view b) const {
        if (b.size() != a.size()) return detail::refused<double>();
        return detail::last<double>(infill_kernel_eval, data(*this).get(), theta.data(), theta.size(), a.data(),
                                    b.data(), a.size());
    }

    /// k(a, b) with its derivatives by the hyperparameters, by_theta[thetas], and by a, by_a[dims]. A coordinate in
    /// which the kernel has no derivative gets 0.
    result<kernel_gradient> gradient(view theta, view a, view b) const {
        if (b.size() != a.size()) return detail::refused<kernel_gradient>();
        kernel_gradient out{};
        out.by_theta.resize(theta.size());
        out.by_a.resize(a.size());
        return detail::filled(out, infill_kernel_gradient, data(*this).get(), theta.data(), theta.size(), a.data(),
                              b.data(), a.size(), &out.value, out.by_theta.data(), out.by_a.data());
    }

    /// The matrix k(xᵢ, xⱼ) of rows points, row after row in x: its lower triangle, matrix[rows·(rows + 1)/2], row i
    /// from i·(i + 1)/2 on.
    result<std::vector<double>> gram(view theta, view x, std::size_t dims) const {
        std::size_t rows = 0;
        if (!detail::whole_rows(x, dims, rows)) return detail::refused<std::vector<double>>();
        std::vector<double> out(rows * (rows + 1) / 2);
        return detail::filled(out, infill_kernel_gram, data(*this).get(), theta.data(), theta.size(), x.data(), rows,
                              dims, out.data());
    }
    // end of what is generated

    /// The same as C data, which end with this object or with the kernel.
    struct data {
        explicit data(const kernel &from) {
            for (const node &one : from.nodes_) {
                nodes.push_back(one.c);
                // An empty vector has no address; a list needs one.
                static constexpr std::uint16_t none = 0;
                if (one.list) nodes.back().list = one.list->empty() ? &none : one.list->data();
                nodes.back().hypers = one.hypers.data();
                nodes.back().hyper_count = one.hypers.size();
            }
            c = {nodes.data(), nodes.size()};
        }
        data(data &&) = delete;
        const infill_kernel *get() const noexcept { return &c; }

    private:
        std::vector<infill_node> nodes;
        infill_kernel c;
    };

private:
    struct node {
        node(infill_op op, std::uint32_t degree) : c{op, 0, degree, 0, 0, nullptr, nullptr, 0} {}
        infill_node c;
        std::optional<std::vector<std::uint16_t>> list;
        std::vector<infill_hyper> hypers;
    };

    explicit kernel(infill_op op, std::uint32_t degree = 0) { nodes_.emplace_back(op, degree); }

    template <class F>
    kernel changed(F &&change) const {
        return detail::changed(*this, [&](kernel &other) { change(other.nodes_.back()); });
    }

    kernel join(const kernel &other, infill_op op) && {
        nodes_.insert(nodes_.end(), other.nodes_.begin(), other.nodes_.end());
        nodes_.emplace_back(op, 0);
        return std::move(*this);
    }

    std::vector<node> nodes_;
};

// ---- Settings --------------------------------------------------------------------------------------------------

/// How much a block holds: a zero is chosen by the library.
using limits = infill_limits;

/// The names of settings that config::preset knows.
inline std::vector<const char *> presets() {
    std::vector<const char *> all;
    while (const char *name = infill_preset_name(static_cast<std::uint32_t>(all.size()))) all.push_back(name);
    return all;
}

// generated from infill.h: defaults
/// What an optimizer is to do: infill_config with the defaults, and a kernel that it owns.
///
/// Threads: plain data. Lifetime: its own.
struct config : infill_config {
    // A library that is older than this header leaves the size at 0, for which every call is refused.
    config() noexcept : infill_config() { infill_config_default(this, sizeof(infill_config)); }

    /// Fills a configuration with the settings of a name, in the manner of a well-known program; then give it a seed
    /// and its limits.trials. The names are those of infill_preset_name. "default" is infill_config_default.
    /// "spearmint" averages over ten draws of the hyperparameters, and over fantasies of open trials; "mip-ego" has a
    /// random forest and a temperature that falls; "gpgo" trains at each ask, "gpgo-student", "gpgo-mcmc",
    /// "gpgo-forest", "gpgo-extra" and "gpgo-boosted" are the same with other models. name ends with a zero.
    static result<config> preset(const char *name) {
        config out;
        return detail::filled(out, infill_config_preset, &out, sizeof(infill_config), name);
    }

    /// The kernel; if there is none, that of infill_config::kernel.
    std::optional<infill::kernel> kernel;
};

/// What a process is: infill_gp_config with the defaults, and a kernel that it owns.
///
/// Threads: plain data. Lifetime: its own.
struct gp_config : infill_gp_config {
    // A library that is older than this header leaves the size at 0, for which every call is refused.
    gp_config() noexcept : infill_gp_config() { infill_gp_config_default(this, sizeof(infill_gp_config)); }

    /// With the fields that have no defaults.
    gp_config(std::size_t the_rows, std::size_t the_dims, std::optional<infill::kernel> the_kernel = {}) : gp_config() {
        rows = the_rows;
        dims = the_dims;
        kernel = std::move(the_kernel);
    }

    /// The kernel; if there is none, that of infill_gp_config::kernel.
    std::optional<infill::kernel> kernel;
};

/// How much a training may spend: infill_training with the defaults.
///
/// Threads: plain data. Lifetime: its own.
struct training : infill_training {
    // A library that is older than this header leaves the size at 0, for which every call is refused.
    training() noexcept : infill_training() { infill_training_default(this, sizeof(infill_training)); }
};

/// How a race is run, and how much it holds: infill_race_rules with the defaults.
///
/// Threads: plain data. Lifetime: its own.
struct race_rules : infill_race_rules {
    // A library that is older than this header leaves the size at 0, for which every call is refused.
    race_rules() noexcept : infill_race_rules() { infill_race_default(this, sizeof(infill_race_rules)); }
};

/// Which adapter, and how much of it: infill_gpu_options with the defaults.
///
/// Threads: plain data. Lifetime: its own.
struct gpu_options : infill_gpu_options {
    // A library that is older than this header leaves the size at 0, for which every call is refused.
    gpu_options() noexcept : infill_gpu_options() { infill_gpu_options_default(this, sizeof(infill_gpu_options)); }
};

/// What an iterated F-race does: infill_frace_plan with the defaults.
///
/// Threads: plain data. Lifetime: its own.
struct frace_plan : infill_frace_plan {
    // A library that is older than this header leaves the size at 0, for which every call is refused.
    frace_plan() noexcept : infill_frace_plan() { infill_frace_default(this, sizeof(infill_frace_plan)); }
};
// end of what is generated

namespace detail {

/// A configuration D as C data: its base C, with the kernel that D owns.
template <class C>
struct config_data {
    template <class D>
    explicit config_data(const D &from) : c(from) {
        if (from.kernel) c.kernel = own.emplace(*from.kernel).get();
    }
    config_data(config_data &&) = delete;
    const C *get() const noexcept { return &c; }

private:
    std::optional<kernel::data> own;
    C c;
};

}  // namespace detail

// ---- Spaces with names -----------------------------------------------------------------------------------------

/// A space with names, as a JSON document in the form of Python's ConfigSpace.
///
/// Threads: it never changes, so that any number of threads may use it. Lifetime: its own; what space() gives ends with it.
class document : public detail::object<document, infill_document> {
public:
    /// The document of a space; names are those of its parameters.
    static result<document> of(const space &from, const std::vector<std::string> &names) {
        if (names.size() != from.dims()) return detail::give(INFILL_ERROR_SHAPE, document(held(nullptr)));
        return made(infill_document_free, infill_document_of, space::data(from).get(), detail::texts(names).data());
    }

    /// The space, for C functions and for optimizer.
    const infill_space *space() const noexcept {
        const infill_space *out = nullptr;
        infill_document_space(handle(), &out);
        return out;
    }

    /// Number of parameters of the space; 0 if it was moved from.
    std::size_t dims() const noexcept { return space() ? space()->dims : 0; }
    /// The document as JSON.
    result<std::string> text() const { return detail::told(infill_document_write, handle()); }

    // generated from infill.h: functions of infill_document
    /// The document of a JSON text of so many bytes, which need not end with a zero. Hosted builds only.
    static result<document> read(std::string_view text) {
        return made(infill_document_free, infill_document_read, text.data(), text.size());
    }

    /// The name of a parameter of the space. Hosted builds only.
    result<std::string> name(std::size_t parameter) const {
        return detail::told(infill_document_name, handle(), parameter);
    }

    /// The configuration at a point of the space as a JSON object of names and values, constants among them; what does
    /// not matter is left out. Hosted builds only.
    result<std::string> values(view x) const {
        return detail::told(infill_document_values, handle(), x.data(), x.size());
    }

    /// The point of the space at which parameters have the values of a JSON object; those that it does not name have
    /// their defaults. Hosted builds only.
    result<std::vector<double>> point(std::string_view text) const {
        std::vector<double> out(dims());
        return detail::filled(out, infill_document_point, handle(), text.data(), text.size(), out.data(), out.size());
    }

    /// The vector by which Python's ConfigSpace stands for a point: one number for each parameter of the document,
    /// constants among them, in its order; NaN for what does not matter. Hosted builds only.
    result<std::vector<double>> vector(view x, std::size_t count) const {
        std::vector<double> out(count);
        return detail::filled(out, infill_document_vector, handle(), x.data(), x.size(), out.data(), out.size());
    }
    // end of what is generated

private:
    friend object;
    using object::object;
};

// ---- Backends --------------------------------------------------------------------------------------------------

/// Who does the arithmetic, instead of the library's plain one.
///
/// Threads: used by one thread at a time; what threads it starts itself it waits for.
/// Lifetime: longer than the calls that it is passed to; it may serve many optimizers, one after the other.
class backend : public detail::object<backend, infill_backend> {
public:
    /// Why a GPU leaves its work to the CPU; empty while it does not.
    std::string reason() const {
        char text[256] = "";
        infill_backend_reason(handle(), text, sizeof text);
        return text;
    }

    // generated from infill.h: functions of infill_backend
    /// A backend of blocked, vectorised and threaded linear algebra: faster with hundreds of trials. threads = 0 takes
    /// all there are. It allocates as it needs. It agrees with optimizer::ask to rounding, not to the bit. Hosted
    /// builds only.
    static result<backend> faer(std::size_t threads = 0) {
        return made(infill_backend_free, infill_backend_faer, threads);
    }

    /// A backend on a GPU, for optimizers with the limits of opt; options = NULL takes the defaults. It allocates. It
    /// screens in single precision what the CPU then decides. When the device fails, the CPU goes on: reason says why.
    static result<backend> gpu(const infill_opt *opt, const gpu_options &options = {}) {
        return made(infill_backend_free, infill_backend_gpu, opt, &options);
    }
    // end of what is generated

private:
    friend object;
    using object::object;
};

/// An adapter as infill::adapters lists it.
struct adapter {
    std::string name;
    infill_api api;
    bool software;
};

/// All adapters; none in a build without GPU.
inline std::vector<adapter> adapters() {
    std::vector<adapter> all;
    for (std::size_t i = 0, count = infill_gpu_count(); i < count; i++) {
        char name[256];
        uint32_t api = 0, software = 0;
        if (infill_gpu_adapter(i, name, sizeof name, &api, &software) == INFILL_OK)
            all.push_back({name, static_cast<infill_api>(api), software != 0});
    }
    return all;
}

/// Why a call was refused that was given a space and a configuration; with other things, infill_explain.
inline std::string why(infill_status status, const space &the_space, const config &the_config) {
    return detail::given(status, space::data(the_space).get(), detail::config_data<infill_config>(the_config).get()).why();
}

/// A point without what does not matter, as numbers for observe and enqueue: NaN where there is nothing.
inline std::vector<double> point(const std::vector<std::optional<double>> &x) {
    std::vector<double> out;
    for (const auto &one : x) out.push_back(one.value_or(std::numeric_limits<double>::quiet_NaN()));
    return out;
}

/// What runs on other data sets taught: the words that optimizer::source gave, one source behind the other, and the
/// meta-features of the new data set, if there are any. Empty ones are none.
///
/// Threads: plain data. Lifetime: that of the words and of the numbers, which it only looks at.
struct sources : infill_sources {
    sources() noexcept : infill_sources() {}
    sources(const void *bytes, std::size_t how_many, view described = {}) noexcept
        : infill_sources{bytes, how_many, described.data(), described.size()} {}
    template <class C, class = std::enable_if_t<
                           std::is_convertible_v<decltype(std::data(std::declval<const C &>())), const std::uint64_t *>>>
    sources(const C &words, view described = {}) noexcept
        : sources(std::data(words), std::size(words) * sizeof(std::uint64_t), described) {}
};

/// The meta-features of a data set for classification: its predictors, one behind the other, and a label for each instance.
template <class C>
result<std::vector<double>> meta_features(view columns, const C &labels) {
    std::vector<double> out(INFILL_META_FEATURES);
    const std::vector<std::uint32_t> all(std::begin(labels), std::end(labels));
    const std::size_t features = all.empty() ? 0 : columns.size() / all.size();
    if (features * all.size() != columns.size()) return detail::refused<std::vector<double>>();
    return detail::filled(out, infill_meta_features, columns.data(), features, all.data(), all.size(), out.data());
}

// ---- The optimizer ---------------------------------------------------------------------------------------------

/// Finds the minimum of an expensive function in few evaluations.
///
/// Threads: used by one thread at a time; const functions may run together. A callable is called by the thread that
/// called minimize, and must not use the optimizer it works for.
/// Lifetime: it owns its block, unless that was lent: then the block has to outlive it. It can be moved, not copied;
/// clone() makes a second one.
class optimizer : public detail::object<optimizer, infill_opt> {
public:
    /// The optimizer in a block that was saved, copied or moved, and that the caller lends. A block over another space
    /// than the one given is refused, and what() says what differs.
    static result<optimizer> attach(block memory) {
        return placed(nullptr, infill_attach, memory.data(), memory.bytes(), nullptr);
    }
    static result<optimizer> attach(block memory, const space &over) {
        return placed(nullptr, infill_attach, memory.data(), memory.bytes(), space::data(over).get());
    }

    /// The optimizer that save() gave, from any container of bytes, which is copied.
    template <class C>
    static result<optimizer> restore(const C &bytes) { return restored(bytes, nullptr); }
    template <class C>
    static result<optimizer> restore(const C &bytes, const space &over) { return restored(bytes, space::data(over).get()); }

    /// A copy of the block: restore() goes on from it to the same bits. Empty if it was moved from.
    std::vector<unsigned char> save() const {
        const auto *first = reinterpret_cast<const unsigned char *>(handle());
        return first ? std::vector<unsigned char>(first, first + bytes()) : std::vector<unsigned char>();
    }

    // -- The whole loop

    /// Evaluates the objective so many times, where it is worth most. Call it again to go on.
    ///
    /// objective: double(const std::vector<double> &), or of what a vector converts to (infill::view, std::span). NaN
    /// or infinity says that the evaluation failed. An exception stops the run and comes out here; the trial it was
    /// thrown for is forgotten, those before it are kept.
    /// progress: void or bool(const step &), after each evaluation; false stops the run.
    template <class F, class P>
    result<run> minimize(F &&objective, std::uint32_t evaluations, P &&progress, backend *by = nullptr) {
        return looped(objective, progress, evaluations, infill_minimize_with, by ? by->handle() : nullptr);
    }

    template <class F>
    result<run> minimize(F &&objective, std::uint32_t evaluations) {
        return minimize(std::forward<F>(objective), evaluations, [](const step &) {});
    }

    /// The same with the help of runs on other data sets.
    template <class F, class P>
    result<run> minimize_from(const sources &from, F &&objective, std::uint32_t evaluations, P &&progress,
                              backend *by = nullptr) {
        return looped(objective, progress, evaluations, infill_minimize_from, &from, by ? by->handle() : nullptr);
    }

    template <class F>
    result<run> minimize_from(const sources &from, F &&objective, std::uint32_t evaluations) {
        return minimize_from(from, std::forward<F>(objective), evaluations, [](const step &) {});
    }

    // -- Ask and tell

    /// As ask, into dims numbers of the caller's, without allocation.
    template <class C>
    result<infill_trial> ask_into(C &x) {
        return detail::last<infill_trial>(infill_ask, handle(), std::data(x), std::size(x));
    }
    /// As next, into dims numbers of the caller's, without allocation.
    template <class C>
    result<std::optional<infill_trial>> next_into(C &x) {
        return detail::last_unless<infill_trial>({INFILL_DONE}, infill_next, handle(), std::data(x), std::size(x));
    }

    /// Of the point of a trial, what matters there: what an objective has to look at.
    result<std::vector<std::optional<double>>> active(infill_trial trial, view x) const {
        std::vector<unsigned char> matters(dims());
        infill_status status = infill_active(handle(), trial, matters.data(), matters.size());
        if (status == INFILL_OK && x.size() != matters.size()) status = INFILL_ERROR_SHAPE;
        std::vector<std::optional<double>> out;
        for (std::size_t i = 0; status == INFILL_OK && i < x.size(); ++i) {
            out.push_back(matters[i] ? std::optional<double>(x[i]) : std::nullopt);
        }
        return detail::give(status, std::move(out));
    }

    // -- What is known

    /// What the told trials taught, as a source for runs on other data sets in the same space; its words go behind those
    /// of others. The optimizer does not change.
    result<std::vector<std::uint64_t>> source(view features = {}, infill_form form = INFILL_FORM_MEANS) const {
        std::vector<std::uint64_t> words, work;
        std::size_t bytes = 0, more = 0;
        infill_status status = infill_source_size(handle(), form, features.size(), &bytes, &more);
        if (status == INFILL_OK) {
            words.resize(bytes / sizeof words[0]);
            work.resize(more / sizeof work[0]);
            status = infill_source_export(handle(), form, features.data(), features.size(), work.data(), more, words.data(),
                                          bytes, &bytes);
        }
        return detail::give(status, std::move(words), handle());
    }

    /// All trials (told, failed, open and queued), in no particular order, as they are now. Cost: O(trials²).
    result<std::vector<record>> trials() const {
        std::vector<record> out(count());
        infill_status status = INFILL_OK;
        for (std::size_t i = 0; i < out.size() && status == INFILL_OK; ++i) status = detail::take(at(i), out[i]);
        return detail::give(status, std::move(out));
    }

    /// Trial number index of count(). Cost: O(trials).
    result<record> at(std::size_t index) const { return record_at(index); }

    /// The trial of this name, if it is still remembered.
    result<std::optional<record>> find(infill_trial trial) const { return record_of(trial); }

    /// The scalar inside.
    infill_scalar scalar() const noexcept { return static_cast<infill_scalar>(infill_scalar_of(handle())); }

    // Counts and sizes are 0 for an optimizer that was moved from.

    // generated from infill.h: functions of infill_opt
    /// In a block that the caller lends, of size() bytes or more.
    static result<optimizer> create(const space &the_space, const config &the_config, block memory) {
        return placed(nullptr, infill_init, memory.data(), memory.bytes(), space::data(the_space).get(),
                      detail::config_data<infill_config>(the_config).get());
    }

    /// In a vector that it takes over, and enlarges as needed.
    static result<optimizer> create(const space &the_space, const config &the_config,
                                    std::vector<std::uint64_t> &&vector) {
        const auto words = detail::words(infill_size(space::data(the_space).get(),
                                                     detail::config_data<infill_config>(the_config).get()), std::move(vector));
        const block memory(*words);
        return placed(words, infill_init, memory.data(), memory.bytes(), space::data(the_space).get(),
                      detail::config_data<infill_config>(the_config).get());
    }

#ifndef INFILL_NO_EXCEPTIONS
    explicit optimizer(const space &the_space, const config &the_config = {})
        : optimizer(create(the_space, the_config)) {}
    optimizer(const space &the_space, const config &the_config, block memory)
        : optimizer(create(the_space, the_config, memory)) {}
    optimizer(const space &the_space, const config &the_config, std::vector<std::uint64_t> &&vector)
        : optimizer(create(the_space, the_config, std::move(vector))) {}
#endif

    /// In a block from the library's heap. Hosted builds only.
    static result<optimizer> create(const space &the_space, const config &the_config = {}) {
        return made(infill_free, infill_new, space::data(the_space).get(),
                    detail::config_data<infill_config>(the_config).get());
    }

    /// Bytes of the block that a copy with these limits takes; 0 if they are refused. Zeros, and limits = NULL, are as
    /// clone says.
    std::size_t clone_size(const infill_limits &the_limits = {}) const {
        return infill_clone_size(handle(), &the_limits);
    }

    /// Copies an optimizer into another block, also with larger limits: it goes on to the same bits. Never allocates.
    /// Zeros in limits, and limits = NULL, are as they were, or what the choices of its configuration need within the
    /// others. The blocks must not overlap.
    result<optimizer> clone(const infill_limits &the_limits = {}) const {
        const auto words = detail::words(infill_clone_size(handle(), &the_limits));
        const block memory(*words);
        return placed(words, infill_clone, handle(), &the_limits, memory.data(), memory.bytes());
    }

    /// In a block that the caller lends, of clone_size() bytes or more.
    result<optimizer> clone(block memory, const infill_limits &the_limits = {}) const {
        return placed(nullptr, infill_clone, handle(), &the_limits, memory.data(), memory.bytes());
    }

    /// Proposes a point, in user units, and opens a trial for it. Many trials may be open. Queued points come first,
    /// then the starting design, then those of largest acquisition, the open trials being believed to give what the
    /// model predicts.
    result<proposal> ask(backend *by = nullptr) {
        proposal out{};
        out.x.resize(dims());
        return detail::filled(out, infill_ask_with, handle(), by ? by->handle() : nullptr, out.x.data(), out.x.size(),
                              &out);
    }

    /// The next question of a run: a trial that was open when its block was attached, the newest first, or an ask. The
    /// loop while (next(opt, x, dims, &trial) == INFILL_OK) that tells, and saves the block after both, is right before
    /// and after a crash: what was told is not done again, what was open is, once. Nothing when every trial of the
    /// limits every point of a finite space has been used.
    result<std::optional<proposal>> next(backend *by = nullptr) {
        proposal out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_DONE}, out, infill_next_with, handle(), by ? by->handle() : nullptr,
                                     out.x.data(), out.x.size(), &out);
    }

    /// Tells the value of an open trial.
    result<void> tell(infill_trial trial, double value) { return detail::call(infill_tell, handle(), trial, value); }

    /// Tells the value of an open trial and the known variance of that value, which adds to the noise that is learnt.
    result<void> tell_noisy(infill_trial trial, double value, double variance) {
        return detail::call(infill_tell_noisy, handle(), trial, value, variance);
    }

    /// Tells that an open trial failed: its point counts as bad as the worst value told.
    result<void> fail(infill_trial trial) { return detail::call(infill_fail, handle(), trial); }

    /// Forgets an open or queued trial: its worker is lost, its place is free, its point may be proposed again.
    result<void> forget(infill_trial trial) { return detail::call(infill_forget, handle(), trial); }

    /// Puts a point in the queue: a later ask proposes it before any other.
    result<infill_trial> enqueue(view x) {
        return detail::last<infill_trial>(infill_enqueue, handle(), x.data(), x.size());
    }

    /// Adds a value that was observed without an ask.
    result<infill_trial> observe(view x, double value) {
        return detail::last<infill_trial>(infill_observe, handle(), x.data(), x.size(), value);
    }

    /// Forgets what was learnt of the hyperparameters, as if all trials had just been told: for a function that has
    /// changed. The next ask learns them afresh; the trials stay.
    result<void> relearn() { return detail::call(infill_relearn, handle()); }

    /// The trial of lowest value told, with that value. Nothing if no value was told.
    result<std::optional<evaluation>> best() const {
        evaluation out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_ERROR_NO_DATA}, out, infill_best, handle(), out.x.data(), out.x.size(),
                                     &out.value);
    }

    /// The told trial of lowest posterior mean, with that mean and its variance: do not trust one lucky run. Where
    /// there is too little data for a model, the trial of lowest value. A look trains the hyperparameters if no ask
    /// has, as the next ask would, and again as the values grow: after values that were only observed it says what it
    /// would say after an ask, and an ask that follows it proposes what it would have proposed without. Once asks
    /// train, looks do not; nor while asks spread the starting design, when the hyperparameters are the first guesses
    /// of the kernel. Nothing if no value was told.
    result<std::optional<recommendation>> recommend() {
        recommendation out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_ERROR_NO_DATA}, out, infill_recommend, handle(), out.x.data(),
                                     out.x.size(), &out.mean, &out.variance);
    }

    /// Mean and variance of the model at a point, in user units; trained when recommend trains. Nothing if there is too
    /// little data for a model.
    result<std::optional<prediction>> predict(view x) {
        prediction out{};
        return detail::filled_unless({INFILL_ERROR_NO_DATA}, out, infill_predict, handle(), x.data(), x.size(),
                                     &out.mean, &out.variance);
    }

    /// How many trials there are: told, failed, open and queued ones.
    std::size_t count() const noexcept { return infill_count(handle()); }

    /// Trial number index of count, in no particular order but with its sequence, and its point. A resumed program
    /// finds here which questions are still open. Cost: O(limits.trials)
    result<record> record_at(std::size_t index) const {
        record out{};
        out.x.resize(dims());
        return detail::filled(out, infill_record_at, handle(), index, out.x.data(), out.x.size(), &out);
    }

    /// The trial of this name, and its point. Nothing if no trial has the name any more.
    result<std::optional<record>> record_of(infill_trial trial) const {
        record out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_ERROR_STALE_TRIAL}, out, infill_record_of, handle(), trial, out.x.data(),
                                     out.x.size(), &out);
    }

    /// How many trials are closed: told and failed ones.
    std::size_t closed() const noexcept { return infill_closed(handle()); }

    /// How many trials may still be asked for or observed before the optimizer is full.
    std::size_t remaining() const noexcept { return infill_remaining(handle()); }

    /// The name of a parameter in the block; empty for a parameter without one, and in a block without room for names.
    result<std::string> name(std::size_t parameter) const { return detail::told(infill_name, handle(), parameter); }

    /// The label of a value of a category in the block, as name.
    result<std::string> label(std::size_t parameter, std::size_t value) const {
        return detail::told(infill_label, handle(), parameter, value);
    }

    /// True if this is the space of the optimizer: the same kinds, bounds, scales, values, defaults, conditions,
    /// forbidden combinations, imputation and, where both have them, names and labels, in the same order. False if not,
    /// and for a space that is refused. For a block that was saved: its points are numbers, which another space reads
    /// as other points.
    bool has_space(const space &the_space) const {
        return infill_has_space(handle(), space::data(the_space).get()) != 0;
    }

    /// Number of parameters.
    std::size_t dims() const noexcept { return infill_dims(handle()); }

    /// Bytes of the block from the handle on: copy them to save the optimizer.
    std::size_t bytes() const noexcept { return infill_bytes(handle()); }

    /// As ask, with the help of sources, as infill_config.transfer_start, _how and _keep say; sources = NULL, and one
    /// of no bytes, is ask, to the bit. The list may differ from call to call; what it says of the told trials is
    /// computed anew. Where it starts the run, the origin is INFILL_ORIGIN_SOURCE. Cost: reads the sources once more
    /// than the answer does, for all of them are checked.
    result<proposal> ask_from(const sources &the_sources = {}, backend *by = nullptr) {
        proposal out{};
        out.x.resize(dims());
        return detail::filled(out, infill_ask_from, handle(), &the_sources, by ? by->handle() : nullptr, out.x.data(),
                              out.x.size(), &out);
    }

    /// As next, with the help of sources as ask_from; sources = NULL is next. Nothing as next.
    result<std::optional<proposal>> next_from(const sources &the_sources = {}, backend *by = nullptr) {
        proposal out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_DONE}, out, infill_next_from, handle(), &the_sources,
                                     by ? by->handle() : nullptr, out.x.data(), out.x.size(), &out);
    }

    /// As predict, by the model that ask_from would use, open trials aside; sources = NULL is predict, to the bit.
    /// Nothing as predict.
    result<std::optional<prediction>> predict_from(const sources &the_sources, view x, backend *by = nullptr) {
        prediction out{};
        return detail::filled_unless({INFILL_ERROR_NO_DATA}, out, infill_predict_from, handle(), &the_sources,
                                     by ? by->handle() : nullptr, x.data(), x.size(), &out.mean, &out.variance);
    }

    /// As recommend, by the model of predict_from; with INFILL_HOW_RANKER mean and variance are those that were told.
    /// Nothing if no value was told.
    result<std::optional<recommendation>> recommend_from(const sources &the_sources = {}, backend *by = nullptr) {
        recommendation out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_ERROR_NO_DATA}, out, infill_recommend_from, handle(), &the_sources,
                                     by ? by->handle() : nullptr, out.x.data(), out.x.size(), &out.mean, &out.variance);
    }
    // end of what is generated

private:
    friend object;
    using object::object;

    template <class C>
    static result<optimizer> restored(const C &bytes, const infill_space *over) {
        static_assert(sizeof(*std::data(bytes)) == 1, "bytes come as a container of char, unsigned char or std::byte");
        const auto words = detail::words(std::size(bytes));
        if (std::size(bytes) > 0) std::memcpy(words->data(), std::data(bytes), std::size(bytes));
        return placed(words, infill_attach, block(*words).data(), std::size(bytes), over);
    }

    /// A run by a function of infill.h, which gets these arguments behind the handle.
    template <class F, class P, class C, class... A>
    result<run> looped(F &objective, P &progress, std::uint32_t evaluations, C *function, A... arguments) {
        static_assert(std::is_invocable_r_v<double, F &, const std::vector<double> &>,
                      "the objective takes a const std::vector<double> & and returns a double");
        static_assert(std::is_invocable_v<P &, const step &>, "progress takes a const infill::step &");
        loop<F, P> state{objective, progress, {}, {}};
        state.x.reserve(dims());
        infill_status status = function(handle(), arguments..., state.evaluate, state.report, &state, evaluations);
        state.border.rethrow();
        std::optional<evaluation> found;
        const bool stopped = status == INFILL_ABORTED;
        if (status == INFILL_OK || stopped) status = detail::take(best(), found);
        return detail::give(status, run{found.value_or(evaluation{{}, std::numeric_limits<double>::quiet_NaN()}), stopped});
    }

    /// The callables of a run, as C callbacks.
    template <class F, class P>
    struct loop {
        F &objective;
        P &progress;
        std::vector<double> x;
        detail::border border;

        static std::int32_t evaluate(void *user, const double *x, std::size_t dims, double *value) noexcept {
            auto &self = *static_cast<loop *>(user);
            return self.border.call([&]() -> std::int32_t {
                self.x.assign(x, x + dims);
                *value = self.objective(std::as_const(self.x));
                return 0;
            });
        }

        static std::int32_t report(void *user, const infill_step *c) noexcept {
            auto &self = *static_cast<loop *>(user);
            return self.border.call([&]() -> std::int32_t {
                const step now{*c, view(c->x, c->dims)};
                if constexpr (std::is_void_v<std::invoke_result_t<P &, const step &>>) {
                    self.progress(now);
                    return 0;
                } else {
                    return self.progress(now) ? 0 : 1;
                }
            });
        }
    };
};

// ---- Gaussian-process regression -------------------------------------------------------------------------------

/// A Gaussian process over points as they are given: no space, no units.
///
/// Threads: used by one thread at a time, also for looking. Lifetime: as optimizer; it is not for files.
class gp : public detail::object<gp, infill_gp> {
public:
    /// Coordinates of a point.
    std::size_t dims() const noexcept { return dims_; }
    /// Functions of the trend.
    std::size_t columns() const noexcept { return columns_; }

    /// The training objective at the present hyperparameters, without the log prior.
    result<double> evidence(infill_objective_kind objective = INFILL_OBJECTIVE_EVIDENCE, backend *by = nullptr) {
        double value = 0;
        return detail::filled(value, infill_gp_evidence, handle(), by ? by->handle() : nullptr, objective, &value,
                              nullptr, std::size_t{0});
    }

    /// The same with its derivatives.
    result<infill::evidence_gradient> evidence_gradient(infill_objective_kind objective = INFILL_OBJECTIVE_EVIDENCE,
                                                        backend *by = nullptr) {
        infill::evidence_gradient out{0, std::vector<double>(thetas())};
        return detail::filled(out, infill_gp_evidence, handle(), by ? by->handle() : nullptr, objective, &out.value,
                              out.by_theta.data(), out.by_theta.size());
    }

    // generated from infill.h: functions of infill_gp
    /// Bytes of the block that a process takes; 0 if the configuration is refused.
    static std::size_t size(const gp_config &config = {}) {
        return infill_gp_size(detail::config_data<infill_gp_config>(config).get());
    }

    /// In a block that the caller lends, of size() bytes or more.
    static result<gp> create(const gp_config &config, block memory) {
        return placed(nullptr, infill_gp_init, memory.data(), memory.bytes(),
                      detail::config_data<infill_gp_config>(config).get());
    }

    /// In a vector that it takes over, and enlarges as needed.
    static result<gp> create(const gp_config &config, std::vector<std::uint64_t> &&vector) {
        const auto words = detail::words(infill_gp_size(detail::config_data<infill_gp_config>(config).get()), std::move(vector));
        const block memory(*words);
        return placed(words, infill_gp_init, memory.data(), memory.bytes(),
                      detail::config_data<infill_gp_config>(config).get());
    }

#ifndef INFILL_NO_EXCEPTIONS
    explicit gp(const gp_config &config = {}) : gp(create(config)) {}
    gp(const gp_config &config, block memory) : gp(create(config, memory)) {}
    gp(const gp_config &config, std::vector<std::uint64_t> &&vector) : gp(create(config, std::move(vector))) {}
#endif

    /// In a block from the library's heap. Hosted builds only.
    static result<gp> create(const gp_config &config = {}) {
        return made(infill_gp_free, infill_gp_new, detail::config_data<infill_gp_config>(config).get());
    }

    /// Adds an observation with a known variance, variance = 0 for none; fit or train makes it count.
    result<void> push(view x, double y, double variance = 0) {
        return detail::call(infill_gp_push, handle(), x.data(), x.size(), y, variance);
    }

    /// Adds an observation to a process that is fitted, which it stays; variance = 0 as for push. Cost: n² instead of
    /// the n³ of a fit.
    result<void> extend(view x, double y, double variance = 0) {
        return detail::call(infill_gp_extend, handle(), x.data(), x.size(), y, variance);
    }

    /// Removes observation number row; those behind it move up. A fitted process stays fitted, unless there is nothing
    /// left to predict from: no more rows than its trend has functions, or rows that fit would refuse.
    result<void> remove(std::size_t row) { return detail::call(infill_gp_remove, handle(), row); }

    /// Removes all observations.
    result<void> clear() { return detail::call(infill_gp_clear, handle()); }

    /// Fits the process to its data at the present hyperparameters; backend = NULL works in the block. Cost: n³/3
    /// flops.
    result<void> fit(backend *by = nullptr) {
        return detail::call(infill_gp_fit, handle(), by ? by->handle() : nullptr);
    }

    /// Finds the hyperparameters that explain the data best, then fits; training = NULL takes the defaults. Writes
    /// objective plus log prior at the chosen hyperparameters. The seed decides where restarts begin.
    result<double> train(const training &the_training = {}, std::uint64_t seed = 0, backend *by = nullptr) {
        return detail::last<double>(infill_gp_train, handle(), by ? by->handle() : nullptr, &the_training, seed);
    }

    /// How many observations there are.
    std::size_t rows() noexcept { return infill_gp_rows(handle()); }

    /// How many hyperparameters there are, with the noise.
    std::size_t thetas() noexcept { return infill_gp_thetas(handle()); }

    /// The hyperparameters as logarithms, the noise variance last, thetas of them.
    result<std::vector<double>> theta() {
        std::vector<double> out(thetas());
        return detail::filled(out, infill_gp_theta, handle(), out.data(), out.size());
    }

    /// Sets all hyperparameters, as logarithms, the noise variance last; fit makes them count.
    result<void> set_theta(view theta) {
        return detail::call(infill_gp_set_theta, handle(), theta.data(), theta.size());
    }

    /// Sets the noise variance and the range in which training may move it; fit makes it count.
    result<void> set_noise(double variance, double lo, double hi) {
        return detail::call(infill_gp_set_noise, handle(), variance, lo, hi);
    }

    /// What was added to the diagonal beyond the noise to keep the matrix positive definite; 0 without a fit.
    result<double> jitter() { return detail::last<double>(infill_gp_jitter, handle()); }

    /// The coefficients of the trend, one per basis function: 1, x…, x x… as infill_trend says.
    result<std::vector<double>> trend() {
        std::vector<double> out(columns());
        return detail::filled(out, infill_gp_trend, handle(), out.data(), out.size());
    }

    /// The log likelihood with the trend and the process variance at their best values, for a kernel of unit variance.
    result<double> likelihood() { return detail::last<double>(infill_gp_likelihood, handle()); }

    /// Mean and variance of the function at a point, without the noise. Cost: n² flops.
    result<prediction> predict(view x) {
        prediction out{};
        return detail::filled(out, infill_gp_predict, handle(), x.data(), x.size(), &out.mean, &out.variance);
    }

    /// As predict, with the derivatives of both by the point, by_mean[dims] and by_variance[dims]. Cost: 2n² flops.
    result<gp_predict_gradient> predict_gradient(view x) {
        gp_predict_gradient out{};
        out.by_mean.resize(x.size());
        out.by_variance.resize(x.size());
        return detail::filled(out, infill_gp_predict_gradient, handle(), x.data(), x.size(), &out.mean, &out.variance,
                              out.by_mean.data(), out.by_variance.data());
    }

    /// Means and covariance of the function at count points, at most infill_gp_config.batch: means[count] and the lower
    /// triangle matrix[count·(count + 1)/2], row i from i·(i + 1)/2 on.
    result<gp_predict_joint> predict_joint(view points) {
        std::size_t count = 0;
        if (!detail::whole_rows(points, dims(), count)) return detail::refused<gp_predict_joint>();
        gp_predict_joint out{};
        out.means.resize(count);
        out.matrix.resize(count * (count + 1) / 2);
        return detail::filled(out, infill_gp_predict_joint, handle(), points.data(), count, dims(), out.means.data(),
                              out.matrix.data());
    }

    /// A joint draw of the function at count points, values[count]; matrix[count·(count + 1)/2] is scratch.
    result<std::vector<double>> sample(view points, std::uint64_t seed = 0) {
        std::size_t count = 0;
        if (!detail::whole_rows(points, dims(), count)) return detail::refused<std::vector<double>>();
        std::vector<double> matrix(count * (count + 1) / 2);
        std::vector<double> out(count);
        return detail::filled(out, infill_gp_sample, handle(), points.data(), count, dims(), seed, out.data(),
                              matrix.data());
    }
    // end of what is generated

private:
    friend object;
    explicit gp(held &&handle, const infill_gp_config *how) noexcept
        : object(std::move(handle)), dims_(how->dims), columns_(columns(how->trend, how->dims)) {}
    gp(held &&handle, void *, std::size_t, const infill_gp_config *how) noexcept : gp(std::move(handle), how) {}

    static std::size_t columns(std::uint32_t trend, std::size_t dims) noexcept {
        if (trend == INFILL_TREND_ZERO) return 0;
        if (trend == INFILL_TREND_CONSTANT) return 1;
        return trend == INFILL_TREND_LINEAR ? 1 + dims : 1 + dims + dims * (dims + 1) / 2;
    }

    std::size_t dims_, columns_;
};

// ---- Functions of no object ----------------------------------------------------------------------------------

// generated from infill.h: functions of nobody
/// The version of the library, packed as INFILL_VERSION is: major << 16 | minor << 8 | patch.
inline std::uint32_t version() noexcept { return infill_version(); }

/// The version of the library as text, "major.minor.patch". Lives as long as the library.
inline const char *version_str() noexcept { return infill_version_str(); }

/// What this build can do: a sum of infill_capability.
inline std::uint32_t capabilities() noexcept { return infill_capabilities(); }

/// Bytes of the block that an optimizer takes, a multiple of 8; 0 if the space or the configuration is refused. Never
/// allocates. Why something is refused, optimizer::init says.
inline std::size_t size(const space &the_space, const config &the_config = {}) {
    return infill_size(space::data(the_space).get(), detail::config_data<infill_config>(the_config).get());
}

/// Bytes to which a block is aligned: INFILL_ALIGN.
inline std::size_t align() noexcept { return infill_align(); }

/// Words of 8 bytes that the default limits take: what INFILL_WORDS is at least; 0 for a scalar that is none. scalar is
/// an infill_scalar, scalar = INFILL_F64 as a rule.
inline std::size_t words(std::uint32_t dims, std::uint32_t trials, infill_scalar scalar = INFILL_F64) noexcept {
    return infill_words(dims, trials, scalar);
}

/// How many sources there are, after all of them have been checked as optimizer::ask_from does; sources = NULL are
/// none. Cost: reads them once.
inline result<std::size_t> sources_check(const sources &the_sources = {}) {
    return detail::last<std::size_t>(infill_sources_check, &the_sources);
}

/// The name of a choice: "log_improvement" is number INFILL_ACQUISITION_LOG_IMPROVEMENT of the type
/// "infill_acquisition". Lives as long as the library; NULL for a type or a number that is none. Of "infill_status",
/// the number is (uint32_t)status.
inline const char *choice_name(const char *type_name, std::uint32_t number) noexcept {
    return infill_choice_name(type_name, number);
}

/// The number of a choice by the name that choice_name gives it.
inline result<std::uint32_t> choice_number(const char *type_name, const char *name) {
    return detail::last<std::uint32_t>(infill_choice_number, type_name, name);
}

/// What a trial is worth where the model predicts this mean and variance and best is the lowest value so far.
/// acquisition is an infill_acquisition and parameter its margin, β, order, temperature or noise, or 0. Larger is
/// better; never NaN, but infinite where it leaves the range: the logarithm of nothing is -INFINITY.
inline result<double> acquisition_score(infill_acquisition acquisition, double parameter, double mean, double variance,
                                        double best) {
    return detail::last<double>(infill_acquisition_score, acquisition, parameter, mean, variance, best);
}

/// As acquisition_score, with the derivatives by the mean and by the standard deviation, which may be infinite, too.
inline result<acquisition_gradient_result> acquisition_gradient(std::uint32_t acquisition, double parameter,
                                                                double mean, double variance, double best) {
    acquisition_gradient_result out{};
    return detail::filled(out, infill_acquisition_gradient, acquisition, parameter, mean, variance, best, &out.score,
                          &out.by_mean, &out.by_deviation);
}

/// The β after so many trials with which all bounds hold together with probability 1 − delta.
inline result<double> bound_schedule(std::uint64_t trial, std::size_t dims, double delta) {
    return detail::last<double>(infill_bound_schedule, trial, dims, delta);
}

/// Bytes of memory that design needs; 0 if the space is refused.
inline std::size_t design_size(const space &the_space) { return infill_design_size(space::data(the_space).get()); }
// end of what is generated

/// The first points of a design of total points, all of them unless count says how many, row after row, in user units;
/// where one is forbidden, a random one that is not stands for it.
inline result<std::vector<double>> design(const space &what, infill_design_kind kind, std::uint64_t seed,
                                          std::uint32_t total, std::optional<std::size_t> count = {}) {
    const auto scratch = detail::words(design_size(what));
    // A count beyond total is refused below: no memory is taken for it.
    std::vector<double> points(std::min<std::size_t>(count.value_or(total), total) * what.dims());
    return detail::filled(points, infill_design, block(*scratch).data(), block(*scratch).bytes(), space::data(what).get(),
                          kind, seed, total, points.data(), count.value_or(total), what.dims());
}

// ---- Races of noisy configurations -----------------------------------------------------------------------------

// generated from infill.h: class of infill_race
/// A race: which of several noisy configurations is best. The handle is the first byte of its block.
///
/// Threads: one race is used by one thread at a time; functions that take it as `const` may run together. Lifetime: as
/// long as its block is neither freed, moved nor written by others.
class race : public detail::object<race, infill_race> {
public:
    /// Bytes of the block that a race takes, a multiple of 8; 0 if the rules are refused.
    static std::size_t size(const race_rules &rules = {}) { return infill_race_size(&rules); }

    /// In a vector of its own.
    static result<race> create(const race_rules &rules = {}) {
        const auto words = detail::words(infill_race_size(&rules));
        const block memory(*words);
        return placed(words, infill_race_init, memory.data(), memory.bytes(), &rules);
    }

    /// In a block that the caller lends, of size() bytes or more.
    static result<race> create(const race_rules &rules, block memory) {
        return placed(nullptr, infill_race_init, memory.data(), memory.bytes(), &rules);
    }

    /// In a vector that it takes over, and enlarges as needed.
    static result<race> create(const race_rules &rules, std::vector<std::uint64_t> &&vector) {
        const auto words = detail::words(infill_race_size(&rules), std::move(vector));
        const block memory(*words);
        return placed(words, infill_race_init, memory.data(), memory.bytes(), &rules);
    }

#ifndef INFILL_NO_EXCEPTIONS
    explicit race(const race_rules &rules = {}) : race(create(rules)) {}
    race(const race_rules &rules, block memory) : race(create(rules, memory)) {}
    race(const race_rules &rules, std::vector<std::uint64_t> &&vector) : race(create(rules, std::move(vector))) {}
#endif

    /// The race in a block that was saved, copied or moved, after all that it remembers has been checked.
    static result<race> attach(block memory) {
        return placed(nullptr, infill_race_attach, memory.data(), memory.bytes());
    }

    /// Queues a configuration, by a number of the caller's; the first one becomes the incumbent after one run. Nothing
    /// happens if it is the incumbent, is being tried or waits already.
    result<void> challenge(std::uint32_t config) { return detail::call(infill_race_challenge, handle(), config); }

    /// The next run to make. Runs of one batch may be open together. Nothing if nobody is left to challenge, if all
    /// runs were made.
    result<std::optional<infill_run>> ask() {
        return detail::last_unless<infill_run>({INFILL_ERROR_EXHAUSTED, INFILL_ERROR_FULL}, infill_race_ask, handle());
    }

    /// What a run cost; a cost above its cap counts as capped.
    result<void> tell(std::uint64_t run, double cost) { return detail::call(infill_race_tell, handle(), run, cost); }

    /// A run was stopped at its cap: it costs penalty times that.
    result<void> capped(std::uint64_t run) { return detail::call(infill_race_capped, handle(), run); }

    /// A run broke down: it costs more than anything, or as much as a capped one where runs have a cap.
    result<void> crashed(std::uint64_t run) { return detail::call(infill_race_crashed, handle(), run); }

    /// Gives an open run back, for whoever made it is gone; it is asked for again.
    result<void> forget(std::uint64_t run) { return detail::call(infill_race_forget, handle(), run); }

    /// Begins a round of at most so many runs: over tells its end.
    result<void> begin(std::uint32_t runs) { return detail::call(infill_race_begin, handle(), runs); }

    /// True if the round has taken its runs and tried its challengers, so that it is time to think of others.
    bool over() const noexcept { return infill_race_over(handle()) != 0; }

    /// The best configuration so far. Nothing before the first run.
    result<std::optional<std::uint32_t>> incumbent() const {
        return detail::last_unless<std::uint32_t>({INFILL_ERROR_NO_DATA}, infill_race_incumbent, handle());
    }

    /// The mean, median or quantile of the costs of a configuration; infinite if runs of it crashed without a cap. Uses
    /// the room for work of the block. Nothing if it has no run.
    result<std::optional<double>> cost(std::uint32_t config) {
        return detail::last_unless<double>({INFILL_ERROR_NO_DATA}, infill_race_cost, handle(), config);
    }

    /// How many runs of a configuration were told; 0 if it is unknown.
    std::uint32_t runs(std::uint32_t config) const noexcept { return infill_race_runs(handle(), config); }

    /// How many runs were told in all: the records of record.
    std::size_t count() const noexcept { return infill_race_count(handle()); }

    /// A run that was told, by its place before count.
    result<infill_run_record> record(std::size_t index) const {
        return detail::last<infill_run_record>(infill_race_record, handle(), index);
    }

    /// Bytes of the block of a race; 0 if it is none.
    std::size_t bytes() const noexcept { return infill_race_bytes(handle()); }

private:
    friend object;
    using object::object;
};
// end of what is generated

// generated from infill.h: class of infill_frace
/// An iterated F-race: configurations that a rank test finds worse are dropped, new ones sampled around the best.
///
/// Threads: one race is used by one thread at a time; functions that take it as `const` may run together. Lifetime: as
/// long as its block is neither freed, moved nor written by others.
class frace : public detail::object<frace, infill_frace> {
public:
    /// Bytes of the block that an iterated F-race takes, a multiple of 8; 0 if the space or the plan is refused.
    static std::size_t size(const space &the_space, const frace_plan &plan = {}) {
        return infill_frace_size(space::data(the_space).get(), &plan);
    }

    /// In a vector of its own.
    static result<frace> create(const space &the_space, const frace_plan &plan = {}) {
        const auto words = detail::words(infill_frace_size(space::data(the_space).get(), &plan));
        const block memory(*words);
        return placed(words, infill_frace_init, memory.data(), memory.bytes(), space::data(the_space).get(), &plan);
    }

    /// In a block that the caller lends, of size() bytes or more.
    static result<frace> create(const space &the_space, const frace_plan &plan, block memory) {
        return placed(nullptr, infill_frace_init, memory.data(), memory.bytes(), space::data(the_space).get(), &plan);
    }

    /// In a vector that it takes over, and enlarges as needed.
    static result<frace> create(const space &the_space, const frace_plan &plan, std::vector<std::uint64_t> &&vector) {
        const auto words = detail::words(infill_frace_size(space::data(the_space).get(), &plan), std::move(vector));
        const block memory(*words);
        return placed(words, infill_frace_init, memory.data(), memory.bytes(), space::data(the_space).get(), &plan);
    }

#ifndef INFILL_NO_EXCEPTIONS
    explicit frace(const space &the_space, const frace_plan &plan = {}) : frace(create(the_space, plan)) {}
    frace(const space &the_space, const frace_plan &plan, block memory) : frace(create(the_space, plan, memory)) {}
    frace(const space &the_space, const frace_plan &plan, std::vector<std::uint64_t> &&vector)
        : frace(create(the_space, plan, std::move(vector))) {}
#endif

    /// The race in a block that was saved, copied or moved, after checksums over all that it remembers and over its
    /// space.
    static result<frace> attach(block memory) {
        return placed(nullptr, infill_frace_attach, memory.data(), memory.bytes());
    }

    /// The next run to make, and its configuration in user units. All survivors of a race may be open together, but for
    /// caps that adapt. Nothing if the runs are used up.
    result<std::optional<frace_run>> ask() {
        frace_run out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_ERROR_EXHAUSTED}, out, infill_frace_ask, handle(), out.x.data(),
                                     out.x.size(), &out);
    }

    /// What a run cost.
    result<void> tell(std::uint64_t run, double cost) { return detail::call(infill_frace_tell, handle(), run, cost); }

    /// A run was stopped at its cap.
    result<void> capped(std::uint64_t run) { return detail::call(infill_frace_capped, handle(), run); }

    /// A run broke down: it ranks last, or costs as much as a capped one where runs have a cap.
    result<void> crashed(std::uint64_t run) { return detail::call(infill_frace_crashed, handle(), run); }

    /// Gives an open run back; it is asked for again.
    result<void> forget(std::uint64_t run) { return detail::call(infill_frace_forget, handle(), run); }

    /// The best configuration of the last race that ended, in user units, and its number. Nothing before the first race
    /// ended.
    result<std::optional<frace_best>> best() const {
        frace_best out{};
        out.x.resize(dims());
        return detail::filled_unless({INFILL_ERROR_NO_DATA}, out, infill_frace_best, handle(), out.x.data(),
                                     out.x.size(), &out.config);
    }

    /// Number of parameters of the space of an iterated F-race; 0 if it is none.
    std::size_t dims() const noexcept { return infill_frace_dims(handle()); }

    /// Bytes of the block of an iterated F-race; 0 if it is none.
    std::size_t bytes() const noexcept { return infill_frace_bytes(handle()); }

private:
    friend object;
    using object::object;
};
// end of what is generated

// ---- Comparisons of methods ------------------------------------------------------------------------------------

/// Which method is better, over values with a row of methods for each problem; less is better. Hosted builds only.
namespace compare {

// generated from infill.h: functions of infill_compare_
/// The average rank of each method, ranks[methods], 1 for the best; equal values share theirs. values has a row of
/// methods for each problem; less is better. Hosted builds only, and so are all comparisons.
inline result<std::vector<double>> ranks(view values, std::size_t methods) {
    std::size_t problems = 0;
    if (!detail::whole_rows(values, methods, problems)) return detail::refused<std::vector<double>>();
    std::vector<double> out(methods);
    return detail::filled(out, infill_compare_ranks, values.data(), problems, methods, out.data());
}

/// The share of comparisons that each method wins, rates[methods], itself and equals as half a win.
inline result<std::vector<double>> win_rates(view values, std::size_t methods) {
    std::size_t problems = 0;
    if (!detail::whole_rows(values, methods, problems)) return detail::refused<std::vector<double>>();
    std::vector<double> out(methods);
    return detail::filled(out, infill_compare_win_rates, values.data(), problems, methods, out.data());
}

/// On how many more problems each method beats each other than the other way round: net[methods·methods].
inline result<std::vector<std::int64_t>> net_wins(view values, std::size_t methods) {
    std::size_t problems = 0;
    if (!detail::whole_rows(values, methods, problems)) return detail::refused<std::vector<std::int64_t>>();
    std::vector<std::int64_t> out(methods * methods);
    return detail::filled(out, infill_compare_net_wins, values.data(), problems, methods, out.data());
}

/// Friedman's test: do the methods differ at all.
inline result<infill_friedman> friedman(view values, std::size_t methods) {
    std::size_t problems = 0;
    if (!detail::whole_rows(values, methods, problems)) return detail::refused<infill_friedman>();
    return detail::last<infill_friedman>(infill_compare_friedman, values.data(), problems, methods);
}

/// Wilcoxon's two-sided signed-rank test of count pairs; pairs of equal values are dropped.
inline result<infill_wilcoxon> wilcoxon(view a, view b) {
    if (b.size() != a.size()) return detail::refused<infill_wilcoxon>();
    return detail::last<infill_wilcoxon>(infill_compare_wilcoxon, a.data(), b.data(), a.size());
}

/// Nemenyi's critical difference: how far apart average ranks must be to differ at the level alpha, alpha = 0.05 as a
/// rule.
inline result<double> critical_difference(std::size_t methods, std::size_t problems, double alpha = 0.05) {
    return detail::last<double>(infill_compare_critical_difference, methods, problems, alpha);
}
// end of what is generated

/// A critical-difference diagram as text in UTF-8.
inline result<std::string> diagram(const std::vector<std::string> &names, view ranks, double difference,
                                   std::size_t width = 60) {
    if (names.size() != ranks.size()) return detail::refused<std::string>();
    const std::vector<const char *> all = detail::texts(names);
    const std::size_t size = infill_compare_diagram_size(all.data(), ranks.data(), all.size(), difference, width);
    std::vector<char> text(std::max<std::size_t>(size, 1));
    const infill_status status = infill_compare_diagram(all.data(), ranks.data(), all.size(), difference, width,
                                                        text.data(), text.size());
    return detail::give(status, std::string(text.data()));
}

}  // namespace compare

#ifndef INFILL_NO_EXCEPTIONS
}  // inline namespace throwing
#else
}  // inline namespace returning
#endif
}  // namespace infill

#endif  // INFILL_HPP
