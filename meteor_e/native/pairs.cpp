// Scores of all pairs of some segments with others, as minimum Bayes risk decoding asks for them.
#include <algorithm>

#include "batch.hpp"

namespace meteor {

bool Batch::score_pairs(const std::vector<PairSource>& sources, std::size_t threads, const GoOn& go_on,
                        double* scores) {
    // Part of a row of a matrix.
    struct Part {
        std::size_t source, hypothesis, first, last;  // the references
        std::size_t place;                            // of the first score
    };
    constexpr std::size_t LONGEST_PART = 64;  // pairs, so that work can be interrupted
    std::vector<Part> parts;
    std::size_t size = 0;
    for (std::size_t k = 0; k < sources.size(); ++k) {
        for (const auto* numbers : {&sources[k].hypotheses, &sources[k].references}) {
            for (const std::size_t number : *numbers) {
                if (number >= segments_.size()) throw std::invalid_argument("there is no such segment");
            }
        }
        const std::size_t references = sources[k].references.size();
        for (std::size_t hypothesis = 0; hypothesis < sources[k].hypotheses.size(); ++hypothesis) {
            for (std::size_t first = 0; first < references; first += LONGEST_PART) {
                parts.push_back({k, hypothesis, first, std::min(first + LONGEST_PART, references), size + first});
            }
            size += references;
        }
    }
    threads = std::max<std::size_t>(1, threads);
    prepare(threads);
    std::vector<std::vector<Failure>> failures(parts.size());
    constexpr std::size_t NONE = static_cast<std::size_t>(-1);
    struct Gathered {
        std::size_t source = NONE, hypothesis = NONE;
        bool possible = false;
    };
    std::vector<Gathered> gathered(threads);  // what each thread stands ready for
    const auto work = [&](std::size_t worker, std::size_t number) {
        Aligner& aligner = *workshop_.aligners[worker];
        if (!aligner.gathered) aligner.gathered = std::make_unique<Aligner>(chain_, vocabulary_);
        Candidates& candidates = aligner.gathered->candidates;
        AlignmentSearch& search = aligner.gathered->search;
        const Part& part = parts[number];
        const PairSource& source = sources[part.source];
        const std::size_t hypothesis = source.hypotheses[part.hypothesis];
        Gathered& ready = gathered[worker];
        if (ready.source != part.source) {
            std::vector<Words> references;
            for (const std::size_t reference : source.references) references.push_back(words(reference));
            ready = {part.source, NONE, candidates.gather(references)};
            search.forget();
        }
        if (ready.possible && ready.hypothesis != part.hypothesis) {
            ready.hypothesis = part.hypothesis;
            ready.possible = candidates.make_lists(words(hypothesis));
            if (ready.possible) search.start_hypothesis(candidates, words(hypothesis).size());
        }
        for (std::size_t k = part.first; k < part.last; ++k) {
            const std::size_t reference = source.references[k], place = part.place + k - part.first;
            aligner.matches.clear();
            // Of equal segments, only the first matcher is asked.
            const bool together = ready.possible && !candidates.equal(words(hypothesis), words(reference)) &&
                                  candidates.select(k) && search.run_gathered(candidates, aligner.matches);
            if (!together) {
                const Outcome outcome = align(aligner, hypothesis, reference, nullptr, false);
                if (outcome.problem != Problem::none) {
                    failures[number].push_back({place, words(hypothesis).size(), words(reference).size(), outcome});
                    aligner.matches.clear();
                }
            }
            count_statistics(chain_, vocabulary_, words(hypothesis), words(reference), aligner.matches,
                             aligner.row.data());
            scores[place] = compute_scores(chain_, aligner.row.data(), aligner.scores.data());
        }
    };
    if (!for_each(parts.size(), threads, work, go_on)) return false;
    failures_.clear();
    for (const auto& some : failures) failures_.insert(failures_.end(), some.begin(), some.end());
    return true;
}

}  // namespace meteor
