#include "phrase_pairs.hpp"

#include <algorithm>
#include <mutex>
#include <queue>
#include <utility>

namespace meteor::bitext {

namespace {

std::mutex totals_mutex;

std::uint64_t make_key(std::uint32_t first, std::uint32_t second) noexcept {
    return std::uint64_t{first} << 32 | second;
}

// The span from the first to the last word of the other sentence that a word or a phrase is linked to.
struct LinkedSpan {
    static constexpr std::size_t NONE = static_cast<std::size_t>(-1);

    std::size_t low = NONE, high = 0;

    [[nodiscard]] bool is_linked() const noexcept { return low <= high; }
    void include(std::size_t position) noexcept { include({position, position}); }
    void include(const LinkedSpan& other) noexcept {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

class PairExtractor {
public:
    PairExtractor(const PhraseCorpus& first, const PhraseCorpus& second, View<std::uint16_t> links,
                  View<std::uint64_t> link_starts)
        : first_(first), second_(second), links_(links), link_starts_(link_starts) {}

    void extract(std::size_t sentence) {
        load_links(sentence);
        const std::size_t second_size = second_spans_.size(), max_length = second_.phrase_ids.max_length;
        for (std::size_t start = 0; start < second_size; ++start) {
            LinkedSpan span;
            for (std::size_t last = start; last < second_size && last < start + max_length; ++last) {
                span.include(second_spans_[last]);
                if (is_consistent(span, start, last)) add_pairs(sentence, span, start, last);
            }
        }
    }

    [[nodiscard]] std::vector<PairCount> count_pairs() {
        std::vector<PairCount> counts;
        std::sort(keys_.begin(), keys_.end());
        for (std::size_t k = 0; k < keys_.size();) {
            std::size_t end = k + 1;
            while (end < keys_.size() && keys_[end] == keys_[k]) ++end;
            counts.push_back({static_cast<std::uint32_t>(keys_[k] >> 32), static_cast<std::uint32_t>(keys_[k]),
                              static_cast<std::uint32_t>(end - k)});
            k = end;
        }
        return counts;
    }
    void add_to_totals(const PhraseTotals& first_totals, const PhraseTotals& second_totals) const {
        check_ids(first_ids_, first_totals.max_id);
        check_ids(second_ids_, second_totals.max_id);
        const std::lock_guard<std::mutex> lock(totals_mutex);
        for (const std::uint32_t id : first_ids_) ++first_totals.counts[id];
        for (const std::uint32_t id : second_ids_) ++second_totals.counts[id];
    }

private:
    static void check_ids(const std::vector<std::uint32_t>& ids, std::size_t max_id) {
        if (std::ranges::any_of(ids, [max_id](std::uint32_t id) { return id > max_id; })) {
            throw std::invalid_argument("a phrase has an id that is too large");
        }
    }

    void load_links(std::size_t sentence) {
        const std::size_t first_size = first_.starts[sentence + 1] - first_.starts[sentence];
        const std::size_t second_size = second_.starts[sentence + 1] - second_.starts[sentence];
        first_spans_.assign(first_size, LinkedSpan{});
        second_spans_.assign(second_size, LinkedSpan{});
        for (std::uint64_t k = link_starts_[sentence]; k < link_starts_[sentence + 1]; ++k) {
            const std::size_t i = links_[2 * k], j = links_[2 * k + 1];
            if (i >= first_size || j >= second_size) {
                throw std::invalid_argument("a link points outside of its sentences");
            }
            first_spans_[i].include(j);
            second_spans_[j].include(i);
        }
    }

    // Returns whether the words of the first sentence that a phrase is linked to are not linked to other words.
    [[nodiscard]] bool is_consistent(const LinkedSpan& span, std::size_t start, std::size_t last) const noexcept {
        if (!span.is_linked() || span.high - span.low >= first_.phrase_ids.max_length) return false;
        for (std::size_t i = span.low; i <= span.high; ++i) {
            const LinkedSpan& back = first_spans_[i];
            if (back.is_linked() && (back.low < start || back.high > last)) return false;
        }
        return true;
    }

    // Adds the pairs of a phrase of the second sentence. The phrases of the first sentence are `span`, and extensions
    // of `span` by words without links.
    void add_pairs(std::size_t sentence, const LinkedSpan& span, std::size_t start, std::size_t last) {
        const std::size_t first_start = first_.starts[sentence], max_length = first_.phrase_ids.max_length;
        const std::uint32_t second_id = second_.phrase_ids(second_.starts[sentence] + start, last - start + 1);
        for (std::size_t low = span.low;; --low) {
            for (std::size_t high = span.high; high < first_spans_.size() && high - low < max_length; ++high) {
                if (high > span.high && first_spans_[high].is_linked()) break;
                add_pair(first_.phrase_ids(first_start + low, high - low + 1), second_id);
            }
            if (low == 0 || first_spans_[low - 1].is_linked() || span.high - (low - 1) >= max_length) break;
        }
    }
    void add_pair(std::uint32_t first_id, std::uint32_t second_id) {
        if (first_id) first_ids_.push_back(first_id);
        if (second_id) second_ids_.push_back(second_id);
        if (first_id && second_id) keys_.push_back(make_key(first_id, second_id));
    }

    const PhraseCorpus& first_;
    const PhraseCorpus& second_;
    View<std::uint16_t> links_;
    View<std::uint64_t> link_starts_;
    std::vector<LinkedSpan> first_spans_, second_spans_;  // spans of the words of the current sentence pair
    std::vector<std::uint64_t> keys_;                     // keys of the pairs whose phrases both have an id
    std::vector<std::uint32_t> first_ids_, second_ids_;   // ids of the phrases of all pairs
};

}  // namespace

std::vector<PairCount> extract_pairs(const PhraseCorpus& first, const PhraseCorpus& second, View<std::uint16_t> links,
                                     View<std::uint64_t> link_starts, std::size_t begin, std::size_t end,
                                     const PhraseTotals& first_totals, const PhraseTotals& second_totals) {
    PairExtractor extractor(first, second, links, link_starts);
    for (std::size_t sentence = begin; sentence < end; ++sentence) extractor.extract(sentence);
    std::vector<PairCount> counts = extractor.count_pairs();
    extractor.add_to_totals(first_totals, second_totals);
    return counts;
}

void merge_runs(const std::vector<View<PairCount>>& runs,
                const std::function<void(const std::vector<PairCount>&)>& write) {
    constexpr std::size_t BLOCK = 1 << 16;
    using Head = std::pair<std::uint64_t, std::size_t>;  // the key of a run's next pair, and the run
    std::priority_queue<Head, std::vector<Head>, std::greater<Head>> heads;
    std::vector<std::size_t> next(runs.size());
    const auto push_head = [&](std::size_t run) {
        if (next[run] == runs[run].size()) return;
        const PairCount& pair = runs[run][next[run]];
        heads.push({make_key(pair.first, pair.second), run});
    };
    for (std::size_t run = 0; run < runs.size(); ++run) push_head(run);
    std::vector<PairCount> block;
    while (!heads.empty()) {
        const auto [key, run] = heads.top();
        heads.pop();
        const PairCount& pair = runs[run][next[run]++];
        if (!block.empty() && make_key(block.back().first, block.back().second) == key) {
            block.back().count += pair.count;
        } else {
            if (block.size() >= BLOCK) {
                write(block);
                block.clear();
            }
            block.push_back(pair);
        }
        push_head(run);
    }
    if (!block.empty()) write(block);
}

}  // namespace meteor::bitext
