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
class DamagedIndex : public std::runtime_error {
public:
    DamagedIndex(const std::string& file, const char* problem) : std::runtime_error(problem), file_(file) {}

    const std::string& file() const { return file_; }

private:
    std::string file_;
};

inline std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15ull;
    value ^= value >> 29;
    return value;
}

}  // namespace meteor
