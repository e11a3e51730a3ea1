// A set of word positions in a hypothesis.
#pragma once

#include <array>

#include "common.hpp"

namespace meteor {

// A bit set for hypotheses of up to 64 * Parts words.
template <std::size_t Parts>
struct WordSet {
    std::array<std::uint64_t, Parts> parts{};

    void add(std::uint32_t first, std::uint32_t count) noexcept {
        for (std::uint32_t word = first; word < first + count; ++word) {
            parts[part_of(word)] |= std::uint64_t{1} << (word % 64);
        }
    }
    [[nodiscard]] bool contains(std::uint32_t word) const noexcept { return parts[part_of(word)] >> (word % 64) & 1; }
    [[nodiscard]] bool contains_any(std::uint32_t first, std::uint32_t count) const noexcept {
        for (std::uint32_t word = first; word < first + count; ++word) {
            if (contains(word)) return true;
        }
        return false;
    }
    [[nodiscard]] bool intersects(const WordSet& other) const noexcept {
        std::uint64_t common = 0;
        for (std::size_t k = 0; k < Parts; ++k) common |= parts[k] & other.parts[k];
        return common != 0;
    }
    WordSet& operator|=(const WordSet& other) noexcept {
        for (std::size_t k = 0; k < Parts; ++k) parts[k] |= other.parts[k];
        return *this;
    }
    WordSet& operator&=(const WordSet& other) noexcept {
        for (std::size_t k = 0; k < Parts; ++k) parts[k] &= other.parts[k];
        return *this;
    }
    bool operator==(const WordSet&) const = default;
    [[nodiscard]] std::uint64_t hash() const noexcept {
        std::uint64_t value = parts[0];
        for (std::size_t k = 1; k < Parts; ++k) value = value * 0x9E3779B97F4A7C15ull + parts[k];
        return value * 0x9E3779B97F4A7C15ull;
    }

private:
    static constexpr std::size_t part_of(std::uint32_t word) noexcept { return Parts == 1 ? 0 : word / 64; }
};

}  // namespace meteor
