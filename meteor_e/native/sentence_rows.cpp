#include "sentence_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace meteor {

SentenceRows::SentenceRows(View<std::int16_t> values, std::size_t words)
    : values_(values.begin(), values.end()), known_(words) {
    if (!words || values.size() % words) throw std::invalid_argument("one vector a word");
    dimension_ = values.size() / words;
    for (std::size_t word = 0; word < words; ++word) {
        const std::int16_t* row = values_.data() + word * dimension_;
        std::uint64_t squares = 0;
        for (std::size_t k = 0; k < dimension_; ++k) {
            squares += static_cast<std::uint64_t>(std::int32_t{row[k]} * row[k]);
        }
        // Two rows of length 2 have a product that 32 bits hold.
        if (squares > std::uint64_t{4} * VECTOR_GRID * VECTOR_GRID) throw std::invalid_argument("a vector is too long");
        known_[word] = squares != 0;
    }
}

double SentenceRows::similarity(std::size_t word, const SentenceRows& other, std::size_t other_word) const {
    const std::int16_t* row = values_.data() + word * dimension_;
    const std::int16_t* column = other.values_.data() + other_word * dimension_;
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < dimension_; ++k) sum += std::int32_t{row[k]} * column[k];
    return (1 + sum / (double{VECTOR_GRID} * VECTOR_GRID)) / 2;
}

}  // namespace meteor
