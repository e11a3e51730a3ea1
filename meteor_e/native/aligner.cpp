#include "aligner.hpp"

namespace meteor {

Outcome Aligner::align(Words hypothesis, Words reference, std::uint64_t reference_hash, const PairFeatures& features,
                       bool maximum_accuracy, std::vector<Match>& alignment) {
    alignment.clear();
    Outcome outcome = collector_.collect(hypothesis, reference, reference_hash, features);
    if (outcome.has_failed()) return outcome;
    const SearchOptions options{chain_.beam, chain_.limits.max_paths, maximum_accuracy};
    outcome.failure = search_.run(collector_.candidates(), hypothesis.size(), options, alignment);
    return outcome;
}

}  // namespace meteor
