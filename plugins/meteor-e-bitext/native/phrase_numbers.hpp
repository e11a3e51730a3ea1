// Assigns ids to the frequent phrases of a corpus.
#pragma once

#include <functional>
#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

// Reports that `completed` of `total` words are completed. Returns false to interrupt the work.
using PhraseProgress = std::function<bool(std::size_t completed, std::size_t total)>;

// The frequent phrases, by id.
struct PhraseCounts {
    std::vector<std::uint32_t> first_positions;  // the first occurrence of each phrase in the corpus
    std::vector<std::uint32_t> count_by_length;
};

// Assigns ids from 1 to the phrases of up to `max_length` words that occur at least `min_count` times. Ids are ordered
// by length, then by first occurrence. `ids` has a row per length, which is filled with the id of the phrase that
// starts at each word, or 0 if the phrase is not frequent. The result is empty if the work was interrupted.
[[nodiscard]] PhraseCounts number_phrases(const Corpus& corpus, std::size_t max_length, std::uint32_t min_count,
                                          std::uint32_t* ids, const PhraseProgress& progress);

// The ids of phrases by word and length, as number_phrases() fills them.
struct PhraseIds {
    View<std::uint32_t> ids;
    std::size_t max_length;
    std::size_t word_count;

    [[nodiscard]] std::uint32_t operator()(std::size_t word, std::size_t length) const noexcept {
        return ids[(length - 1) * word_count + word];
    }
};

}  // namespace meteor::bitext
