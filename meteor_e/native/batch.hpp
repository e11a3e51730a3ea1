// Scores a batch of hypotheses with their references, in several threads.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "chain.hpp"
#include "parallel.hpp"
#include "reader.hpp"
#include "thread_state.hpp"
#include "vocabulary.hpp"

namespace meteor {

struct BatchOptions {
    std::size_t threads = 1;
    bool keep_alignments = false;
    bool maximum_accuracy = false;
};

// The memory to which Batch::score() writes its results. Each array has a row or an item per hypothesis.
struct BatchResults {
    std::int64_t* statistics = nullptr;
    double* scores = nullptr;
    std::int32_t* best_references = nullptr;
};

// A hypothesis, or a pair of segments, that could not be aligned.
struct FailedPair {
    std::size_t index;                            // of the hypothesis or of the score
    std::size_t hypothesis_size, reference_size;  // in words
    Outcome outcome;
};

// Usage: read() or set_types(), then pair() and propose(), then score(). A PairScorer scores all pairs of some
// segments.
class Batch {
public:
    Batch(const Chain& chain, Vocabulary& vocabulary, ThreadStates& thread_states)
        : chain_(chain), vocabulary_(vocabulary), thread_states_(thread_states) {}

    // -- Segments: first the hypotheses, then the references, hypothesis by hypothesis.

    // Reads raw segments. Some segments need the normalizer in Python: irregular_segments() lists them, and the caller
    // sets their words with set_words(). After that, the caller has to call intern_new_words().
    [[nodiscard]] Completion read(const std::vector<Text>& texts, const Normalizer& normalizer, std::size_t threads,
                                  const KeepGoing& keep_going);
    [[nodiscard]] const std::vector<std::size_t>& irregular_segments() const noexcept { return irregular_segments_; }
    void set_words(std::size_t segment, const std::vector<std::u32string>& words);
    void intern_new_words();
    // Sets segments of known word types.
    void set_types(const std::vector<std::vector<std::uint32_t>>& segments);

    [[nodiscard]] std::size_t segment_count() const noexcept { return segments_.size(); }
    [[nodiscard]] Words words(std::size_t segment) const noexcept;
    [[nodiscard]] std::uint64_t hash(std::size_t segment) const noexcept { return segments_[segment].hash; }

    // Finds the distinct sentences that are not empty, and returns the first segment with each sentence. A contextual
    // matcher then needs the word vectors of each sentence, which set_rows() sets.
    std::vector<std::size_t> find_sentences();
    void set_rows(std::size_t matcher, std::size_t sentence, View<std::int16_t> rows);
    // The vectors of a segment; null if they are missing.
    [[nodiscard]] const SentenceRows* rows(std::size_t matcher, std::size_t segment) const noexcept;

    // -- Pairs

    // Assigns references to the hypotheses. `reference_starts` contains the index of the first reference of each
    // hypothesis, and then the number of references.
    void pair(std::vector<std::size_t> reference_starts);
    [[nodiscard]] std::size_t hypothesis_count() const noexcept { return reference_starts_.size() - 1; }
    // Returns the first hypothesis that has the same words and references as the given hypothesis.
    [[nodiscard]] std::size_t original(std::size_t hypothesis) const noexcept { return originals_[hypothesis]; }
    // Sets the matches that a matcher in Python proposes for a reference and its hypothesis.
    void propose(std::size_t reference, std::size_t matcher, std::vector<Proposal> proposals);

    // Aligns each hypothesis with its references, and scores it with the best reference. If a hypothesis cannot be
    // aligned, its statistics contain the lengths, but no matches.
    [[nodiscard]] Completion score(const BatchOptions& options, const KeepGoing& keep_going,
                                   const BatchResults& results);
    // The sum of the statistics of all hypotheses that could be aligned.
    [[nodiscard]] const std::vector<std::int64_t>& total() const noexcept { return total_; }
    [[nodiscard]] const std::vector<FailedPair>& failed_pairs() const noexcept { return failed_pairs_; }
    // Throws std::out_of_range if the alignments were not kept.
    [[nodiscard]] const std::vector<Match>& alignment(std::size_t hypothesis) const {
        return alignments_.at(originals_[hypothesis]);
    }

    [[nodiscard]] const Chain& chain() const noexcept { return chain_; }
    [[nodiscard]] const Vocabulary& vocabulary() const noexcept { return vocabulary_; }
    // Returns the states of at least `threads` threads. Throws an exception if a word type lacks features.
    [[nodiscard]] std::vector<std::unique_ptr<ThreadState>>& prepare_threads(std::size_t threads);
    // Aligns two segments, and stores the alignment in the thread state.
    [[nodiscard]] Outcome align(ThreadState& state, std::size_t hypothesis_segment, std::size_t reference_segment,
                                const std::vector<std::vector<Proposal>>* proposals, bool maximum_accuracy) const;

private:
    // Each thread stores the words of its segments in one array. A segment is a part of this array.
    struct Segment {
        std::size_t thread = 0, start = 0, size = 0;
        std::uint64_t hash = 0;
        std::size_t sentence = NO_SENTENCE;
    };
    static constexpr std::size_t NO_SENTENCE = static_cast<std::size_t>(-1);

    [[nodiscard]] std::size_t count_matchers(Family family) const;
    void hash_segments();
    [[nodiscard]] bool have_equal_words(std::size_t segment, std::size_t other) const;
    void find_originals();
    [[nodiscard]] bool have_equal_pairs(std::size_t hypothesis, std::size_t other) const;
    void score_hypothesis(ThreadState& state, std::size_t hypothesis, const BatchOptions& options,
                          const BatchResults& results);
    void fail_hypothesis(ThreadState& state, std::size_t hypothesis, std::size_t reference, const Outcome& outcome,
                         const BatchResults& row);
    void copy_repeated_results(const BatchResults& results);
    void sum_statistics(const BatchResults& results);
    [[nodiscard]] BatchResults row_of(const BatchResults& results, std::size_t hypothesis) const noexcept;

    const Chain& chain_;
    Vocabulary& vocabulary_;
    ThreadStates& thread_states_;
    std::vector<Segment> segments_;
    std::vector<ReadWords> words_by_thread_;
    std::vector<std::size_t> irregular_segments_;
    std::vector<std::size_t> sentences_;           // the first segment of each
    std::vector<std::vector<SentenceRows>> rows_;  // by contextual matcher and sentence
    std::vector<std::size_t> reference_starts_{0}, originals_;
    std::unordered_map<std::size_t, std::vector<std::vector<Proposal>>>
        proposals_;  // by reference, one list per matcher
    std::vector<FailedPair> failed_pairs_;
    std::vector<std::int64_t> total_;
    std::vector<Outcome> outcomes_;               // of the hypotheses
    std::vector<std::size_t> failed_references_;  // of the hypotheses, counted from the first reference of each
    std::vector<std::vector<Match>> alignments_;  // of the hypotheses
};

}  // namespace meteor
