// The state of a thread, which is kept for the next batch.
#pragma once

#include <memory>
#include <vector>

#include "aligner.hpp"
#include "nbest_candidates.hpp"
#include "nbest_search.hpp"
#include "reader.hpp"

namespace meteor {

// The state for n-best lists.
struct NbestState {
    NbestState(const Chain& chain, const Vocabulary& vocabulary) : candidates(chain, vocabulary), search(chain) {}

    NbestCandidates candidates;
    NbestSearch search;
};

struct ThreadState {
    ThreadState(const Chain& chain, const Vocabulary& vocabulary) : aligner(chain, vocabulary) {}

    Aligner aligner;
    PairFeatures features;
    std::vector<Match> alignment;
    std::vector<std::int64_t> statistics;  // a row
    std::vector<double> scores;            // a row
    std::unique_ptr<NbestState> nbest;     // created when it is needed
};

struct ThreadStates {
    std::vector<std::unique_ptr<ThreadState>> states;
    std::vector<std::unique_ptr<Reader>> readers;
};

}  // namespace meteor
