// The chain of matchers, as the core sees it.
#pragma once

#include <memory>
#include <vector>

#include "common.hpp"
#include "limits.hpp"
#include "phrase_index.hpp"
#include "synonym_index.hpp"

namespace meteor {

enum class Family {
    exact,        // equal words
    keys,         // words that share a key; Python numbers the keys
    strings,      // words with equal strings, such as stems; Python gives the strings
    synonyms,     // words that share a synset of a mapped dictionary
    overlap,      // words that share pieces, each with one other word; Python gives the pieces
    ngrams,       // the same, where the pieces are n-grams; Python gives the word in lower case
    characters,   // no words: the n-grams of characters that whole segments share
    subsequence,  // no words: the longest common subsequences of the characters of whole segments
    similarity,   // words with similar vectors; Python gives the vectors
    contextual,   // the same, for vectors that depend on the sentence
    phrases,      // phrases that a mapped table pairs
    proposals,    // whatever a matcher in Python proposes for a pair of segments
};

// Whether a matcher joins words by keys, each of which may join many.
inline bool joins_by_keys(Family family) {
    return family == Family::exact || family == Family::keys || family == Family::strings || family == Family::synonyms;
}

// Whether a matcher joins words by pieces, one with one other.
inline bool shares_pieces(Family family) { return family == Family::overlap || family == Family::ngrams; }

struct Matcher {
    Family family = Family::exact;
    double search_weight = 1.0;
    double accuracy_search_weight = 1.0;
    bool match_equal_words = false;
    bool graded = false;  // a match counts as much as its probability
    double threshold = 0.0;
    std::size_t longest = 0;  // characters of the longest n-grams
    double below = 2.0;       // a similarity that is too much; from 1 downwards, equal words are, too
    std::size_t column = 0;   // where the vocabulary keeps its features; of others: which of its family
    std::shared_ptr<const SynonymIndex> synonyms;
    std::shared_ptr<const PhraseIndex> phrases;
};

struct Parameters {
    double alpha = 0, beta = 0, gamma = 0, delta = 0;
    std::vector<double> weights;  // one a matcher
};

enum class Identity {
    word,  // two words are one if they are equal
    java,  // if their 32-bit hashes are, as for the Java program
};

struct Chain {
    std::vector<Matcher> matchers;
    Parameters parameters;
    std::size_t beam = 40;
    bool character_mode = false;
    bool equal_segments = false;  // lengths and matches are shares of Limits::segment_unit
    Identity identity = Identity::word;
    std::uint32_t unit = 1;       // what a word or a character counts: Limits::graded_unit if a matcher is graded
    Limits limits;
};

}  // namespace meteor
