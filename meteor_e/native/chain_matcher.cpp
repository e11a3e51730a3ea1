#include "chain_matcher.hpp"

namespace meteor {

Outcome ChainMatcher::add_candidates(ReferenceFeatures& reference, Words hypothesis, const PairFeatures& features,
                                     std::size_t matcher_count, CandidateSet& candidates) {
    const Failure failure = word_matcher_.relate(reference, hypothesis, matcher_count);
    if (failure != Failure::none) return {failure};
    for (std::uint32_t index = 0; index < matcher_count; ++index) {
        const Outcome outcome = ask(index, reference, hypothesis, features, candidates);
        if (outcome.has_failed()) return outcome;
    }
    return {};
}

Outcome ChainMatcher::ask(std::uint32_t index, ReferenceFeatures& reference, Words hypothesis,
                          const PairFeatures& features, CandidateSet& candidates) {
    const Matcher& matcher = chain_.matchers[index];
    switch (matcher.family) {
        case Family::exact:
        case Family::keys:
        case Family::strings:
        case Family::synonyms:
        case Family::similarity:
            return {word_matcher_.add_candidates(reference, index, candidates)};
        case Family::contextual:
            return compare_sentences(index, hypothesis, reference.words, features, candidates);
        case Family::overlap:
        case Family::ngrams:
            return {piece_matcher_.add_candidates(matcher, index, hypothesis, reference.words, candidates)};
        case Family::phrases:
            return {phrase_matcher_.add_candidates(matcher, index, reference, hypothesis, candidates)};
        case Family::proposals:
            if (!features.proposals) return {};
            return take_proposals(index, (*features.proposals)[matcher.column], hypothesis, reference.words,
                                  candidates);
        case Family::characters:
        case Family::subsequence:
            return {};  // whole segments are compared when the statistics are counted
    }
    return {};
}

Outcome ChainMatcher::compare_sentences(std::uint32_t index, Words hypothesis, Words reference,
                                        const PairFeatures& features, CandidateSet& candidates) const {
    if (hypothesis.empty() || reference.empty()) return {};
    const Matcher& matcher = chain_.matchers[index];
    const SentenceRows* const hypothesis_rows = features.hypothesis_rows[matcher.column];
    const SentenceRows* const reference_rows = features.reference_rows[matcher.column];
    if (!hypothesis_rows || !reference_rows) return {Failure::missing_vectors, index};
    SentenceComparison comparison(*hypothesis_rows, *reference_rows);
    const auto add = [&candidates, index](std::uint32_t j, std::uint32_t i, double probability) {
        candidates.add({j, 1, i, 1, index, probability});
        return candidates.has_capacity();
    };
    const bool is_complete = visit_similar_words(vocabulary_, matcher, hypothesis, reference, comparison, add);
    return {is_complete ? Failure::none : Failure::too_many_candidates};
}

Outcome ChainMatcher::take_proposals(std::uint32_t index, const std::vector<Proposal>& proposals, Words hypothesis,
                                     Words reference, CandidateSet& candidates) {
    const auto fits = [](std::int64_t start, std::int64_t length, std::size_t segment_size) {
        const auto size = static_cast<std::int64_t>(segment_size);
        return start >= 0 && length >= 1 && start < size && length <= size - start;
    };
    for (const Proposal& proposal : proposals) {
        if (!fits(proposal.reference_start, proposal.reference_length, reference.size()) ||
            !fits(proposal.hypothesis_start, proposal.hypothesis_length, hypothesis.size())) {
            return {Failure::misplaced_proposal, index, proposal};
        }
        candidates.add({static_cast<std::uint32_t>(proposal.reference_start),
                        static_cast<std::uint32_t>(proposal.reference_length),
                        static_cast<std::uint32_t>(proposal.hypothesis_start),
                        static_cast<std::uint32_t>(proposal.hypothesis_length), index, proposal.probability});
        if (!candidates.has_capacity()) return {Failure::too_many_candidates};
    }
    return {};
}

}  // namespace meteor
