// Limits and units for the native engine and the Python engine (CoreLimits in meteor_e/engine/native_plan.py).
#pragma once

#include <cstddef>
#include <cstdint>

namespace meteor {

// Limits for matchers that compare whole segments by their characters.
struct CharacterLimits {
    std::size_t repeated_ngram = 0;          // characters of the n-grams whose repetition is penalized
    double repetition_penalty = 0;           // the part of the repeated fraction that is subtracted
    std::size_t subsequence_characters = 0;  // characters of a segment in which subsequences are searched
};

struct Limits {
    std::size_t max_candidates = 0;       // of a pair of segments; a pair with more is refused
    std::size_t separate_candidates = 0;  // beyond these, reference positions share lists of candidates
    std::size_t max_shared_words = 0;     // words of a segment beyond which its positions do not share lists
    std::size_t max_paths = 0;            // out of a position; a pair with more is refused
    double max_search_weight = 0;
    std::uint32_t graded_unit = 1;        // what a word counts if matches are graded
    double segment_unit = 1;              // what a segment counts if all segments count the same
    std::int32_t vector_grid = 1;         // units of 1 in the vectors of contextual matchers
    std::size_t max_word_characters = 0;  // of a word that is cut into n-grams
    CharacterLimits characters;
};

}  // namespace meteor
