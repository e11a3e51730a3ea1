// The vectors of the words of one sentence, for matchers whose vectors depend on the sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common.hpp"

namespace meteor {

// Parts of a vector are integers, in units of 1/grid; meteor_e/api/matchers.py rounds them. Two vectors of length 2
// have a dot product of at most 4 * grid * grid, which 32 bits hold for grids up to this one.
constexpr std::int32_t MAX_VECTOR_GRID = 1 << 14;

class SentenceRows {
public:
    SentenceRows() = default;
    // Throws std::invalid_argument if the values are not one row per word.
    SentenceRows(View<std::int16_t> values, std::size_t words, std::int32_t grid)
        : scale_(static_cast<double>(grid) * grid), values_(values.begin(), values.end()), known_(words) {
        if (!words || values.size() % words) throw std::invalid_argument("there must be one vector per word");
        dimension_ = values.size() / words;
        for (std::size_t word = 0; word < words; ++word) {
            const std::int16_t* row = values_.data() + word * dimension_;
            std::uint64_t squares = 0;
            for (std::size_t k = 0; k < dimension_; ++k) {
                squares += static_cast<std::uint64_t>(std::int32_t{row[k]} * row[k]);
            }
            if (static_cast<double>(squares) > 4 * scale_) throw std::invalid_argument("a vector is too long");
            known_[word] = squares != 0;
        }
    }

    [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
    [[nodiscard]] std::size_t word_count() const noexcept { return known_.size(); }
    [[nodiscard]] bool known(std::size_t word) const noexcept { return known_[word] != 0; }  // false for a row of zeros

    // Returns (1 + the dot product of two rows) / 2. The sum is exact, because its terms are integers.
    [[nodiscard]] double similarity(std::size_t word, const SentenceRows& other,
                                    std::size_t other_word) const noexcept {
        const std::int16_t* row = values_.data() + word * dimension_;
        const std::int16_t* column = other.values_.data() + other_word * dimension_;
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < dimension_; ++k) sum += std::int32_t{row[k]} * column[k];
        return (1 + sum / scale_) / 2;
    }

private:
    std::size_t dimension_ = 0;
    double scale_ = 1;  // the square of the grid
    std::vector<std::int16_t> values_;
    std::vector<std::uint8_t> known_;
};

}  // namespace meteor
