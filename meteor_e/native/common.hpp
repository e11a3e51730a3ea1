// What all parts of the native core share.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define METEOR_PREFETCH(address) __builtin_prefetch(address)
#else
#define METEOR_PREFETCH(address) static_cast<void>(address)
#endif

namespace meteor {

// A view of items that someone else owns (std::span is C++20).
template <class Item>
struct View {
    const Item* data = nullptr;
    std::size_t size = 0;

    const Item& operator[](std::size_t index) const { return data[index]; }
    const Item* begin() const { return data; }
    const Item* end() const { return data + size; }
};

using Words = View<std::uint32_t>;  // a segment: the numbers of its word types

// An index holds what no builder writes. Becomes a ResourceError that names the file.
class DamagedIndex : public std::runtime_error {
public:
    DamagedIndex(const std::string& file, const char* problem) : std::runtime_error(problem), file_(file) {}

    const std::string& file() const { return file_; }

private:
    std::string file_;
};

// The number of bits that `value` needs.
inline int bit_length(std::uint64_t value) {
    int bits = 0;
    while (value) {
        ++bits;
        value >>= 1;
    }
    return bits;
}

// The number of the lowest bit that is set.
inline unsigned lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<unsigned>(__builtin_ctzll(bits));
#elif defined(_M_X64) || defined(_M_ARM64)
    unsigned long index;
    _BitScanForward64(&index, bits);
    return static_cast<unsigned>(index);
#else
    unsigned index = 0;
    while (!(bits >> index & 1)) ++index;
    return index;
#endif
}

inline std::size_t count_bits(std::uint64_t bits) { return std::bitset<64>(bits).count(); }

inline std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15ull;
    value ^= value >> 29;
    return value;
}

}  // namespace meteor
