// Extracts the phrase pairs that are consistent with a word alignment (Och and Ney 2004).
#pragma once

#include <functional>
#include <vector>

#include "phrase_numbers.hpp"

namespace meteor::bitext {

// A phrase pair, as two ids, and its frequency.
struct PairCount {
    std::uint32_t first, second, count;
};

// The sentences and phrases of one language of the bitext.
struct PhraseCorpus {
    View<std::uint64_t> starts;  // the first word of each sentence, then the number of words
    PhraseIds phrase_ids;
};

// The number of pairs in which each phrase occurs, by its id.
struct PhraseTotals {
    std::uint32_t* counts = nullptr;
    std::size_t max_id = 0;
};

// Extracts the phrase pairs of the sentences from `begin` to `end`. A pair is consistent if no word of either phrase is
// linked to a word outside of the other phrase, and if there is a link between the phrases. Words without links at the
// edges of a phrase can be included or left out.
//
// Returns the sorted pairs whose phrases both have an id, with their counts. Each pair is added to the totals of its
// phrases, even if the other phrase of the pair does not have an id. Several threads can share totals.
[[nodiscard]] std::vector<PairCount> extract_pairs(const PhraseCorpus& first, const PhraseCorpus& second,
                                                   View<std::uint16_t> links, View<std::uint64_t> link_starts,
                                                   std::size_t begin, std::size_t end, const PhraseTotals& first_totals,
                                                   const PhraseTotals& second_totals);

// Merges sorted runs of pairs, and adds the counts of equal pairs. `write` is called with blocks of the result.
void merge_runs(const std::vector<View<PairCount>>& runs,
                const std::function<void(const std::vector<PairCount>&)>& write);

}  // namespace meteor::bitext
