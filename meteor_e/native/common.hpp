// What all parts of the native core share.
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

// A view of items that someone else owns.
template <class Item>
using View = std::span<const Item>;

using Words = View<std::uint32_t>;  // a segment: the numbers of its word types

// An index holds what no builder writes. Becomes a ResourceError that names the file.
struct DamagedIndex : std::runtime_error {
    DamagedIndex(const std::string& where, const char* problem) : std::runtime_error(problem), file(where) {}

    std::string file;
};

// A stable counting sort: appends what `value_of` makes of the items to `sorted`, by keys below `keys`. `starts` ends
// with the size of `sorted`, before and after; it gets where the next key's items begin, for each key.
template <class Items, class KeyOf, class ValueOf, class Starts, class Sorted>
void append_by_key(const Items& items, std::size_t keys, const KeyOf& key_of, const ValueOf& value_of, Starts& starts,
                   Sorted& sorted) {
    const std::size_t first = starts.size() - 1;
    starts.resize(starts.size() + keys, 0);
    for (const auto& item : items) ++starts[first + key_of(item) + 1];
    for (std::size_t k = first; k < first + keys; ++k) starts[k + 1] += starts[k];
    const auto begin = starts[first];
    sorted.resize(starts.back());
    for (const auto& item : items) sorted[starts[first + key_of(item)]++] = value_of(item);
    for (std::size_t k = first + keys; k > first; --k) starts[k] = starts[k - 1];
    starts[first] = begin;
}

inline std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15ull;
    value ^= value >> 29;
    return value;
}

}  // namespace meteor
