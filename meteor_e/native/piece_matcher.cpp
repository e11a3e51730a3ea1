#include "piece_matcher.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace meteor {

bool PieceMatcher::Overlap::operator<(const Overlap& other) const noexcept {
    return std::tie(other.similarity, displacement, j, i) < std::tie(similarity, other.displacement, other.j, other.i);
}

Failure PieceMatcher::add_candidates(const Matcher& matcher, std::uint32_t matcher_index, Words hypothesis,
                                     Words reference, CandidateSet& candidates) {
    find_common_words(hypothesis, reference);
    find_overlaps(vocabulary_.keys(matcher.column), matcher.threshold, hypothesis, reference);
    clear_common_words(hypothesis, reference);
    return choose_pairs(matcher_index, hypothesis.size(), reference.size(), candidates);
}

void PieceMatcher::find_common_words(Words hypothesis, Words reference) {
    occurrence_.resize(std::max(occurrence_.size(), vocabulary_.identity_count()), 0);
    for (const std::uint32_t type : hypothesis) occurrence_[vocabulary_.identity(type)] |= IN_HYPOTHESIS;
    for (const std::uint32_t type : reference) occurrence_[vocabulary_.identity(type)] |= IN_REFERENCE;
}

void PieceMatcher::clear_common_words(Words hypothesis, Words reference) noexcept {
    for (const std::uint32_t type : hypothesis) occurrence_[vocabulary_.identity(type)] = 0;
    for (const std::uint32_t type : reference) occurrence_[vocabulary_.identity(type)] = 0;
}

void PieceMatcher::find_overlaps(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference) {
    words_of_piece_.resize(std::max<std::size_t>(words_of_piece_.size(), pieces.key_count()), 0);
    overlaps_.clear();
    reference_words_.clear();
    for (std::uint32_t j = 0; j < reference.size(); ++j) {
        if (!is_common(reference[j])) reference_words_.push_back(j);
    }
    for (std::size_t first = 0; first < reference_words_.size(); first += BLOCK) {
        const std::size_t size = std::min(BLOCK, reference_words_.size() - first);
        const View<std::uint32_t> block = View<std::uint32_t>(reference_words_).subspan(first, size);
        for (std::size_t k = 0; k < size; ++k) {
            for (const std::uint32_t piece : pieces.keys(reference[block[k]])) {
                words_of_piece_[piece] |= std::uint64_t{1} << k;
            }
        }
        for (std::uint32_t i = 0; i < hypothesis.size(); ++i) {
            if (is_common(hypothesis[i])) continue;
            compare_with_block(pieces, threshold, hypothesis, reference, block, i);
        }
        for (const std::uint32_t j : block) {
            for (const std::uint32_t piece : pieces.keys(reference[j])) words_of_piece_[piece] = 0;
        }
    }
}

// Counts the pieces that a hypothesis word has in common with each word of the block. Bit k of `count_bits[b]` is bit b
// of the counter of word k, so one operation increments the counters of many words.
void PieceMatcher::compare_with_block(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference,
                                      View<std::uint32_t> block, std::uint32_t i) {
    const Words word_pieces = pieces.keys(hypothesis[i]);
    CountBits count_bits{};
    std::uint64_t sharing_words = 0;
    for (const std::uint32_t piece : word_pieces) {
        std::uint64_t carry = words_of_piece_[piece];
        sharing_words |= carry;
        for (std::size_t bit = 0; carry; ++bit) {
            carry &= std::exchange(count_bits[bit], count_bits[bit] ^ carry);
        }
    }
    const std::size_t bits = std::bit_width(word_pieces.size());
    for (; sharing_words; sharing_words &= sharing_words - 1) {
        const int k = std::countr_zero(sharing_words);
        std::uint64_t shared = 0;
        for (std::size_t bit = 0; bit < bits; ++bit) shared |= (count_bits[bit] >> k & 1) << bit;
        const std::uint32_t j = block[static_cast<std::size_t>(k)];
        const std::size_t total = word_pieces.size() + pieces.keys(reference[j]).size();
        const double similarity = 2.0 * static_cast<double>(shared) / static_cast<double>(total);
        if (similarity < threshold) continue;
        const auto displacement = std::int64_t{j} * static_cast<std::int64_t>(hypothesis.size()) -
                                  std::int64_t{i} * static_cast<std::int64_t>(reference.size());
        overlaps_.push_back({similarity, std::abs(displacement), j, i});
    }
}

Failure PieceMatcher::choose_pairs(std::uint32_t matcher_index, std::size_t hypothesis_size, std::size_t reference_size,
                                   CandidateSet& candidates) {
    std::sort(overlaps_.begin(), overlaps_.end());
    is_hypothesis_word_taken_.assign(hypothesis_size, 0);
    is_reference_word_taken_.assign(reference_size, 0);
    for (const Overlap& pair : overlaps_) {
        if (is_hypothesis_word_taken_[pair.i] || is_reference_word_taken_[pair.j]) continue;
        is_hypothesis_word_taken_[pair.i] = is_reference_word_taken_[pair.j] = 1;
        candidates.add({pair.j, 1, pair.i, 1, matcher_index, pair.similarity});
        if (!candidates.has_capacity()) return Failure::too_many_candidates;
    }
    return Failure::none;
}

}  // namespace meteor
