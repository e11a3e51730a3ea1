// Types and functions that all parts of the extension use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__GNUC__) || defined(__clang__)
#define METEOR_PREFETCH(address) __builtin_prefetch(address)
#else
#define METEOR_PREFETCH(address) static_cast<void>(address)
#endif

namespace meteor::bitext {

template <class Item>
using View = std::span<const Item>;

[[nodiscard]] inline std::uint64_t mix_bits(std::uint64_t value) noexcept {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15ull;
    value ^= value >> 29;
    return value;
}

}  // namespace meteor::bitext
