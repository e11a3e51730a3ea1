// Groups of reference positions with the same word and the same phrases, which have the same candidates.
#pragma once

#include <map>
#include <vector>

#include "phrase_matcher.hpp"

namespace meteor {

// Groups the positions of one or more references into lists. Each list becomes a word of an artificial segment. The
// candidates for this segment are collected once per list instead of once per position.
class SharedPositions {
public:
    explicit SharedPositions(const Chain& chain) : chain_(chain) {}

    // Whether the candidates of the first `matcher_count` matchers depend only on words and phrases.
    [[nodiscard]] bool can_share(std::size_t matcher_count) const noexcept;

    void group(const std::vector<Words>& references, std::size_t matcher_count, PhraseMatcher& phrase_matcher);

    // Computes the features of the artificial segment.
    void load_features(const Vocabulary& vocabulary, PhraseMatcher& phrase_matcher, ReferenceFeatures& features);

    [[nodiscard]] Words list_words() const noexcept { return list_words_; }  // the artificial segment
    // The list of each position, for all references or for one reference.
    [[nodiscard]] View<std::uint32_t> list_of_position() const noexcept { return list_of_position_; }
    [[nodiscard]] View<std::uint32_t> list_of_position(std::size_t reference) const noexcept {
        const std::size_t start = reference_starts_[reference];
        return list_of_position().subspan(start, reference_starts_[reference + 1] - start);
    }

private:
    // A key consists of the word at a position. Each phrase matcher adds a separator and the phrases that start there.
    using PositionKey = std::vector<std::uint32_t>;

    void find_phrases(const std::vector<Words>& references, std::size_t matcher_count, PhraseMatcher& phrase_matcher,
                      std::vector<PositionKey>& keys);
    void assign_lists(std::vector<PositionKey>& keys);

    const Chain& chain_;
    std::vector<std::size_t> reference_starts_;  // first position of each reference, and the number of positions
    std::vector<std::uint32_t> list_of_position_;
    std::vector<std::uint32_t> first_positions_;  // of each list
    std::vector<std::uint32_t> list_words_;
    std::map<std::size_t, std::vector<PhraseHit>> phrases_;  // by matcher; phrases start at the index of a list
};

}  // namespace meteor
