// Collects the candidates of a pair of segments.
#include "candidates.hpp"

#include <algorithm>
#include <functional>

namespace meteor {

constexpr std::size_t LONGEST_SHARED = 10000;  // words of a side; meteor_e/engine/candidates.py has the same

bool Candidates::equal(Words hypothesis, Words reference) const {
    const auto same = [this](std::uint32_t type, std::uint32_t other) {
        return type == other ||
               (chain_.identity == Identity::java && vocabulary_.identity(type) == vocabulary_.identity(other));
    };
    return std::ranges::equal(hypothesis, reference, same);
}

Outcome Candidates::collect(Words hypothesis, Words reference, std::uint64_t hash, const PairFeatures& features) {
    const bool alike = equal(hypothesis, reference);
    const std::size_t asked = alike ? std::min<std::size_t>(1, chain_.matchers.size()) : chain_.matchers.size();
    shared_ = gathered_ = false;
    first_ = 0;
    begin(hypothesis.size(), reference.size(), std::min(chain_.separate_candidates, chain_.max_candidates));
    const bool alone = alike || reference.size() > LONGEST_KNOWN_SEGMENT;
    Outcome outcome = ask(know(reference, hash, alone), hypothesis, reference, features, asked);
    if (outcome.problem == Problem::too_many_candidates) {
        shared_ = std::max(hypothesis.size(), reference.size()) <= LONGEST_SHARED && share({reference}, asked);
        const Words words = shared_ ? Words(list_words_) : reference;
        begin(hypothesis.size(), words.size(), chain_.max_candidates);
        outcome = ask(know(words, hash, true), hypothesis, words, features, asked);
    }
    if (outcome.problem != Problem::none) return outcome;
    sort_by_reference();
    if (shared_) cover_shared();
    fix();
    return outcome;
}

void Candidates::begin(std::size_t hypothesis_size, std::size_t positions, std::size_t room) {
    room_ = room;
    proposed_.clear();
    reference_cover_.assign(positions, 0);
    hypothesis_cover_.assign(hypothesis_size, 0);
}

Outcome Candidates::ask(KnownSegment& known, Words hypothesis, Words reference, const PairFeatures& features,
                        std::size_t asked) {
    Outcome outcome;
    bool room = relate(known, hypothesis, asked);
    for (matcher_ = 0; matcher_ < asked && room; ++matcher_) {
        const Matcher& matcher = chain_.matchers[matcher_];
        switch (matcher.family) {
            case Family::exact:
            case Family::keys:
            case Family::strings:
            case Family::synonyms:
            case Family::similarity:
                room = match_words(known);
                break;
            case Family::contextual: {
                if (!hypothesis.size() || !reference.size()) break;
                const SentenceRows* rows = features.hypothesis_rows[matcher.column];
                const SentenceRows* others = features.reference_rows[matcher.column];
                if (!rows || !others) return {Problem::without_vectors, matcher_};
                room = match_rows(*rows, *others, matcher, hypothesis, reference);
                break;
            }
            case Family::characters:
                break;
            case Family::overlap:
            case Family::ngrams:
                room = match_overlap(vocabulary_.keys(matcher.column), matcher.threshold, hypothesis, reference);
                break;
            case Family::phrases:
                room = match_phrases(*matcher.phrases, matcher.column, known, hypothesis, reference);
                break;
            case Family::proposals:
                if (!features.proposals) break;
                room = match_proposals((*features.proposals)[matcher.column], hypothesis, reference, outcome);
                if (outcome.problem != Problem::none) return outcome;
                break;
        }
    }
    if (!room) outcome.problem = Problem::too_many_candidates;
    return outcome;
}

bool Candidates::match_proposals(const std::vector<Proposal>& proposals, Words hypothesis, Words reference,
                                 Outcome& outcome) {
    const auto fits = [](std::int64_t start, std::int64_t length, std::size_t size) {
        const auto limit = static_cast<std::int64_t>(size);
        return start >= 0 && length >= 1 && start < limit && length <= limit - start;
    };
    for (const Proposal& proposal : proposals) {
        if (!fits(proposal.reference_start, proposal.reference_length, reference.size()) ||
            !fits(proposal.hypothesis_start, proposal.hypothesis_length, hypothesis.size())) {
            outcome = {Problem::misplaced_proposal, matcher_, proposal};
            return false;
        }
        const bool room = add(static_cast<std::uint32_t>(proposal.reference_start),
                              static_cast<std::uint32_t>(proposal.reference_length),
                              static_cast<std::uint32_t>(proposal.hypothesis_start),
                              static_cast<std::uint32_t>(proposal.hypothesis_length), proposal.probability);
        if (!room) return false;
    }
    return true;
}

void Candidates::sort_by_reference() {
    starts_.assign(1, 0);
    matches_.clear();
    append_by_key(
        proposed_, reference_cover_.size(), [](const Match& match) { return match.reference_start; }, std::identity(),
        starts_, matches_);
}

// A match is fixed that is alone at its position, and whose words no other match covers.
void Candidates::fix() {
    const std::size_t positions = reference_cover_.size();
    fixed_.assign(positions, 0);
    for (std::size_t j = 0; j < positions; ++j) {
        const View<Match> starting = at(j);
        if (starting.size() != 1) continue;
        const Match& only = starting[0];
        bool alone = true;
        for (std::uint32_t word = 0; word < only.reference_length; ++word) {
            alone = alone && reference_cover_[j + word] == 1;
        }
        for (std::uint32_t word = 0; word < only.hypothesis_length; ++word) {
            alone = alone && hypothesis_cover_[only.hypothesis_start + word] == 1;
        }
        fixed_[j] = alone;
    }
}

}  // namespace meteor
