#include "shared_characters.hpp"

#include <algorithm>
#include <bit>

namespace meteor {

namespace {

// Joins the words with spaces; the text also starts and ends with a space.
void join_words(const Vocabulary& vocabulary, Words words, std::u32string& text) {
    text.assign(words.size() ? 1 : 0, U' ');
    for (const std::uint32_t type : words) {
        const View<char32_t> form = vocabulary.form(type);
        text.append(form.data(), form.size()).push_back(U' ');
    }
}

double share_of_ngrams(std::size_t count, std::size_t text_size, std::size_t length) {
    return static_cast<double>(count) / static_cast<double>(text_size - (length - 1));
}

CharacterShares mean_shares(CharacterShares sum, std::size_t count, double factor) {
    if (!count) return {};
    const auto divisor = static_cast<double>(count);
    return {sum.precision / divisor * factor, sum.recall / divisor * factor};
}

}  // namespace

std::uint64_t SharedCharacters::NgramKey::hash() const noexcept {
    const std::uint64_t value = (low ^ high * 0xC2B2AE3D27D4EB4Full) * 0x9E3779B97F4A7C15ull;
    return value ^ value >> 29;
}

// Returns the slot of an n-gram in the hash table, or the unused slot for a new n-gram.
std::size_t SharedCharacters::slot_of(const NgramKey& key) const noexcept {
    std::size_t slot = (key.hash() >> 20) & table_mask_;
    while (table_[slot].key != key && table_[slot].key != NgramKey{}) slot = (slot + 1) & table_mask_;
    return slot;
}

void SharedCharacters::prepare_table(std::size_t max_ngrams) {
    table_mask_ = std::bit_ceil(std::max<std::size_t>(1, max_ngrams + max_ngrams / 2)) - 1;
    if (table_.size() <= table_mask_) {
        table_.resize(table_mask_ + 1);
        symbol_of_slot_.resize(table_mask_ + 1);
    }
    std::fill_n(table_.begin(), table_mask_ + 1, NgramCounts{});
    symbol_count_.fill(0);
    for (std::size_t k = 0; k < MAX_ORDERED_NGRAM; ++k) {
        hypothesis_symbols_[k].clear();
        reference_symbols_[k].clear();
    }
}

void SharedCharacters::compare(const Vocabulary& vocabulary, const CharacterLimits& limits, Words hypothesis,
                               Words reference) {
    limits_ = limits;
    join_words(vocabulary, hypothesis, hypothesis_);
    join_words(vocabulary, reference, reference_);
    const std::size_t hypothesis_size = hypothesis_.size(), reference_size = reference_.size();
    // Only n-grams of one length are added from the hypothesis, because only their repetition is counted.
    prepare_table(MAX_NGRAM * reference_size + hypothesis_size);
    count_reference_ngrams();
    std::array<std::size_t, MAX_NGRAM> common{};
    const std::size_t repeated = count_hypothesis_ngrams(common);
    unrepeated_ = 1.0;
    if (hypothesis_size >= limits_.repeated_ngram) {
        unrepeated_ -= limits_.repetition_penalty * share_of_ngrams(repeated, hypothesis_size, limits_.repeated_ngram);
    }
    CharacterShares sum;
    const std::size_t max_length = std::min({MAX_NGRAM, hypothesis_size, reference_size});
    for (std::size_t length = 1; length <= max_length; ++length) {
        sum.precision += share_of_ngrams(common[length - 1], hypothesis_size, length);
        sum.recall += share_of_ngrams(common[length - 1], reference_size, length);
    }
    ngram_shares_ = mean_shares(sum, max_length, unrepeated_);
}

void SharedCharacters::count_reference_ngrams() {
    const std::size_t size = reference_.size();
    for (std::size_t start = 0; start < size; ++start) {
        NgramKey key;
        for (std::size_t k = 0; k < MAX_NGRAM && start + k < size; ++k) {
            key.append(reference_[start + k]);
            const std::size_t slot = slot_of(key);
            NgramCounts& counts = table_[slot];
            counts.key = key;
            if (!counts.in_reference++ && k < MAX_ORDERED_NGRAM) symbol_of_slot_[slot] = symbol_count_[k]++;
            if (k < MAX_ORDERED_NGRAM && start + k < limits_.subsequence_characters) {
                reference_symbols_[k].push_back(symbol_of_slot_[slot]);
            }
        }
    }
}

// Counts the common n-grams of each length, and returns the number of repeated n-grams. If the reference does not
// contain an n-gram, it contains no longer n-gram with this prefix. Then only the n-gram for repetitions is looked up.
std::size_t SharedCharacters::count_hypothesis_ngrams(std::array<std::size_t, MAX_NGRAM>& common) {
    const std::size_t size = hypothesis_.size(), repeatable = limits_.repeated_ngram;
    std::size_t repeated = 0;
    for (std::size_t start = 0; start < size; ++start) {
        NgramKey key;
        bool in_reference = true;
        for (std::size_t k = 0; k < (in_reference ? MAX_NGRAM : repeatable) && start + k < size; ++k) {
            key.append(hypothesis_[start + k]);
            if (!in_reference && k + 1 < repeatable) continue;
            const std::size_t slot = slot_of(key);
            NgramCounts& counts = table_[slot];
            in_reference = counts.in_reference != 0;
            if (!in_reference && k + 1 != repeatable) continue;
            counts.key = key;
            if (k + 1 == repeatable) repeated += counts.in_hypothesis >= std::max(1u, counts.in_reference);
            common[k] += counts.in_hypothesis++ < counts.in_reference;
            if (k < MAX_ORDERED_NGRAM && start + k < limits_.subsequence_characters) {
                hypothesis_symbols_[k].push_back(symbol_of_slot_[slot]);
            }
        }
    }
    return repeated;
}

CharacterShares SharedCharacters::subsequence_shares() {
    const std::size_t hypothesis_size = std::min(hypothesis_.size(), limits_.subsequence_characters);
    const std::size_t reference_size = std::min(reference_.size(), limits_.subsequence_characters);
    const std::size_t max_length = std::min({MAX_ORDERED_NGRAM, hypothesis_size, reference_size});
    CharacterShares sum;
    for (std::size_t length = 1; length <= max_length; ++length) {
        const std::size_t k = length - 1;
        const std::size_t common = common_subsequence(hypothesis_symbols_[k], reference_symbols_[k], symbol_count_[k]);
        sum.precision += share_of_ngrams(common, hypothesis_size, length);
        sum.recall += share_of_ngrams(common, reference_size, length);
    }
    return mean_shares(sum, max_length, unrepeated_);
}

// Returns the length of the longest common subsequence, with the bit-parallel algorithm of Hyyrö (2004, "Bit-parallel
// LCS-length computation revisited"). A machine word represents 64 symbols of the reference. Each zero bit of `row` is
// a common symbol. Symbols that occur in the hypothesis only are skipped, because they have no effect.
std::size_t SharedCharacters::common_subsequence(const std::vector<std::uint32_t>& hypothesis,
                                                 const std::vector<std::uint32_t>& reference, std::uint32_t symbols) {
    symbol_masks_.assign(symbols, 0);
    carries_.assign(hypothesis.size(), 0);
    std::size_t length = 0;
    for (std::size_t first = 0; first < reference.size(); first += 64) {
        const std::size_t size = std::min<std::size_t>(64, reference.size() - first);
        for (std::size_t k = 0; k < size; ++k) symbol_masks_[reference[first + k]] |= std::uint64_t{1} << k;
        std::uint64_t row = ~std::uint64_t{0};
        for (std::size_t i = 0; i < hypothesis.size(); ++i) {
            const std::uint64_t mask = symbol_masks_[hypothesis[i]], sum = row + (row & mask);
            const std::uint64_t sum_with_carry = sum + carries_[i];
            carries_[i] = sum < row || sum_with_carry < sum;
            row = sum_with_carry | (row & ~mask);
        }
        const std::uint64_t used_bits = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
        length += static_cast<std::size_t>(std::popcount(~row & used_bits));
        for (std::size_t k = 0; k < size; ++k) symbol_masks_[reference[first + k]] = 0;
    }
    return length;
}

}  // namespace meteor
