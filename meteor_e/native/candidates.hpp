// From matchers to candidates; meteor_e/alignment/candidates.py and meteor_e/matchers/base.py are the definition.
#pragma once

#include <vector>

#include "chain.hpp"
#include "common.hpp"
#include "sentence_rows.hpp"
#include "vocabulary.hpp"

namespace meteor {

struct Match {
    std::uint32_t reference_start, reference_length, hypothesis_start, hypothesis_length;
    std::uint32_t matcher;
    double probability;
};

// What a matcher in Python proposes; nothing of it is checked yet.
struct Proposal {
    std::int64_t reference_start, hypothesis_start, reference_length, hypothesis_length;
    double probability;
};

enum class Problem { none, too_many_candidates, misplaced_proposal, without_vectors };

struct Outcome {
    Problem problem = Problem::none;
    std::uint32_t matcher = 0;  // of a misplaced proposal, or without vectors
    Proposal proposal{};
};

// What is given of a pair of segments beside its words.
struct PairFeatures {
    const std::vector<std::vector<Proposal>>* proposals =
        nullptr;  // one list for each matcher in Python, in chain order
    // Vectors of the words for each contextual matcher, in chain order; null where there are none.
    std::vector<const SentenceRows*> hypothesis_rows, reference_rows;
};

// All candidates of a pair of segments, by reference position; those of one position as they were proposed.
class Candidates {
public:
    Candidates(const Chain& chain, const Vocabulary& vocabulary) : chain_(chain), vocabulary_(vocabulary) {}

    Outcome collect(Words hypothesis, Words reference, const PairFeatures& features);

    View<Match> at(std::size_t position) const {
        return {matches_.data() + starts_[position], starts_[position + 1] - starts_[position]};
    }
    bool fixed(std::size_t position) const { return fixed_[position] != 0; }
    std::size_t positions() const { return fixed_.size(); }

private:
    struct Entry {
        std::uint32_t position;
        std::uint32_t next;
    };
    struct NodeSlot {
        std::uint32_t node;
        std::uint32_t hit;  // the first hit of the node, NONE if the slot is free
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    // The phrases of a segment that came as a reference: other systems' hypotheses will have it too.
    struct KnownSegment {
        std::uint64_t generation = 0;
        std::vector<std::uint32_t> words;
        std::vector<PhraseHit> hits;
    };
    struct PhraseMemory {
        StepMemory steps;
        std::vector<KnownSegment> segments;
    };
    static constexpr std::size_t KNOWN_SEGMENTS = 8192, LONGEST_KNOWN_SEGMENT = 256;

    bool add(std::uint32_t j, std::uint32_t reference_length, std::uint32_t i, std::uint32_t hypothesis_length,
             double probability = 1.0);
    bool add_word_pair(std::uint32_t j, std::uint32_t i, double probability = 1.0);
    bool match_exact(Words hypothesis, Words reference);
    bool match_keys(const KeyColumn& column, bool equal_words, Words hypothesis, Words reference);
    bool match_vectors(const VectorColumn& column, const Matcher& matcher, Words hypothesis, Words reference);
    bool match_rows(const SentenceRows& hypothesis_rows, const SentenceRows& reference_rows, const Matcher& matcher,
                    Words hypothesis, Words reference);
    bool match_phrases(const PhraseIndex& index, std::size_t column, Words hypothesis, Words reference);
    const std::vector<PhraseHit>& find_reference_phrases(const PhraseIndex& index, std::size_t column, Words words);
    void find_phrases(const PhraseIndex& index, std::size_t column, Words words, std::vector<PhraseHit>& hits);
    bool pair_phrases(const PhraseIndex& index, const std::vector<PhraseHit>& from, const std::vector<PhraseHit>& to,
                      bool from_reference);
    bool match_proposals(const std::vector<Proposal>& proposals, Words hypothesis, Words reference, Outcome& outcome);
    void sort_by_reference();
    void fix();

    const Chain& chain_;
    const Vocabulary& vocabulary_;
    std::uint32_t matcher_ = 0;  // the one at work

    std::vector<Match> proposed_, matches_;
    std::vector<std::uint32_t> starts_, reference_cover_, hypothesis_cover_;
    std::vector<std::uint8_t> fixed_;

    std::vector<std::uint32_t> heads_;  // for each key the first of its entries; NONE outside match_keys
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> found_;
    std::vector<double> transposed_, sums_;
    std::vector<std::int32_t> phrase_ids_;
    std::vector<PhraseMemory> memories_;  // one a phrase table
    std::vector<PhraseHit> hypothesis_hits_, reference_hits_;
    std::vector<NodeSlot> node_slots_;
    std::vector<std::uint32_t> next_hit_, last_hit_;
};

}  // namespace meteor
