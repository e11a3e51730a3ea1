// Assigns ids to the frequent phrases of a corpus.
#pragma once

#include <functional>
#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

// Reports that `completed` of `total` words are completed. Returns false to interrupt the work.
using PhraseProgress = std::function<bool(std::size_t completed, std::size_t total)>;

struct PhraseCounts {
    std::vector<std::uint32_t> first_positions;  // of each phrase, in the corpus
    std::vector<std::uint32_t> count_by_length;
};

// Numbers the phrases of up to `max_length` words that occur at least `min_count` times, from 1: by length, then by
// their first appearance. Fills `ids`, which has a row of words.size() items per length, with the id of the phrase that
// starts at each word, or 0 if it is not frequent. The result is empty if the work was interrupted.
[[nodiscard]] PhraseCounts number_phrases(const Corpus& corpus, std::size_t max_length, std::uint32_t min_count,
                                          std::uint32_t* ids, const PhraseProgress& progress);

// The ids that number_phrases() has filled in.
struct PhraseIds {
    View<std::uint32_t> ids;
    std::size_t max_length;
    std::size_t word_count;

    [[nodiscard]] std::uint32_t operator()(std::size_t word, std::size_t length) const noexcept {
        return ids[(length - 1) * word_count + word];
    }
};

}  // namespace meteor::bitext
