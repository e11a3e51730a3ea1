// Matches of phrases that are paraphrases in a memory-mapped table.
#pragma once

#include <compare>
#include <vector>

#include "candidate_set.hpp"
#include "prefilter.hpp"
#include "reference_features.hpp"

namespace meteor {

// Runs matchers of the family `phrases`. It searches the hypothesis for paraphrases of the reference's phrases, and the
// reference for paraphrases of the hypothesis's phrases. The features of the reference cache the pairs of phrases.
class PhraseMatcher {
public:
    explicit PhraseMatcher(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    // Finds the phrases of a table in a segment.
    void find_phrases(const Matcher& matcher, Words segment, std::vector<PhraseHit>& hits);

    // Sets the phrases of a reference. Without this call, add_candidates() finds the phrases.
    void load_reference(const Matcher& matcher, ReferenceFeatures& reference, std::vector<PhraseHit> hits);

    [[nodiscard]] Failure add_candidates(const Matcher& matcher, std::uint32_t matcher_index,
                                         ReferenceFeatures& reference, Words hypothesis, CandidateSet& candidates);

private:
    // The state for each phrase table.
    struct TableState {
        StepMemory steps;
        // The last hypothesis. It is kept, because a hypothesis may be compared with many references.
        std::vector<std::uint32_t> hypothesis;
        std::vector<PhraseHit> hypothesis_hits;
    };
    // A phrase, one of its paraphrases, and the index of the paraphrase in the list of paraphrases.
    struct PhrasePair {
        std::uint32_t phrase_hit, entry, paraphrase_hit;
        auto operator<=>(const PhrasePair&) const = default;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;

    [[nodiscard]] TableState& table_state(std::size_t column);
    [[nodiscard]] const std::vector<PhraseHit>& phrases_of_hypothesis(const Matcher& matcher, Words hypothesis);
    void relate_new_phrases(const PhraseIndex& index, ReferencePhrases& phrases);
    void look_up_reference_phrases(const ReferencePhrases& phrases);
    void look_up_new_phrases(const PhraseIndex& index, const ReferencePhrases& phrases);

    const Vocabulary& vocabulary_;
    std::vector<TableState> table_states_;
    std::vector<PhraseWord> phrase_words_;
    std::vector<std::uint32_t> rows_, new_nodes_;
    std::vector<RowCache<RelatedPhrase>::NewResult> related_phrases_;  // of the new nodes
    Prefilter node_filter_;
    std::vector<PhrasePair> from_reference_, from_hypothesis_;
};

}  // namespace meteor
