#include "phrases.hpp"

#include <algorithm>
#include <mutex>
#include <queue>
#include <utility>

namespace meteor::bitext {

namespace {

// Counts keys, and gives those counted often enough numbers.
class KeyCounter {
public:
    KeyCounter() : slots_(std::size_t{1} << 16) {}

    void add(std::uint64_t key) {
        if (2 * ++used_ > slots_.size()) grow();
        Slot& slot = slots_[place(key)];
        if (slot.count) --used_;
        slot.key = key;
        ++slot.count;
    }
    // The number of a key, which `next` gives at first sight; 0 if it was counted fewer than `least` times.
    template <class Next>
    std::uint32_t number(std::uint64_t key, std::uint32_t least, const Next& next) {
        Slot& slot = slots_[place(key)];
        if (slot.count < least) return 0;
        if (!slot.number) slot.number = next();
        return slot.number;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t count = 0, number = 0;
    };

    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t place = mix(mix(key)) & mask;
        while (slots_[place].count && slots_[place].key != key) place = (place + 1) & mask;
        return place;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.count) slots_[place(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

constexpr std::size_t OFTEN = std::size_t{1} << 20;  // words between two reports

}  // namespace

std::vector<std::uint32_t> number_phrases(const Side& side, std::size_t longest, std::uint32_t least,
                                          std::uint32_t* numbers, std::vector<std::uint32_t>& phrases_by_length,
                                          const std::function<bool(std::size_t, std::size_t)>& report) {
    const std::size_t words = side.words.size;
    std::fill(numbers, numbers + longest * words, 0);
    std::vector<std::uint32_t> first_places;
    const std::size_t all = 2 * longest * words;
    std::size_t done = 0, asked = 0;
    for (std::size_t length = 1; length <= longest; ++length) {
        std::uint32_t* row = numbers + (length - 1) * words;
        // A phrase is as frequent as its parts at most: two frequent ones, a word apart, make a candidate.
        const std::uint32_t* shorter = length > 1 ? row - words : nullptr;
        const auto each = [&](const auto& use) {
            for (std::size_t s = 0; s < side.sentences(); ++s) {
                const std::size_t begin = side.starts[s], end = side.starts[s + 1];
                done += end - begin;
                if (done - asked > OFTEN) {
                    if (!report(done, all)) return false;
                    asked = done;
                }
                for (std::size_t place = begin; place + length <= end; ++place) {
                    if (length == 1) {
                        use(place, static_cast<std::uint64_t>(side.words[place]) << 32);
                    } else if (shorter[place] && shorter[place + 1]) {
                        use(place, static_cast<std::uint64_t>(shorter[place]) << 32 | shorter[place + 1]);
                    }
                }
            }
            return true;
        };
        KeyCounter counter;
        if (!each([&](std::size_t, std::uint64_t key) { counter.add(key); })) return {};
        const std::size_t before = first_places.size();
        const bool finished = each([&](std::size_t place, std::uint64_t key) {
            row[place] = counter.number(key, least, [&] {
                first_places.push_back(static_cast<std::uint32_t>(place));
                return static_cast<std::uint32_t>(first_places.size());
            });
        });
        if (!finished) return {};
        phrases_by_length.push_back(static_cast<std::uint32_t>(first_places.size() - before));
    }
    return first_places;
}

namespace {

void sort_and_count(std::vector<std::uint64_t>& keys, std::vector<PairCount>& counts) {
    std::sort(keys.begin(), keys.end());
    for (std::size_t k = 0; k < keys.size();) {
        std::size_t end = k + 1;
        while (end < keys.size() && keys[end] == keys[k]) ++end;
        counts.push_back({static_cast<std::uint32_t>(keys[k] >> 32), static_cast<std::uint32_t>(keys[k]),
                          static_cast<std::uint32_t>(end - k)});
        k = end;
    }
}

std::mutex adding;  // to counts that several calls share

}  // namespace

std::vector<PairCount> extract_pairs(View<std::uint64_t> first_starts, View<std::uint64_t> second_starts,
                                     const PhraseNumbers& first, const PhraseNumbers& second, View<std::uint16_t> links,
                                     View<std::uint64_t> link_starts, std::size_t begin, std::size_t end,
                                     std::uint32_t* first_counts, std::size_t first_phrases,
                                     std::uint32_t* second_counts, std::size_t second_phrases) {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> first_found, second_found;
    struct Span {
        std::size_t low, high;  // of the words that a word is linked to; low > high: none
    };
    std::vector<Span> from_first, from_second;
    for (std::size_t s = begin; s < end; ++s) {
        const std::size_t n = first_starts[s + 1] - first_starts[s], m = second_starts[s + 1] - second_starts[s];
        const Span none{m + n + 1, 0};
        from_first.assign(n, none);
        from_second.assign(m, none);
        for (std::uint64_t k = link_starts[s]; k < link_starts[s + 1]; ++k) {
            const std::size_t i = links[2 * k], j = links[2 * k + 1];
            if (i >= n || j >= m) throw std::invalid_argument("a link points outside of its sentences");
            from_first[i] = {std::min(from_first[i].low, j), std::max(from_first[i].high, j)};
            from_second[j] = {std::min(from_second[j].low, i), std::max(from_second[j].high, i)};
        }
        const auto linked = [](const Span& span) { return span.low <= span.high; };
        for (std::size_t j = 0; j < m; ++j) {
            Span span = none;  // in the first sentence
            for (std::size_t last = j; last < m && last < j + second.longest; ++last) {
                span = {std::min(span.low, from_second[last].low), std::max(span.high, from_second[last].high)};
                if (!linked(span) || span.high - span.low >= first.longest) continue;
                bool consistent = true;
                for (std::size_t i = span.low; consistent && i <= span.high; ++i) {
                    consistent = !linked(from_first[i]) || (from_first[i].low >= j && from_first[i].high <= last);
                }
                if (!consistent) continue;
                const std::uint32_t second_number = second(second_starts[s] + j, last - j + 1);
                for (std::size_t low = span.low;; --low) {
                    for (std::size_t high = span.high; high < n && high - low < first.longest; ++high) {
                        if (high > span.high && linked(from_first[high])) break;
                        const std::uint32_t first_number = first(first_starts[s] + low, high - low + 1);
                        if (first_number) first_found.push_back(first_number);
                        if (second_number) second_found.push_back(second_number);
                        if (first_number && second_number) {
                            keys.push_back(static_cast<std::uint64_t>(first_number) << 32 | second_number);
                        }
                    }
                    if (low == 0 || linked(from_first[low - 1]) || span.high - (low - 1) >= first.longest) break;
                }
            }
        }
    }
    const auto in_range = [](const std::vector<std::uint32_t>& found, std::size_t phrases) {
        return std::all_of(found.begin(), found.end(), [&](std::uint32_t number) { return number <= phrases; });
    };
    if (!in_range(first_found, first_phrases) || !in_range(second_found, second_phrases)) {
        throw std::invalid_argument("a phrase has a number that is too large");
    }
    std::vector<PairCount> counts;
    sort_and_count(keys, counts);
    const std::lock_guard<std::mutex> lock(adding);
    for (const std::uint32_t number : first_found) ++first_counts[number];
    for (const std::uint32_t number : second_found) ++second_counts[number];
    return counts;
}

void merge_runs(const std::vector<View<PairCount>>& runs,
                const std::function<void(const std::vector<PairCount>&)>& write) {
    constexpr std::size_t BLOCK = 1 << 16;
    using Head = std::pair<std::uint64_t, std::size_t>;  // pair, run
    const auto key = [](const PairCount& pair) { return static_cast<std::uint64_t>(pair.first) << 32 | pair.second; };
    std::priority_queue<Head, std::vector<Head>, std::greater<Head>> heads;
    std::vector<std::size_t> next(runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) {
        if (runs[run].size) heads.push({key(runs[run][0]), run});
    }
    std::vector<PairCount> block;
    while (!heads.empty()) {
        const auto [pair, run] = heads.top();
        heads.pop();
        const PairCount& found = runs[run][next[run]++];
        if (!block.empty() && key(block.back()) == pair) {
            block.back().count += found.count;
        } else {
            if (block.size() >= BLOCK) {
                write(block);
                block.clear();
            }
            block.push_back(found);
        }
        if (next[run] < runs[run].size) heads.push({key(runs[run][next[run]]), run});
    }
    if (!block.empty()) write(block);
}

}  // namespace meteor::bitext
