#include "exchange.hpp"

#include <algorithm>
#include <vector>

namespace meteor::evaluation {
namespace {

// Samples that are counted side by side: as many numbers as one line of the cache holds.
template <class Number>
constexpr std::size_t lanes = 64 / sizeof(Number);

template <class Number>
struct alignas(64) Row {
    Number at[lanes<Number>] = {};
    void operator+=(const Row& other) {
        for (std::size_t lane = 0; lane < lanes<Number>; ++lane) {
            at[lane] = static_cast<Number>(at[lane] + other.at[lane]);
        }
    }
    void operator-=(const Row& other) {
        for (std::size_t lane = 0; lane < lanes<Number>; ++lane) {
            at[lane] = static_cast<Number>(at[lane] - other.at[lane]);
        }
    }
};

// For both metrics' scores of every unit, in some samples: all bits where the score is there, else none.
template <class Number>
std::vector<Row<Number>> presence(const Masks& masks, std::size_t start) {
    std::vector<Row<Number>> rows(2 * masks.units);
    const std::size_t used = std::min(lanes<Number>, masks.samples - start);
    for (std::size_t unit = 0; unit < masks.units; ++unit) {
        for (std::size_t lane = 0; lane < used; ++lane) {
            const bool moved = masks.rows[unit * masks.samples + start + lane] != 0;
            rows[2 * unit + (moved ? 1 : 0)].at[lane] = static_cast<Number>(~Number{0});
        }
    }
    return rows;
}

// A score in its order: its row of presence, and what people say of it.
struct Entry {
    std::uint32_t row;
    std::int32_t human;
};

std::vector<Entry> entries(const Joined& joined, const std::int32_t* human) {
    std::vector<Entry> found;
    found.reserve(2 * joined.count);
    for (std::size_t place = 0; place < 2 * joined.count; ++place) {
        const auto score = static_cast<std::size_t>(joined.order[place]);
        const bool second = score >= joined.count;
        const std::size_t rating = second ? score - joined.count : score;
        found.push_back({2 * static_cast<std::uint32_t>(joined.units[rating]) + (second ? 1u : 0u), human[rating]});
    }
    return found;
}

std::size_t end_of_ties(const Joined& joined, std::size_t start) {
    std::size_t end = start + 1;
    while (end < 2 * joined.count && !joined.fresh[end]) ++end;
    return end;
}

template <class Number>
class KendallBlock {
public:
    KendallBlock(const Joined& joined, const Masks& masks, std::size_t start, std::size_t size)
        : present_(presence<Number>(masks, start)), tree_(size + 1), most_(UINT32_MAX / joined.count) {}

    void count(const Joined& joined, const std::vector<Entry>& scores) {
        for (std::size_t first = 0; first < scores.size();) {
            const std::size_t end = end_of_ties(joined, first);
            for (std::size_t place = first; place < end; ++place) ask(scores[place]);
            if (end - first > 1) count_ties(&scores[first], end - first);
            for (std::size_t place = first; place < end; ++place) add(scores[place]);
            first = end;
        }
        flush();
    }

    void write(std::size_t used, std::size_t count, std::int64_t* result) const {
        for (std::size_t lane = 0; lane < used; ++lane) {
            std::int64_t* row = result + 4 * lane;
            row[0] = concordant_[lane];
            row[1] = ties_[lane];
            row[2] = both_[lane];
            row[3] = static_cast<std::int64_t>(count) - surplus_[lane];
        }
    }

private:
    static constexpr std::size_t width = lanes<Number>;

    // Scores below this one whose level is below its own.
    void ask(const Entry& entry) {
        Row<Number> below;
        for (auto node = static_cast<std::size_t>(entry.human); node > 0; node &= node - 1) below += tree_[node];
        const Row<Number>& here = present_[entry.row];
        for (std::size_t lane = 0; lane < width; ++lane) {
            recent_[lane] += static_cast<std::uint32_t>(below.at[lane] & here.at[lane]);
        }
        if (++asked_ == most_) flush();
    }

    // Presence has all bits set, which is -1.
    void add(const Entry& entry) {
        const Row<Number>& here = present_[entry.row];
        for (auto node = static_cast<std::size_t>(entry.human) + 1; node < tree_.size(); node += node & (~node + 1)) {
            tree_[node] -= here;
        }
    }

    void count_ties(const Entry* scores, std::size_t length) {
        Row<Number> tied;
        for (std::size_t first = 0; first < length;) {
            Row<Number> alike;
            std::size_t end = first;
            for (; end < length && scores[end].human == scores[first].human; ++end) alike -= present_[scores[end].row];
            if (end - first > 1) add_pairs(alike, both_);
            tied += alike;
            first = end;
        }
        add_pairs(tied, ties_);
        for (std::size_t lane = 0; lane < width; ++lane) surplus_[lane] += tied.at[lane] > 1 ? tied.at[lane] - 1 : 0;
    }

    static void add_pairs(const Row<Number>& counts, std::int64_t* pairs) {
        for (std::size_t lane = 0; lane < width; ++lane) {
            const std::int64_t count = counts.at[lane];
            pairs[lane] += count * (count - 1) / 2;
        }
    }

    void flush() {
        for (std::size_t lane = 0; lane < width; ++lane) {
            concordant_[lane] += recent_[lane];
            recent_[lane] = 0;
        }
        asked_ = 0;
    }

    std::vector<Row<Number>> present_, tree_;  // the latter a Fenwick tree over levels, of the scores so far
    std::uint32_t recent_[width] = {};         // of so many scores, which fit in 32 bits
    std::size_t asked_ = 0, most_;
    std::int64_t concordant_[width] = {}, ties_[width] = {}, both_[width] = {}, surplus_[width] = {};
};

template <class Number>
void kendall_blocks(const Joined& joined, const Masks& masks, const std::int32_t* levels, std::size_t size,
                    std::int64_t* result) {
    const std::vector<Entry> scores = entries(joined, levels);
    for (std::size_t start = 0; start < masks.samples; start += lanes<Number>) {
        KendallBlock<Number> block(joined, masks, start, size);
        block.count(joined, scores);
        block.write(std::min(lanes<Number>, masks.samples - start), joined.count, result + 4 * start);
    }
}

}  // namespace

void kendall(const Joined& joined, const Masks& masks, const std::int32_t* levels, std::size_t size,
             std::int64_t* result) {
    // Counts of fewer than 2^16 ratings fit in half the space.
    const bool small = joined.count < (std::size_t{1} << 16);
    (small ? kendall_blocks<std::uint16_t> : kendall_blocks<std::uint32_t>)(joined, masks, levels, size, result);
}

void spearman(const Joined& joined, const Masks& masks, const std::int32_t* weights, double* result) {
    using Number = std::int32_t;
    constexpr std::size_t width = lanes<Number>;
    // So many weights, times as many scores, fit in 32 bits together: 2^23 * 2^4 * 2^4.
    constexpr std::size_t most = 15;
    const std::vector<Entry> scores = entries(joined, weights);
    std::vector<std::size_t> starts;
    for (std::size_t first = 0; first < scores.size(); first = end_of_ties(joined, first)) starts.push_back(first);
    for (std::size_t start = 0; start < masks.samples; start += width) {
        const std::vector<Row<Number>> present = presence<Number>(masks, start);
        // From the highest score down, a score is counted with the weights above it.
        double above[width] = {}, sums[width] = {}, ties[width] = {};
        std::size_t end = scores.size();
        for (std::size_t group = starts.size(); group-- > 0;) {
            if (end - starts[group] > 1) {
                double weight[width] = {}, size[width] = {};
                for (std::size_t place = starts[group]; place < end; ++place) {
                    const Row<Number>& here = present[scores[place].row];
                    for (std::size_t lane = 0; lane < width; ++lane) {
                        weight[lane] += scores[place].human & here.at[lane];
                        size[lane] -= here.at[lane];
                    }
                }
                for (std::size_t lane = 0; lane < width; ++lane) {
                    sums[lane] += 2 * size[lane] * above[lane] + weight[lane] * (size[lane] - 1);
                    ties[lane] += size[lane] * size[lane] * size[lane] - size[lane];
                    above[lane] += weight[lane];
                }
                end = starts[group];
                continue;
            }
            std::size_t lowest = group;
            while (lowest > 0 && group - lowest + 1 < most && starts[lowest] - starts[lowest - 1] == 1) --lowest;
            Row<Number> weight, size, pairs;
            for (std::size_t place = end; place-- > starts[lowest];) {
                const Row<Number>& here = present[scores[place].row];
                const std::int32_t own = scores[place].human;
                for (std::size_t lane = 0; lane < width; ++lane) pairs.at[lane] += weight.at[lane] & here.at[lane];
                for (std::size_t lane = 0; lane < width; ++lane) weight.at[lane] += own & here.at[lane];
                size -= here;
            }
            for (std::size_t lane = 0; lane < width; ++lane) {
                sums[lane] += 2.0 * (pairs.at[lane] + size.at[lane] * above[lane]);
                above[lane] += weight.at[lane];
            }
            group = lowest;
            end = starts[lowest];
        }
        const std::size_t used = std::min(width, masks.samples - start);
        for (std::size_t lane = 0; lane < used; ++lane) {
            result[2 * (start + lane)] = sums[lane];
            result[2 * (start + lane) + 1] = ties[lane];
        }
    }
}

}  // namespace meteor::evaluation
