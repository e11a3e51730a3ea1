// The chain of matchers and the parameters of the score.
#pragma once

#include <memory>
#include <vector>

#include "common.hpp"
#include "limits.hpp"
#include "phrase_index.hpp"
#include "synonym_index.hpp"

namespace meteor {

// The families of matchers, each of which has its own algorithm.
enum class Family {
    exact,        // equal words match
    keys,         // words that share a key match; Python computes the ids of the keys
    strings,      // words with equal strings, such as stems, match; Python computes the strings
    synonyms,     // words that share a synset of a mapped dictionary match
    overlap,      // words match partly, by the pieces that they share; Python computes the ids of the pieces
    ngrams,       // the same; the pieces are character n-grams, and Python provides the lowercase word
    characters,   // whole segments are compared by their character n-grams
    subsequence,  // whole segments are compared by the longest common subsequences of their characters
    similarity,   // words with similar vectors match; Python computes the vectors
    contextual,   // the same, for vectors that depend on the sentence
    phrases,      // phrases match if a mapped table pairs them
    proposals,    // a matcher in Python proposes matches for each pair of segments
};

// The names of the families in Python, in the order of the enumeration.
constexpr const char* FAMILY_NAMES[] = {"exact",      "keys",       "strings",    "synonyms",
                                        "overlap",    "ngrams",     "characters", "subsequence",
                                        "similarity", "contextual", "phrases",    "proposals"};
static_assert(std::size(FAMILY_NAMES) == static_cast<std::size_t>(Family::proposals) + 1);

// Whether two words match if they have a key in common. A word can then match many words.
[[nodiscard]] constexpr bool matches_by_key(Family family) noexcept {
    return family == Family::exact || family == Family::keys || family == Family::strings || family == Family::synonyms;
}

// Whether words match partly. Each word then matches at most one other word.
[[nodiscard]] constexpr bool matches_by_pieces(Family family) noexcept {
    return family == Family::overlap || family == Family::ngrams;
}

// Whether the matches at a position depend only on its word and on the phrases that start at the position.
[[nodiscard]] constexpr bool is_positional(Family family) noexcept {
    return family != Family::proposals && family != Family::contextual && !matches_by_pieces(family);
}

struct Matcher {
    Family family = Family::exact;
    double search_weight = 1.0;
    double accuracy_search_weight = 1.0;
    bool match_equal_words = false;
    bool graded = false;        // a match counts as much as its probability
    double threshold = 0.0;     // the smallest similarity that matches
    double below = 2.0;         // similarities from this one on do not match; if it is at most 1, nor do equal words
    std::size_t max_ngram = 0;  // characters of the longest n-grams
    std::size_t column = 0;     // index among the matchers with the same kind of features
    std::shared_ptr<const SynonymIndex> synonyms;
    std::shared_ptr<const PhraseIndex> phrases;
};

struct Parameters {
    double alpha = 0, beta = 0, gamma = 0, delta = 0;
    std::vector<double> weights;  // one per matcher
};

// How the core decides whether two words are equal.
enum class Identity {
    word,  // if they are equal
    java,  // if their 32-bit hashes are equal, as in the Java program
};
constexpr const char* IDENTITY_NAMES[] = {"word", "java"};
static_assert(std::size(IDENTITY_NAMES) == static_cast<std::size_t>(Identity::java) + 1);

struct Chain {
    std::vector<Matcher> matchers;
    Parameters parameters;
    std::size_t beam = 40;
    bool character_mode = false;
    bool macro_average = false;  // lengths and matches are shares of Limits::segment_unit
    Identity identity = Identity::word;
    std::uint32_t unit = 1;  // what a word or a character counts: Limits::graded_unit if a matcher is graded
    Limits limits;
};

}  // namespace meteor
