#include "shared_positions.hpp"

#include <algorithm>
#include <utility>

namespace meteor {

bool SharedPositions::can_share(std::size_t matcher_count) const noexcept {
    const auto last = chain_.matchers.begin() + static_cast<std::ptrdiff_t>(matcher_count);
    return std::all_of(chain_.matchers.begin(), last,
                       [](const Matcher& matcher) { return is_positional(matcher.family); });
}

void SharedPositions::group(const std::vector<Words>& references, std::size_t matcher_count,
                            PhraseMatcher& phrase_matcher) {
    reference_starts_.assign(1, 0);
    std::vector<PositionKey> keys;
    for (const Words& reference : references) {
        for (const std::uint32_t type : reference) keys.push_back({type});
        reference_starts_.push_back(keys.size());
    }
    find_phrases(references, matcher_count, phrase_matcher, keys);
    assign_lists(keys);
    for (auto& [matcher, hits] : phrases_) {
        // All positions of a list have the same phrases, so the phrases of the first position are used.
        std::erase_if(
            hits, [this](const PhraseHit& hit) { return first_positions_[list_of_position_[hit.start]] != hit.start; });
        for (PhraseHit& hit : hits) hit.start = list_of_position_[hit.start];
    }
}

// Finds the phrases of all references, and adds them to the keys. Positions are counted over all references.
void SharedPositions::find_phrases(const std::vector<Words>& references, std::size_t matcher_count,
                                   PhraseMatcher& phrase_matcher, std::vector<PositionKey>& keys) {
    constexpr std::uint32_t SEPARATOR = 0xFFFFFFFFu;
    phrases_.clear();
    std::vector<PhraseHit> hits;
    for (std::size_t index = 0; index < matcher_count; ++index) {
        const Matcher& matcher = chain_.matchers[index];
        if (matcher.family != Family::phrases) continue;
        std::vector<PhraseHit>& phrases = phrases_[index];
        for (std::size_t k = 0; k < references.size(); ++k) {
            phrase_matcher.find_phrases(matcher, references[k], hits);
            for (PhraseHit& hit : hits) hit.start += static_cast<std::uint32_t>(reference_starts_[k]);
            phrases.insert(phrases.end(), hits.begin(), hits.end());
        }
        for (PositionKey& key : keys) key.push_back(SEPARATOR);
        for (const PhraseHit& hit : phrases) keys[hit.start].push_back(hit.node);
    }
}

void SharedPositions::assign_lists(std::vector<PositionKey>& keys) {
    std::map<PositionKey, std::uint32_t> lists;
    list_of_position_.resize(keys.size());
    list_words_.clear();
    first_positions_.clear();
    for (std::uint32_t position = 0; position < keys.size(); ++position) {
        const std::uint32_t word = keys[position].front();
        const auto new_list = static_cast<std::uint32_t>(list_words_.size());
        const auto [entry, is_new] = lists.emplace(std::move(keys[position]), new_list);
        list_of_position_[position] = entry->second;
        if (!is_new) continue;
        list_words_.push_back(word);
        first_positions_.push_back(position);
    }
}

void SharedPositions::load_features(const Vocabulary& vocabulary, PhraseMatcher& phrase_matcher,
                                    ReferenceFeatures& features) {
    features.compute(chain_, vocabulary, list_words_);
    for (auto& [matcher, hits] : phrases_) {
        phrase_matcher.load_reference(chain_.matchers[matcher], features, std::move(hits));
    }
}

}  // namespace meteor
