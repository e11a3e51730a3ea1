// Types and functions that all parts of the native core use.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#if defined(__GNUC__) || defined(__clang__)
#define METEOR_PREFETCH(address) __builtin_prefetch(address)
#else
#define METEOR_PREFETCH(address) static_cast<void>(address)
#endif

namespace meteor {

template <class Item>
using View = std::span<const Item>;

using Words = View<std::uint32_t>;  // a segment, as the ids of its word types

// Thrown if an index file has invalid contents. In Python, it becomes a ResourceError with the name of the file.
struct DamagedIndex : std::runtime_error {
    DamagedIndex(const std::string& path, const char* problem) : std::runtime_error(problem), file(path) {}

    std::string file;
};

// A stable counting sort. Appends `value_of(item)` of each item to `values`, sorted by `key_of(item)`. All keys are
// less than `key_count`. Also appends the index of the first value of each key to `starts`. The last element of
// `starts` is the size of `values`, before and after the call.
template <class Items, class KeyOf, class ValueOf, class Starts, class Values>
void append_by_key(const Items& items, std::size_t key_count, const KeyOf& key_of, const ValueOf& value_of,
                   Starts& starts, Values& values) {
    const std::size_t first = starts.size() - 1;
    starts.resize(starts.size() + key_count, 0);
    for (const auto& item : items) ++starts[first + key_of(item) + 1];
    for (std::size_t k = first; k < first + key_count; ++k) starts[k + 1] += starts[k];
    const auto first_start = starts[first];
    values.resize(starts.back());
    // While the items of a key are written, its start moves to the start of the next key.
    for (const auto& item : items) values[starts[first + key_of(item)]++] = value_of(item);
    for (std::size_t k = first + key_count; k > first; --k) starts[k] = starts[k - 1];
    starts[first] = first_start;
}

[[nodiscard]] inline std::uint64_t mix_bits(std::uint64_t value) noexcept {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15ull;
    value ^= value >> 29;
    return value;
}

}  // namespace meteor
