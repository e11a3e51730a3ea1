#include "counting.hpp"

#include <algorithm>
#include <limits>

namespace meteor::learned {

namespace {

// Numbers keys from 0 in the order in which they come, and counts them. Emptied in no time.
class Numbers {
public:
    // Makes room for `count` keys, and forgets all.
    void start(std::size_t count) {
        std::size_t places = 16;
        while (places < 2 * count) places *= 2;
        if (places > slots_.size()) {
            slots_.assign(places, Slot{});
            round_ = 0;
        }
        // Few keys use the beginning only, which stays in the processor's cache.
        mask_ = places - 1;
        next();
        counts_.clear();
    }

    // The number of a key; a new one has the next number and a count of 0.
    std::int64_t number(std::uint64_t key) {
        Slot& slot = find(key);
        if (slot.round != round_) {
            slot = Slot{key, round_, static_cast<std::int32_t>(counts_.size())};
            counts_.push_back(0);
        }
        return slot.number;
    }

    // The number of a key, or -1 for one that is not there.
    std::int64_t known(std::uint64_t key) {
        const Slot& slot = find(key);
        return slot.round == round_ ? slot.number : -1;
    }

    std::int64_t& count(std::int64_t number) { return counts_[static_cast<std::size_t>(number)]; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t round = 0;
        std::int32_t number = 0;
    };

    void next() {
        if (round_ == std::numeric_limits<std::uint32_t>::max()) {
            std::fill(slots_.begin(), slots_.end(), Slot{});
            round_ = 0;
        }
        ++round_;
    }

    Slot& find(std::uint64_t key) {
        std::uint64_t mixed = key * 0x9E3779B97F4A7C15ull;
        std::size_t place = static_cast<std::size_t>(mixed ^ (mixed >> 32)) & mask_;
        while (slots_[place].round == round_ && slots_[place].key != key) place = (place + 1) & mask_;
        return slots_[place];
    }

    std::vector<Slot> slots_;
    std::vector<std::int64_t> counts_;
    std::size_t mask_ = 0;
    std::uint32_t round_ = 0;
};

// Numbers of two items, or of an n-gram and an item, as one key. Within a pair, numbers fit into 32 bits.
std::uint64_t joined(std::int64_t first, std::int64_t second) {
    return (static_cast<std::uint64_t>(first) << 32) | static_cast<std::uint64_t>(second);
}

// Takes one of a number's count, if any is left.
bool taken(Numbers& numbers, std::int64_t number) {
    if (number < 0 || numbers.count(number) == 0) return false;
    --numbers.count(number);
    return true;
}

}  // namespace

void common_ngrams(const Sequences& sequences, std::size_t longest, std::int64_t* result) {
    Numbers numbers;
    // The number of the n-gram that begins at each place of the reference and of the hypothesis, -1 for one that the
    // reference lacks; and the numbers of the single items.
    std::vector<std::int64_t> right, left, right_items, left_items;
    for (std::size_t pair = 0; pair < sequences.count; ++pair) {
        const std::int64_t* hypothesis = sequences.begin(pair);
        const std::int64_t* reference = sequences.begin(sequences.count + pair);
        right.assign(reference, reference + sequences.length(sequences.count + pair));
        left.assign(hypothesis, hypothesis + sequences.length(pair));
        std::int64_t* row = result + pair * longest;
        std::fill(row, row + longest, 0);
        for (std::size_t order = 1; order <= longest && !right.empty() && !left.empty(); ++order) {
            if (order > 1) {
                right.pop_back();
                left.pop_back();
            }
            numbers.start(right.size());
            for (std::size_t at = 0; at < right.size(); ++at) {
                const std::uint64_t key =
                    order == 1 ? static_cast<std::uint64_t>(right[at]) : joined(right[at], right_items[at + order - 1]);
                right[at] = numbers.number(key);
                ++numbers.count(right[at]);
            }
            for (std::size_t at = 0; at < left.size(); ++at) {
                if (order == 1) {
                    left[at] = numbers.known(static_cast<std::uint64_t>(left[at]));
                } else if (left[at] >= 0) {
                    // What the reference lacks is in no longer n-gram of it.
                    const std::int64_t item = left_items[at + order - 1];
                    left[at] = item < 0 ? -1 : numbers.known(joined(left[at], item));
                }
                row[order - 1] += taken(numbers, left[at]);
            }
            if (order == 1) {
                right_items = right;
                left_items = left;
            }
        }
    }
}

Tally tally(const Sequences& sequences, std::size_t size) {
    Tally result;
    std::vector<std::int64_t> left(size, 0), right(size, 0), found;
    for (std::size_t pair = 0; pair < sequences.count; ++pair) {
        found.clear();
        for (std::size_t side = 0; side < 2; ++side) {
            const std::size_t sequence = pair + side * sequences.count;
            const std::int64_t* items = sequences.begin(sequence);
            for (std::size_t at = 0; at < sequences.length(sequence); ++at) {
                const std::size_t item = static_cast<std::size_t>(items[at]);
                if (left[item] + right[item] == 0) found.push_back(items[at]);
                ++(side ? right : left)[item];
            }
        }
        std::sort(found.begin(), found.end());
        for (const std::int64_t item : found) {
            const std::size_t at = static_cast<std::size_t>(item);
            result.pair.push_back(static_cast<std::int64_t>(pair));
            result.item.push_back(item);
            result.left.push_back(left[at]);
            result.right.push_back(right[at]);
            left[at] = right[at] = 0;
        }
    }
    return result;
}

}  // namespace meteor::learned
