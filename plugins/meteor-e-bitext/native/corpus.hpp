// One language of a bitext: the ids of its words, sentence by sentence.
#pragma once

#include <stdexcept>

#include "common.hpp"

namespace meteor::bitext {

// The source or target position of a word that is not aligned.
constexpr std::uint16_t NOT_ALIGNED = 0xFFFF;

// Throws std::invalid_argument unless the starts are in ascending order.
inline void check_starts(View<std::uint64_t> starts) {
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
        if (starts[k] > starts[k + 1]) throw std::invalid_argument("sentences overlap");
    }
}

// The words of all sentences, one sentence after the other.
struct Corpus {
    View<std::uint32_t> words;
    View<std::uint64_t> starts;  // the first word of each sentence, then the number of words

    [[nodiscard]] std::size_t sentence_count() const noexcept { return starts.size() - 1; }
    [[nodiscard]] std::size_t length(std::size_t sentence) const noexcept {
        return starts[sentence + 1] - starts[sentence];
    }
    [[nodiscard]] View<std::uint32_t> sentence(std::size_t index) const noexcept {
        return words.subspan(starts[index], length(index));
    }

    // Throws std::invalid_argument if an index is outside of an array.
    void check(std::size_t vocabulary_size) const {
        if (starts.empty() || starts.front() != 0 || starts.back() != words.size()) {
            throw std::invalid_argument("sentences do not cover the words");
        }
        check_starts(starts);
        for (const std::uint32_t word : words) {
            if (word >= vocabulary_size) throw std::invalid_argument("a word is not in the vocabulary");
        }
    }
};

}  // namespace meteor::bitext
