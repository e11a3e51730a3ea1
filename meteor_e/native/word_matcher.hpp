// Matches of words by keys or by word vectors. They do not depend on the context of the words.
#pragma once

#include <vector>

#include "candidate_set.hpp"
#include "prefilter.hpp"
#include "reference_features.hpp"
#include "similarity.hpp"

namespace meteor {

// Runs matchers of the families `exact`, `keys`, `strings`, `synonyms` and `similarity`. For each word type of a
// hypothesis, the matching words of a reference are computed once. The features of the reference cache them.
class WordMatcher {
public:
    WordMatcher(const Chain& chain, const Vocabulary& vocabulary) : chain_(chain), vocabulary_(vocabulary) {}

    // Finds the words of the reference that match the words of the hypothesis, for the first `matcher_count` matchers
    // of the chain. Call this function before add_candidates().
    [[nodiscard]] Failure relate(ReferenceFeatures& reference, Words hypothesis, std::size_t matcher_count);

    // Adds the candidates of one matcher. Call this function for all matchers in the order of the chain.
    [[nodiscard]] Failure add_candidates(const ReferenceFeatures& reference, std::uint32_t matcher,
                                         CandidateSet& candidates);

private:
    using NewResult = RowCache<RelatedWord>::NewResult;
    struct Entry {
        std::uint32_t word;  // index among the new words
        std::uint32_t next;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;

    [[nodiscard]] Failure relate_new_words(const ReferenceFeatures& reference, std::size_t matcher_count);
    [[nodiscard]] Failure relate_by_keys(const ReferenceFeatures& reference, std::uint32_t matcher);
    void index_keys_of_new_words(const Matcher& matcher);
    void clear_key_index(const Matcher& matcher) noexcept;
    void find_words_with_keys(View<std::uint32_t> keys);
    [[nodiscard]] bool has_capacity() const noexcept { return related_words_.size() <= chain_.limits.max_candidates; }

    const Chain& chain_;
    const Vocabulary& vocabulary_;
    std::vector<std::uint32_t> rows_, new_words_;
    std::vector<NewResult> related_words_;      // of the new words
    std::vector<View<RelatedWord>> remaining_;  // of each hypothesis word, those of the matchers to come
    TypeComparison type_comparison_;
    // For each key, a linked list of the new words with this key. Between two calls, all lists are empty.
    std::vector<std::uint32_t> first_entry_;
    std::vector<Entry> entries_;
    Prefilter key_filter_;
    std::vector<std::uint32_t> matching_words_;
};

}  // namespace meteor
