// A prefilter like a Bloom filter. It rejects most numbers that are not in a set without a search in the set.
#pragma once

#include <bitset>

#include "common.hpp"

namespace meteor {

class Prefilter {
public:
    void clear() noexcept { bits_.reset(); }
    void add(std::uint32_t number) noexcept { bits_[bit_of(number)] = true; }
    [[nodiscard]] bool may_contain(std::uint32_t number) const noexcept { return bits_[bit_of(number)]; }

private:
    static constexpr int HASH_BITS = 12;

    static std::size_t bit_of(std::uint32_t number) noexcept { return number * 0x9E3779B1u >> (32 - HASH_BITS); }

    std::bitset<1 << HASH_BITS> bits_;
};

}  // namespace meteor
