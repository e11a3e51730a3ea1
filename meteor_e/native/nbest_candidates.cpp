#include "nbest_candidates.hpp"

#include <algorithm>

#include "candidate_collector.hpp"

namespace meteor {

bool NbestCandidates::load_references(const std::vector<Words>& references) {
    const auto is_short = [](const Words& reference) { return reference.size() <= MAX_CACHED_WORDS; };
    const std::size_t matcher_count = chain_.matchers.size();
    if (!std::ranges::all_of(references, is_short) || !shared_positions_.can_share(matcher_count)) return false;
    shared_positions_.group(references, matcher_count, chain_matcher_.phrase_matcher());
    shared_positions_.load_features(vocabulary_, chain_matcher_.phrase_matcher(), features_);
    return true;
}

bool NbestCandidates::load_hypothesis(Words hypothesis) {
    if (hypothesis.size() > MAX_CACHED_WORDS) return false;
    candidates_.start(hypothesis.size(), features_.words.size(), chain_.limits.max_candidates);
    const Outcome outcome =
        chain_matcher_.add_candidates(features_, hypothesis, PairFeatures{}, chain_.matchers.size(), candidates_);
    if (outcome.has_failed()) return false;
    candidates_.group();
    return true;
}

bool NbestCandidates::select_reference(std::size_t reference) {
    const std::size_t count = candidates_.select(shared_positions_.list_of_position(reference));
    return count <= std::min(chain_.limits.separate_candidates, chain_.limits.max_candidates);
}

}  // namespace meteor
