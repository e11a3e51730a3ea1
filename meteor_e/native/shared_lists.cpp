// Positions of references that share a list of candidates.
#include "candidates.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace meteor {

// Finds the positions that may share a list: those where the same word stands and the same phrases begin. False if a
// matcher looks at more than that.
bool Candidates::share(const std::vector<Words>& references, std::size_t asked) {
    std::vector<std::vector<std::uint32_t>> keys;
    for (const Words& reference : references) {
        for (const std::uint32_t type : reference) keys.push_back({type});
    }
    std::vector<std::vector<PhraseHit>> phrases;
    for (std::size_t matcher = 0; matcher < asked; ++matcher) {
        const Matcher& one = chain_.matchers[matcher];
        if (one.family == Family::proposals || one.family == Family::contextual || shares_pieces(one.family)) {
            return false;
        }
        if (one.family != Family::phrases) continue;
        phrases.resize(std::max(phrases.size(), one.column + 1));
        if (steps_.size() < phrases.size()) steps_.resize(phrases.size());
        std::uint32_t start = 0;
        for (const Words& reference : references) {
            find_phrases(*one.phrases, one.column, reference, list_hits_);
            for (PhraseHit& hit : list_hits_) hit.start += start;
            phrases[one.column].insert(phrases[one.column].end(), list_hits_.begin(), list_hits_.end());
            start += static_cast<std::uint32_t>(reference.size());
        }
        for (std::vector<std::uint32_t>& key : keys) key.push_back(NONE);
        for (const PhraseHit& hit : phrases[one.column]) keys[hit.start].push_back(hit.node);
    }
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
    std::vector<std::uint32_t> firsts;
    lists_.resize(keys.size());
    list_words_.clear();
    for (std::uint32_t j = 0; j < keys.size(); ++j) {
        const std::uint32_t word = keys[j].front();
        const auto found = numbers.emplace(std::move(keys[j]), static_cast<std::uint32_t>(list_words_.size()));
        lists_[j] = found.first->second;
        if (!found.second) continue;
        list_words_.push_back(word);
        firsts.push_back(j);
    }
    list_phrases_.assign(phrases.size(), {});
    for (std::size_t column = 0; column < phrases.size(); ++column) {
        for (PhraseHit hit : phrases[column]) {
            const std::uint32_t list = lists_[hit.start];
            if (firsts[list] != hit.start) continue;
            hit.start = list;
            list_phrases_[column].push_back(hit);
        }
    }
    return true;
}

bool Candidates::gather(const std::vector<Words>& references) {
    reference_starts_.assign(1, 0);
    std::size_t longest = 0;
    for (const Words& reference : references) {
        reference_starts_.push_back(reference_starts_.back() + reference.size());
        longest = std::max(longest, reference.size());
    }
    shared_ = gathered_ = longest <= LONGEST_KNOWN_SEGMENT && share(references, chain_.matchers.size());
    if (gathered_) start(segment_, list_words_);
    return gathered_;
}

bool Candidates::make_lists(Words hypothesis) {
    if (hypothesis.size() > LONGEST_KNOWN_SEGMENT) return false;
    begin(hypothesis.size(), list_words_.size(), chain_.max_candidates);
    const Outcome outcome = ask(segment_, hypothesis, list_words_, PairFeatures{}, chain_.matchers.size());
    if (outcome.problem != Problem::none) return false;
    sort_by_reference();
    return true;
}

bool Candidates::select(std::size_t reference) {
    first_ = reference_starts_[reference];
    const std::size_t positions = reference_starts_[reference + 1] - first_;
    reference_cover_.assign(positions, 0);
    std::fill(hypothesis_cover_.begin(), hypothesis_cover_.end(), 0);
    std::size_t count = 0;
    for (std::size_t j = 0; j < positions; ++j) {
        const View<Match> starting = at(j);
        count += starting.size();
        for (const Match& match : starting) {
            cover(reference_cover_, j, match.reference_length);
            cover(hypothesis_cover_, match.hypothesis_start, match.hypothesis_length);
        }
    }
    fix();
    return count <= std::min(chain_.separate_candidates, chain_.max_candidates);
}

// How often candidates cover each word, where positions share lists; numbers that are large need not be exact.
void Candidates::cover_shared() {
    const auto add_to = [](std::uint32_t& cover, std::size_t count) {
        cover = static_cast<std::uint32_t>(std::min<std::size_t>(cover + count, NONE));
    };
    std::vector<std::size_t> uses(list_words_.size(), 0);
    for (const std::uint32_t list : lists_) ++uses[list];
    std::fill(hypothesis_cover_.begin(), hypothesis_cover_.end(), 0);
    std::vector<std::map<std::uint32_t, std::size_t>> lengths(list_words_.size());
    for (const Match& match : matches_) {
        ++lengths[match.reference_start][match.reference_length];
        for (std::uint32_t word = 0; word < match.hypothesis_length; ++word) {
            add_to(hypothesis_cover_[match.hypothesis_start + word], uses[match.reference_start]);
        }
    }
    reference_cover_.assign(lists_.size(), 0);
    for (std::size_t j = 0; j < lists_.size(); ++j) {
        for (const auto& [length, count] : lengths[lists_[j]]) {
            for (std::uint32_t word = 0; word < length; ++word) add_to(reference_cover_[j + word], count);
        }
    }
}

}  // namespace meteor
