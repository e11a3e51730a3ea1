#include "pair_scorer.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "statistics.hpp"

namespace meteor {

PairScorer::PairScorer(Batch& batch, std::vector<PairSource> sources) : batch_(batch), sources_(std::move(sources)) {
    const auto exists = [&batch](std::size_t segment) { return segment < batch.segment_count(); };
    std::size_t score_count = 0;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
        if (!std::ranges::all_of(sources_[k].hypotheses, exists) ||
            !std::ranges::all_of(sources_[k].references, exists)) {
            throw std::invalid_argument("the segment does not exist");
        }
        add_tasks(k, score_count);
    }
}

void PairScorer::add_tasks(std::size_t source, std::size_t& score_count) {
    const std::size_t references = sources_[source].references.size();
    for (std::size_t hypothesis = 0; hypothesis < sources_[source].hypotheses.size(); ++hypothesis) {
        for (std::size_t first = 0; first < references; first += MAX_TASK_PAIRS) {
            const std::size_t last = std::min(first + MAX_TASK_PAIRS, references);
            tasks_.push_back({source, hypothesis, first, last, score_count + first});
        }
        score_count += references;
    }
}

Completion PairScorer::score(std::size_t threads, const KeepGoing& keep_going, double* scores) {
    threads = std::max<std::size_t>(1, threads);
    auto& states = batch_.prepare_threads(threads);
    std::vector<Preparation> preparations(threads);
    std::vector<std::vector<FailedPair>> failed_pairs(tasks_.size());
    const auto work = [&](std::size_t thread, std::size_t task) {
        run_task(tasks_[task], *states[thread], preparations[thread], scores, failed_pairs[task]);
    };
    const Completion completion = for_each(tasks_.size(), threads, work, keep_going);
    failed_pairs_.clear();
    for (const auto& pairs : failed_pairs) failed_pairs_.insert(failed_pairs_.end(), pairs.begin(), pairs.end());
    return completion;
}

// Prepares the n-best search for the source and the hypothesis of a task.
void PairScorer::prepare(const Task& task, ThreadState& state, Preparation& preparation) const {
    if (!state.nbest) state.nbest = std::make_unique<NbestState>(batch_.chain(), batch_.vocabulary());
    const PairSource& source = sources_[task.source];
    if (preparation.source != task.source) {
        std::vector<Words> references;
        for (const std::size_t segment : source.references) references.push_back(batch_.words(segment));
        preparation = {task.source, NONE, state.nbest->candidates.load_references(references)};
        state.nbest->search.clear();
    }
    if (preparation.is_possible && preparation.hypothesis != task.hypothesis) {
        const Words hypothesis = batch_.words(source.hypotheses[task.hypothesis]);
        preparation.hypothesis = task.hypothesis;
        preparation.is_possible = state.nbest->candidates.load_hypothesis(hypothesis);
        if (preparation.is_possible) {
            state.nbest->search.start_hypothesis(state.nbest->candidates.candidates(), hypothesis.size());
        }
    }
}

void PairScorer::run_task(const Task& task, ThreadState& state, Preparation& preparation, double* scores,
                          std::vector<FailedPair>& failed_pairs) const {
    prepare(task, state, preparation);
    const PairSource& source = sources_[task.source];
    const std::size_t hypothesis_segment = source.hypotheses[task.hypothesis];
    const Words hypothesis = batch_.words(hypothesis_segment);
    for (std::size_t k = task.first_reference; k < task.last_reference; ++k) {
        const std::size_t reference_segment = source.references[k];
        const Words reference = batch_.words(reference_segment);
        const std::size_t index = task.first_score + k - task.first_reference;
        if (!preparation.is_possible || !try_nbest_search(hypothesis_segment, reference_segment, k, state)) {
            const Outcome outcome = batch_.align(state, hypothesis_segment, reference_segment, nullptr, false);
            if (outcome.has_failed()) {
                failed_pairs.push_back({index, hypothesis.size(), reference.size(), outcome});
                state.alignment.clear();
            }
        }
        count_statistics(batch_.chain(), batch_.vocabulary(), hypothesis, reference, state.alignment,
                         state.statistics.data());
        scores[index] = compute_scores(batch_.chain(), state.statistics.data(), state.scores.data());
    }
}

// Aligns a pair with the n-best search. Returns false if the pair has to be aligned separately. This is the case for
// equal segments, which need the first matcher only, and if the n-best search is not possible.
bool PairScorer::try_nbest_search(std::size_t hypothesis_segment, std::size_t reference_segment, std::size_t reference,
                                  ThreadState& state) const {
    const Words hypothesis_words = batch_.words(hypothesis_segment), reference_words = batch_.words(reference_segment);
    if (are_equal(batch_.chain(), batch_.vocabulary(), hypothesis_words, reference_words)) return false;
    NbestState& nbest = *state.nbest;
    state.alignment.clear();
    return nbest.candidates.select_reference(reference) &&
           nbest.search.try_search(nbest.candidates.candidates(), state.alignment);
}

}  // namespace meteor
