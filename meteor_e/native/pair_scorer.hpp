// Scores hypotheses with all references of a list, as in minimum Bayes risk decoding.
#pragma once

#include <vector>

#include "batch.hpp"

namespace meteor {

// Every hypothesis is scored against every reference. Segments are given by their indexes in a batch.
struct PairSource {
    std::vector<std::size_t> hypotheses, references;
};

class PairScorer {
public:
    // Throws std::invalid_argument if a segment does not exist.
    PairScorer(Batch& batch, std::vector<PairSource> sources);

    // Fills a matrix of scores for each source. A matrix has a row per hypothesis. The matrices follow each other.
    [[nodiscard]] Completion score(std::size_t threads, const KeepGoing& keep_going, double* scores);

    // Pairs that could not be aligned; `index` is the index of the score.
    [[nodiscard]] const std::vector<FailedPair>& failed_pairs() const noexcept { return failed_pairs_; }

private:
    // Consecutive scores of a row.
    struct Task {
        std::size_t source, hypothesis;
        std::size_t first_reference, last_reference;
        std::size_t first_score;
    };
    // The source and the hypothesis for which the n-best search of a thread is prepared.
    struct Preparation {
        std::size_t source = NONE, hypothesis = NONE;
        bool is_possible = false;  // false: the pairs are aligned one by one
    };
    static constexpr std::size_t NONE = static_cast<std::size_t>(-1);
    static constexpr std::size_t MAX_TASK_PAIRS = 64;  // short enough to react to interrupts

    void add_tasks(std::size_t source, std::size_t& score_count);
    void prepare(const Task& task, ThreadState& state, Preparation& preparation) const;
    void run_task(const Task& task, ThreadState& state, Preparation& preparation, double* scores,
                  std::vector<FailedPair>& failed_pairs) const;
    [[nodiscard]] bool try_nbest_search(std::size_t hypothesis_segment, std::size_t reference_segment,
                                        std::size_t reference, ThreadState& state) const;

    Batch& batch_;
    std::vector<PairSource> sources_;
    std::vector<Task> tasks_;
    std::vector<FailedPair> failed_pairs_;
};

}  // namespace meteor
