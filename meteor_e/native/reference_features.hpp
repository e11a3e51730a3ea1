// Features of a reference for matching. They are computed once per distinct reference. Each hypothesis with new words
// extends them.
#pragma once

#include <vector>

#include "chain.hpp"
#include "row_cache.hpp"
#include "vocabulary.hpp"

namespace meteor {

// A distinct word of the reference that matches a word of a hypothesis.
struct RelatedWord {
    std::uint32_t distinct_word, matcher;
    double probability;
};

// A phrase of the reference that is a paraphrase of a phrase in a hypothesis.
struct RelatedPhrase {
    std::uint32_t hit;            // index among the phrases of the reference
    std::uint32_t entry;          // index among the paraphrases of the phrase that is looked up
    bool is_reference_looked_up;  // otherwise, the hypothesis's phrase is looked up
};

// The phrases of the reference that a paraphrase table contains.
struct ReferencePhrases {
    bool is_loaded = false;
    std::vector<PhraseHit> hits;
    IdMap nodes;                                                // distinct phrases
    std::vector<std::uint32_t> first_hit, next_hit;             // linked lists of the hits of each distinct phrase
    std::vector<std::uint32_t> paraphrase_starts, paraphrases;  // of each hit
    RowCache<RelatedPhrase> related_phrases;                    // by the phrase of a hypothesis
};

struct ReferenceFeatures {
    // Computes the features of a segment and discards the old ones.
    void compute(const Chain& chain, const Vocabulary& vocabulary, Words segment);

    bool is_valid = false;  // false: they were not computed, or an update failed
    std::vector<std::uint32_t> words;
    IdMap distinct_ids;                                     // word types to indexes of distinct words
    std::vector<std::uint32_t> distinct_words;              // word types
    std::vector<std::uint32_t> position_starts, positions;  // where each distinct word stands
    std::vector<std::uint32_t> keys, key_ends;              // by matcher and distinct word
    RowCache<RelatedWord> related_words;                    // by the word type of a hypothesis
    std::vector<ReferencePhrases> phrases;                  // one per phrase table
    std::size_t size_in_bytes = 0;                          // an estimate
};

}  // namespace meteor
