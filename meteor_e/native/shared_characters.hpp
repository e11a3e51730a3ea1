// Characters that whole segments share, in any words; meteor_e/scoring/characters.py is the definition.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"
#include "vocabulary.hpp"

namespace meteor {

// Compares one pair of segments after the other; keeps its memory.
class SharedCharacters {
public:
    using Shares = std::pair<double, double>;  // of the hypothesis, and of the reference

    void compare(const Vocabulary& vocabulary, Words hypothesis, Words reference);
    const Shares& ngrams() const { return ngrams_; }
    Shares subsequences();

private:
    static constexpr std::size_t LONGEST = 6, REPEATED = 4, ORDERED = 2, LIMIT = 1 << 16;
    static constexpr double PENALTY = 0.75;
    // An n-gram, and how often either segment has it: of a free place, neither.
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t in_reference = 0, in_hypothesis = 0;
    };
    std::size_t find(std::uint64_t hash) const;
    double common_subsequence(const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& others,
                              std::uint32_t distinct);

    std::vector<Slot> table_;
    std::vector<std::uint32_t> numbers_;  // of an n-gram whose order counts, among those of its length; by its place
    std::size_t mask_ = 0;                // of the places in use
    std::u32string hypothesis_, reference_;
    double kept_ = 1;  // what repetitions leave
    Shares ngrams_;
    std::array<std::uint32_t, ORDERED> distinct_{};
    std::array<std::vector<std::uint32_t>, ORDERED> own_, others_;  // numbers of the n-grams that the reference has
    std::vector<std::uint64_t> masks_;
    std::vector<std::uint8_t> carries_;
};

}  // namespace meteor
