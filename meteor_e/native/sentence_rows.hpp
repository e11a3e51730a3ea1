// The word vectors of a sentence, for matchers with contextual vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common.hpp"

namespace meteor {

// The components of a vector are integers in units of 1/grid, which meteor_e/api/matchers.py rounds. The dot product of
// two vectors of length 2 is at most 4 * grid * grid. With this maximum of grid, it fits into 32 bits.
constexpr std::int32_t MAX_VECTOR_GRID = 1 << 14;

class SentenceRows {
public:
    SentenceRows() = default;
    // Throws std::invalid_argument if the number of values does not fit the number of words.
    SentenceRows(View<std::int16_t> values, std::size_t words, std::int32_t grid)
        : scale_(static_cast<double>(grid) * grid), values_(values.begin(), values.end()), has_vector_(words) {
        if (!words || values.size() % words) throw std::invalid_argument("there must be one vector per word");
        dimension_ = values.size() / words;
        for (std::size_t word = 0; word < words; ++word) {
            const std::int16_t* row = values_.data() + word * dimension_;
            std::uint64_t squares = 0;
            for (std::size_t k = 0; k < dimension_; ++k) {
                squares += static_cast<std::uint64_t>(std::int32_t{row[k]} * row[k]);
            }
            if (static_cast<double>(squares) > 4 * scale_) throw std::invalid_argument("a vector is too long");
            has_vector_[word] = squares != 0;
        }
    }

    [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
    [[nodiscard]] std::size_t word_count() const noexcept { return has_vector_.size(); }
    // Returns false for a word whose row contains only zeros.
    [[nodiscard]] bool has_vector(std::size_t word) const noexcept { return has_vector_[word] != 0; }

    // Returns (1 + dot product of two rows) / 2. The dot product is exact, because it is a sum of integers.
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
    std::vector<std::uint8_t> has_vector_;
};

}  // namespace meteor
