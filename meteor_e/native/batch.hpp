// A batch of segments: read into word types, paired, aligned and scored.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "chain.hpp"
#include "reader.hpp"
#include "search.hpp"
#include "statistics.hpp"
#include "vocabulary.hpp"

namespace meteor {

// Calls work(worker, item) for each item below `count`; `worker` numbers the thread, below `threads`. The calling
// thread works too, and calls `go_on` several times a second; when that returns false, work ends early.
// The first exception that work throws is thrown again here, when all threads have ended.
// Returns whether all items were worked on.
bool for_each(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& work,
              const std::function<bool()>& go_on);

// What a thread aligns with.
struct Aligner {
    Aligner(const Chain& chain, const Vocabulary& vocabulary) : candidates(chain, vocabulary), search(chain) {}

    Candidates candidates;
    AlignmentSearch search;
    std::vector<Match> matches;
    std::vector<std::int64_t> row;
    std::vector<double> scores;
    PairFeatures features;
    std::unique_ptr<Aligner> gathered;  // for many hypotheses that have the same references
};

// Segments that are each scored against each of others, by their numbers.
struct PairSource {
    std::vector<std::size_t> hypotheses, references;
};

// What threads keep from one batch to the next.
struct Workshop {
    std::vector<std::unique_ptr<Aligner>> aligners;
    std::vector<std::unique_ptr<Reader>> readers;
};

struct BatchOptions {
    std::size_t threads = 1;
    bool keep_alignments = false;
    bool maximum_accuracy = false;
};

// A hypothesis that could not be scored.
struct Failure {
    std::size_t hypothesis;
    std::size_t hypothesis_size, reference_size;  // in words
    Outcome outcome;
};

using GoOn = std::function<bool()>;

class Batch {
public:
    Batch(const Chain& chain, Vocabulary& vocabulary, Workshop& workshop)
        : chain_(chain), vocabulary_(vocabulary), workshop_(workshop) {}

    // -- Segments: hypotheses first, then the references, those of one hypothesis side by side.

    // False: `go_on` said no. Segments that the normalizer leaves to Python are in irregular().
    bool read(const std::vector<Text>& texts, const Normalizer& normalizer, std::size_t threads, const GoOn& go_on);
    void take_types(std::vector<std::vector<std::uint32_t>> segments);
    const std::vector<std::size_t>& irregular() const { return irregular_; }
    void set_words(std::size_t segment, const std::vector<std::u32string>& words);
    void intern_new_words();  // adds words that are new to the vocabulary

    Words words(std::size_t segment) const;
    std::size_t segments() const { return segments_.size(); }

    // The number of the first segment of each distinct sentence that is not empty. Those are numbered from 0, and
    // take vectors, one row a word, for a contextual matcher.
    std::vector<std::size_t> number_sentences();
    void give_rows(std::size_t matcher, std::size_t sentence, View<std::int16_t> rows);

    // -- Pairs

    // `reference_starts`: for each hypothesis its first reference, counted from the first of all, and an end.
    void pair(std::vector<std::size_t> reference_starts);
    std::size_t hypotheses() const { return reference_starts_.size() - 1; }
    // The earlier hypothesis with the same words and references; the hypothesis itself if there is none.
    std::size_t original(std::size_t hypothesis) const { return originals_[hypothesis]; }
    void propose(std::size_t reference, std::size_t matcher, std::vector<Proposal> proposals);

    // Fills the rows of statistics and scores and the numbers of the best references, one a hypothesis; a hypothesis
    // that could not be scored has its lengths and no match. False: `go_on` said no.
    bool score(const BatchOptions& options, const GoOn& go_on, std::int64_t* statistics, double* scores,
               std::int32_t* best_references);
    // Fills a matrix of scores for each source, one after the other; failures() has numbers in them.
    bool score_pairs(const std::vector<PairSource>& sources, std::size_t threads, const GoOn& go_on, double* scores);
    // The sum of the rows of all hypotheses that could be scored.
    const std::vector<std::int64_t>& total() const { return total_; }

    const std::vector<Failure>& failures() const { return failures_; }
    const std::vector<Match>& alignment(std::size_t hypothesis) const { return alignments_[originals_[hypothesis]]; }

private:
    // The words of a segment are those of its thread's list, from `start`.
    struct Segment {
        std::size_t thread = 0, start = 0, size = 0;
        std::uint64_t hash = 0;
        std::size_t sentence = NO_SENTENCE;
    };
    static constexpr std::size_t NO_SENTENCE = static_cast<std::size_t>(-1);

    std::size_t matchers_of(Family family) const;
    void hash_segments();
    void find_repetitions();
    bool equal(std::size_t segment, std::size_t other) const;
    bool same(std::size_t hypothesis, std::size_t other) const;
    void score_hypothesis(Aligner& aligner, std::size_t hypothesis, const BatchOptions& options,
                          std::int64_t* statistics, double* scores, std::int32_t* best_reference);
    const SentenceRows* rows(std::size_t matcher, std::size_t segment) const;
    Outcome align(Aligner& aligner, std::size_t hypothesis, std::size_t reference,
                  const std::vector<std::vector<Proposal>>* proposals, bool maximum_accuracy);
    void prepare(std::size_t threads);

    const Chain& chain_;
    Vocabulary& vocabulary_;
    Workshop& workshop_;
    std::vector<Segment> segments_;
    std::vector<ReadWords> read_;  // by thread
    std::vector<std::size_t> irregular_;
    std::vector<std::size_t> sentences_;           // the first segment of each
    std::vector<std::vector<SentenceRows>> rows_;  // by contextual matcher and sentence
    std::vector<std::size_t> reference_starts_, originals_;
    std::unordered_map<std::size_t, std::vector<std::vector<Proposal>>> proposals_;  // by reference
    std::vector<Failure> failures_;
    std::vector<std::int64_t> total_;
    std::vector<Outcome> outcomes_;
    std::vector<std::size_t> failed_references_;
    std::vector<std::vector<Match>> alignments_;
};

}  // namespace meteor
