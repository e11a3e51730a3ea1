// Translation probabilities of word pairs.
#pragma once

#include <vector>

#include "background.hpp"
#include "corpus.hpp"

namespace meteor::bitext {

// The probability of each target word given a source word, for the words that occur in the same sentence pair. Each
// source word has a hash table. The empty word, which occurs in all sentences, has another hash table.
class TranslationTable {
public:
    struct Entry {
        std::uint32_t word = NO_WORD;  // an id of the target language
        float probability = 0;
        double count = 0;
    };

    TranslationTable(std::size_t source_types, std::size_t target_types)
        : source_types_(source_types), target_types_(target_types) {}

    // Adds the word pairs of the sentence pairs that `is_used` selects. The probability of each word pair becomes 1.
    [[nodiscard]] Completion build(const Corpus& source, const Corpus& target, const std::vector<bool>& is_used,
                                   std::size_t threads, const KeepGoing& keep_going);

    [[nodiscard]] std::size_t empty_word() const noexcept { return source_types_; }

    // Prefetches the slot at which the search for a word pair starts, and returns it.
    [[nodiscard]] std::uint64_t prefetch(std::size_t source_word, std::uint32_t target_word) const noexcept {
        const std::uint64_t slot = first_slot(source_word, target_word);
        METEOR_PREFETCH(&entries_[slot]);
        return slot;
    }
    // Returns the entry of a word pair, which must be in the table. `slot` is the result of prefetch().
    [[nodiscard]] Entry& find(std::size_t source_word, std::uint32_t target_word, std::uint64_t slot) noexcept {
        while (entries_[slot].word != target_word) {
            if (++slot == row_starts_[source_word + 1]) slot = row_starts_[source_word];
        }
        return entries_[slot];
    }

    // Computes the probabilities from the counts with variational Bayes (section 3.2 of the paper), and resets the
    // counts.
    void estimate(double concentration, std::size_t threads);

private:
    static constexpr std::uint32_t NO_WORD = 0xFFFFFFFF;

    class Cooccurrences;

    [[nodiscard]] std::uint64_t first_slot(std::size_t source_word, std::uint32_t target_word) const noexcept {
        const std::uint64_t size = row_starts_[source_word + 1] - row_starts_[source_word];
        const std::uint64_t hash = (static_cast<std::uint64_t>(target_word) * 0x9E3779B1u) & 0xFFFFFFFFu;
        return row_starts_[source_word] + (hash * size >> 32);
    }
    void allocate_rows(const std::vector<std::uint64_t>& pair_counts);
    void insert(std::size_t source_word, std::uint32_t target_word) noexcept;
    void estimate_row(std::size_t row, double concentration) noexcept;

    std::size_t source_types_, target_types_;
    std::vector<std::uint64_t>
        row_starts_;  // the first entry of each source word and of the empty word, then the number of entries
    std::vector<Entry> entries_;
};

}  // namespace meteor::bitext
