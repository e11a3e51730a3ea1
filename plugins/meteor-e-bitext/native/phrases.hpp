// Phrases of a side, and phrase pairs that are consistent with a word alignment.
#pragma once

#include <functional>
#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

// Numbers the phrases of up to `longest` words that occur at least `least` times, from 1, shorter ones first, then in
// the order of their first appearance. `numbers` has a row of words.size items a length: the number of the phrase
// that begins there, 0 if it is none or rarer. Returns where each phrase, from 1, appears first.
std::vector<std::uint32_t> number_phrases(const Side& side, std::size_t longest, std::uint32_t least,
                                          std::uint32_t* numbers, std::vector<std::uint32_t>& phrases_by_length,
                                          const std::function<bool(std::size_t, std::size_t)>& report);

struct PhraseNumbers {
    View<std::uint32_t> numbers;  // as number_phrases writes them
    std::size_t longest;
    std::size_t words;

    std::uint32_t operator()(std::size_t place, std::size_t length) const {
        return numbers[(length - 1) * words + place];
    }
};

struct PairCount {
    std::uint32_t first, second, count;
};

// Extracts the phrase pairs of sentences `begin` to `end` (Och and Ney 2004): no word of either phrase is linked to one
// outside of the other, and at least one link is inside; words without links at the edges may belong or not. Returns
// the pairs of numbered phrases with how often each was found, sorted; adds to the counts of each phrase, with
// whatever it was paired.
std::vector<PairCount> extract_pairs(View<std::uint64_t> first_starts, View<std::uint64_t> second_starts,
                                     const PhraseNumbers& first, const PhraseNumbers& second, View<std::uint16_t> links,
                                     View<std::uint64_t> link_starts, std::size_t begin, std::size_t end,
                                     std::uint32_t* first_counts, std::size_t first_phrases,
                                     std::uint32_t* second_counts, std::size_t second_phrases);

// Merges sorted runs, adding the counts of equal pairs, and hands the result out in blocks.
void merge_runs(const std::vector<View<PairCount>>& runs,
                const std::function<void(const std::vector<PairCount>&)>& write);

}  // namespace meteor::bitext
