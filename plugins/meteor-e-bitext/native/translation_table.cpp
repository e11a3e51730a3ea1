#include "translation_table.hpp"

#include <algorithm>
#include <cmath>

namespace meteor::bitext {

namespace {

// The number of parts of the source vocabulary. A thread works on one part at a time. Frequent words, which cause most
// of the work, are at the start of the vocabulary, so a part consists of every 64th word.
constexpr std::size_t PARTS = 64;

// Computes the digamma function with its recurrence and its asymptotic series.
double digamma(double x) noexcept {
    double result = 0;
    for (; x < 7; ++x) result -= 1 / x;
    x -= 0.5;
    const double square = 1 / (x * x), fourth = square * square;
    return result + std::log(x) + square / 24 - 7 * fourth / 960 + 31 * fourth * square / 8064 -
           127 * fourth * fourth / 30720;
}

}  // namespace

// Lists the target words that occur in a sentence pair with each source word.
class TranslationTable::Cooccurrences {
public:
    Cooccurrences(const Corpus& source, const Corpus& target, const std::vector<bool>& is_used,
                  std::size_t source_types, std::size_t target_types)
        : target_(target), source_types_(source_types), target_types_(target_types), starts_(source_types + 1) {
        for (std::size_t s = 0; s < source.sentence_count(); ++s) {
            if (!is_used[s]) continue;
            for (const std::uint32_t word : source.sentence(s)) ++starts_[word + 1];
        }
        for (std::size_t type = 0; type < source_types; ++type) starts_[type + 1] += starts_[type];
        sentences_.resize(starts_[source_types]);
        std::vector<std::uint64_t> next(starts_.begin(), starts_.end() - 1);
        for (std::size_t s = 0; s < source.sentence_count(); ++s) {
            if (!is_used[s]) continue;
            for (const std::uint32_t word : source.sentence(s)) {
                sentences_[next[word]++] = static_cast<std::uint32_t>(s);
            }
        }
    }

    // Calls `visit(source_word, target_word)` once for each pair of words, by source word.
    template <class Visit>
    [[nodiscard]] Completion visit_pairs(std::size_t threads, const KeepGoing& keep_going, const Visit& visit) const {
        const auto visit_part = [&](std::size_t part, const std::atomic<bool>& is_stopped) {
            std::vector<std::uint32_t> last_source_word(target_types_, NO_WORD);
            for (std::size_t word = part; word < source_types_ && !is_stopped; word += PARTS) {
                visit_pairs_of(static_cast<std::uint32_t>(word), last_source_word, visit);
            }
        };
        return run_in_background(PARTS, threads, visit_part, keep_going);
    }

private:
    template <class Visit>
    void visit_pairs_of(std::uint32_t source_word, std::vector<std::uint32_t>& last_source_word,
                        const Visit& visit) const {
        for (std::uint64_t k = starts_[source_word]; k < starts_[source_word + 1]; ++k) {
            const bool is_repeated = k > starts_[source_word] && sentences_[k - 1] == sentences_[k];
            if (is_repeated) continue;
            for (const std::uint32_t target_word : target_.sentence(sentences_[k])) {
                if (last_source_word[target_word] == source_word) continue;
                last_source_word[target_word] = source_word;
                visit(source_word, target_word);
            }
        }
    }

    const Corpus& target_;
    std::size_t source_types_, target_types_;
    std::vector<std::uint64_t> starts_;     // the first sentence of each source word in sentences_
    std::vector<std::uint32_t> sentences_;  // the sentences of each source word, in ascending order
};

Completion TranslationTable::build(const Corpus& source, const Corpus& target, const std::vector<bool>& is_used,
                                   std::size_t threads, const KeepGoing& keep_going) {
    const Cooccurrences cooccurrences(source, target, is_used, source_types_, target_types_);
    std::vector<std::uint64_t> pair_counts(source_types_);
    const auto count_pair = [&](std::uint32_t source_word, std::uint32_t) { ++pair_counts[source_word]; };
    Completion completion = cooccurrences.visit_pairs(threads, keep_going, count_pair);
    if (completion == Completion::interrupted) return completion;
    allocate_rows(pair_counts);
    for (std::size_t word = 0; word < target_types_; ++word) insert(empty_word(), static_cast<std::uint32_t>(word));
    const auto insert_pair = [&](std::uint32_t source_word, std::uint32_t target_word) {
        insert(source_word, target_word);
    };
    completion = cooccurrences.visit_pairs(threads, keep_going, insert_pair);
    for (Entry& entry : entries_) entry.probability = 1;
    return completion;
}

// At most three quarters of a row's entries are used, and at least one is unused.
void TranslationTable::allocate_rows(const std::vector<std::uint64_t>& pair_counts) {
    row_starts_.assign(1, 0);
    const auto add_row = [this](std::uint64_t count) {
        row_starts_.push_back(row_starts_.back() + count + count / 3 + 1);
    };
    for (const std::uint64_t count : pair_counts) add_row(count);
    add_row(target_types_);
    entries_.resize(row_starts_.back());
}

void TranslationTable::insert(std::size_t source_word, std::uint32_t target_word) noexcept {
    std::uint64_t slot = first_slot(source_word, target_word);
    while (entries_[slot].word != NO_WORD) {
        if (++slot == row_starts_[source_word + 1]) slot = row_starts_[source_word];
    }
    entries_[slot].word = target_word;
}

void TranslationTable::estimate(double concentration, std::size_t threads) {
    constexpr std::size_t BATCH = 256;  // number of rows that a thread computes at a time, because most rows are short
    const std::size_t rows = row_starts_.size() - 1;
    const auto estimate_batch = [&](std::size_t batch, const std::atomic<bool>&) {
        const std::size_t end = std::min(rows, (batch + 1) * BATCH);
        for (std::size_t row = batch * BATCH; row < end; ++row) estimate_row(row, concentration);
    };
    run_in_background((rows + BATCH - 1) / BATCH, threads, estimate_batch, [] { return true; });
}

void TranslationTable::estimate_row(std::size_t row, double concentration) noexcept {
    double total = 0;
    std::size_t word_count = 0;
    for (std::uint64_t k = row_starts_[row]; k < row_starts_[row + 1]; ++k) {
        total += entries_[k].count;
        word_count += entries_[k].word != NO_WORD;
    }
    const double log_total = digamma(total + concentration * static_cast<double>(word_count));
    for (std::uint64_t k = row_starts_[row]; k < row_starts_[row + 1]; ++k) {
        Entry& entry = entries_[k];
        entry.probability = static_cast<float>(std::exp(digamma(entry.count + concentration) - log_total));
        entry.count = 0;
    }
}

}  // namespace meteor::bitext
