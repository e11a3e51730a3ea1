// The extension module meteor_e_evaluation._native. Its signatures are in src/meteor_e_evaluation/_native.pyi.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <stdexcept>

#include "exchange.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::evaluation;

// Only arrays of the very type are taken, so that nothing large is copied without a word: arguments are noconvert().
template <class Number>
using Array = py::array_t<Number, py::array::c_style>;
using Numbers = Array<std::int32_t>;
// Doubled ranks of so many fit, and so do all positions.
constexpr py::ssize_t most = py::ssize_t{1} << 22;
using Flags = Array<std::uint8_t>;

void check(const Numbers& numbers, py::ssize_t length, py::ssize_t below, py::ssize_t least = 0) {
    if (numbers.ndim() != 1 || numbers.size() != length) throw std::invalid_argument("arrays do not fit each other");
    for (py::ssize_t at = 0; at < length; ++at) {
        const std::int32_t number = numbers.data()[at];
        if (number < least || number >= below) throw std::invalid_argument("a number is out of range");
    }
}

Joined joined(const Numbers& order, const Flags& fresh, const Numbers& units, const Flags& masks) {
    const py::ssize_t count = units.size();
    if (masks.ndim() != 2 || fresh.size() != 2 * count || count < 1 || count >= most) {
        throw std::invalid_argument("arrays do not fit each other");
    }
    check(units, count, masks.shape(0));
    check(order, 2 * count, 2 * count);
    return {order.data(), fresh.data(), units.data(), static_cast<std::size_t>(count)};
}

template <class Number, class Count>
Array<Number> counted(const Flags& masks, py::ssize_t width, Count count) {
    Array<Number> result({masks.shape(1), width});
    Number* rows = result.mutable_data();
    const Masks read{masks.data(), static_cast<std::size_t>(masks.shape(0)), static_cast<std::size_t>(masks.shape(1))};
    const py::gil_scoped_release unlocked;
    count(read, rows);
    return result;
}

}  // namespace

PYBIND11_MODULE(_native, module, py::mod_gil_not_used()) {
    module.doc() = "Rank correlations where two metrics exchange scores.";
    const auto order = py::arg("order").noconvert();
    const auto fresh = py::arg("fresh").noconvert();
    const auto units = py::arg("units").noconvert();
    const auto masks = py::arg("masks").noconvert();
    module.def(
        "kendall",
        [](const Numbers& order, const Flags& fresh, const Numbers& units, const Flags& masks, const Numbers& levels,
           py::ssize_t size) {
            const Joined scores = joined(order, fresh, units, masks);
            check(levels, units.size(), size);
            return counted<std::int64_t>(masks, 4, [&](const Masks& read, std::int64_t* rows) {
                kendall(scores, read, levels.data(), static_cast<std::size_t>(size), rows);
            });
        },
        order, fresh, units, masks, py::arg("levels").noconvert(), py::arg("size"));
    module.def(
        "spearman",
        [](const Numbers& order, const Flags& fresh, const Numbers& units, const Flags& masks, const Numbers& weights) {
            const Joined scores = joined(order, fresh, units, masks);
            check(weights, units.size(), 2 * most, -2 * most);
            return counted<double>(
                masks, 2, [&](const Masks& read, double* rows) { spearman(scores, read, weights.data(), rows); });
        },
        order, fresh, units, masks, py::arg("weights").noconvert());
}
