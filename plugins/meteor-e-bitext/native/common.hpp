// What all parts of the extension share.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__GNUC__) || defined(__clang__)
#define METEOR_PREFETCH(address) __builtin_prefetch(address)
#else
#define METEOR_PREFETCH(address) static_cast<void>(address)
#endif

namespace meteor::bitext {

// A view of items that someone else owns (std::span is C++20).
template <class Item>
struct View {
    const Item* data = nullptr;
    std::size_t size = 0;

    const Item& operator[](std::size_t index) const { return data[index]; }
    const Item* begin() const { return data; }
    const Item* end() const { return data + size; }
};

// Spreads a key over the places of a hash table.
inline std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15ull;
    value ^= value >> 29;
    return value;
}

}  // namespace meteor::bitext
