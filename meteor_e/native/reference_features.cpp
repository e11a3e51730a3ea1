#include "reference_features.hpp"

namespace meteor {

void ReferenceFeatures::compute(const Chain& chain, const Vocabulary& vocabulary, Words segment) {
    words.assign(segment.begin(), segment.end());
    distinct_ids.clear();
    distinct_words.clear();
    for (const std::uint32_t type : segment) {
        if (distinct_ids.find_or_insert(type) == distinct_words.size()) distinct_words.push_back(type);
    }
    position_starts.assign(1, 0);
    positions.clear();
    append_by_key(
        segment, distinct_words.size(), [this](std::uint32_t type) { return distinct_ids.find(type); },
        [first = segment.data()](const std::uint32_t& type) { return static_cast<std::uint32_t>(&type - first); },
        position_starts, positions);
    keys.clear();
    key_ends.clear();
    key_ends.reserve(chain.matchers.size() * distinct_words.size());
    keys.reserve(key_ends.capacity());
    for (const Matcher& matcher : chain.matchers) {
        for (const std::uint32_t type : distinct_words) {
            const Words type_keys = vocabulary.keys_of(matcher, type);
            keys.insert(keys.end(), type_keys.begin(), type_keys.end());
            key_ends.push_back(static_cast<std::uint32_t>(keys.size()));
        }
    }
    related_words.clear();
    phrases.clear();
    size_in_bytes = 40 * segment.size() + sizeof(std::uint32_t) * (keys.size() + key_ends.size());
    is_valid = true;
}

}  // namespace meteor
