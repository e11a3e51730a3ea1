// The vectors of the words of one sentence, for matchers whose vectors depend on the sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common.hpp"

namespace meteor {

// Parts of a vector come as whole numbers: so many to 1. meteor_e/api/matchers.py rounds them.
constexpr std::int32_t VECTOR_GRID = 1 << 14;

class SentenceRows {
public:
    SentenceRows() = default;
    // Throws std::invalid_argument if the values are not so many rows.
    SentenceRows(View<std::int16_t> values, std::size_t words);

    std::size_t dimension() const { return dimension_; }
    std::size_t words() const { return known_.size(); }
    bool known(std::size_t word) const { return known_[word] != 0; }  // a row of zeros is none

    // (1 + the product of two rows)/2. The sum is one of whole numbers, so its order does not matter.
    double similarity(std::size_t word, const SentenceRows& other, std::size_t other_word) const;

private:
    std::size_t dimension_ = 0;
    std::vector<std::int16_t> values_;
    std::vector<std::uint8_t> known_;
};

}  // namespace meteor
