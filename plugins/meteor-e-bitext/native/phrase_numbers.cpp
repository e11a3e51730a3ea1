#include "phrase_numbers.hpp"

#include <algorithm>
#include <utility>

namespace meteor::bitext {

namespace {

constexpr std::size_t REPORT_INTERVAL = std::size_t{1} << 20;  // in words

// Counts keys, and assigns ids to frequent keys.
class KeyCounter {
public:
    KeyCounter() : slots_(std::size_t{1} << 16) {}

    void add(std::uint64_t key) {
        if (2 * (used_slots_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[slot_of(key)];
        used_slots_ += slot.count == 0;
        slot.key = key;
        ++slot.count;
    }
    // Returns the id of a key, or 0 if its count is less than `min_count`. `make_id` creates the id at the first call
    // for the key.
    template <class MakeId>
    [[nodiscard]] std::uint32_t id_of(std::uint64_t key, std::uint32_t min_count, const MakeId& make_id) {
        Slot& slot = slots_[slot_of(key)];
        if (slot.count < min_count) return 0;
        if (!slot.id) slot.id = make_id();
        return slot.id;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t count = 0, id = 0;
    };

    [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = mix_bits(mix_bits(key)) & mask;
        while (slots_[slot].count && slots_[slot].key != key) slot = (slot + 1) & mask;
        return slot;
    }
    void grow() {
        std::vector<Slot> old_slots(slots_.size() * 2);
        old_slots.swap(slots_);
        for (const Slot& slot : old_slots) {
            if (slot.count) slots_[slot_of(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;  // at most half of the slots are used
    std::size_t used_slots_ = 0;
};

class PhraseNumberer {
public:
    PhraseNumberer(const Corpus& corpus, std::size_t max_length, std::uint32_t min_count, std::uint32_t* ids,
                   const PhraseProgress& progress)
        : corpus_(corpus),
          min_count_(min_count),
          ids_(ids),
          progress_(progress),
          total_(2 * max_length * corpus.words.size()) {}

    // Assigns ids to the phrases of one length, after those of all shorter lengths. Returns false if it was
    // interrupted.
    [[nodiscard]] bool number_length(std::size_t length) {
        std::uint32_t* const row = ids_ + (length - 1) * corpus_.words.size();
        const std::size_t old_count = result_.first_positions.size();
        KeyCounter counter;
        if (!visit_candidates(length, [&](std::size_t, std::uint64_t key) { counter.add(key); })) return false;
        const bool is_complete = visit_candidates(length, [&](std::size_t word, std::uint64_t key) {
            row[word] = counter.id_of(key, min_count_, [&] {
                result_.first_positions.push_back(static_cast<std::uint32_t>(word));
                return static_cast<std::uint32_t>(result_.first_positions.size());
            });
        });
        result_.count_by_length.push_back(static_cast<std::uint32_t>(result_.first_positions.size() - old_count));
        return is_complete;
    }
    [[nodiscard]] PhraseCounts& result() noexcept { return result_; }

private:
    // Calls `visit(word, key)` with the first word and the key of each phrase that may be frequent. A phrase is at most
    // as frequent as its parts, so it may be frequent only if it starts and ends with a frequent phrase that is one
    // word shorter.
    template <class Visit>
    [[nodiscard]] bool visit_candidates(std::size_t length, const Visit& visit) {
        const std::uint32_t* const shorter = length > 1 ? ids_ + (length - 2) * corpus_.words.size() : nullptr;
        for (std::size_t s = 0; s < corpus_.sentence_count(); ++s) {
            const std::size_t start = corpus_.starts[s], end = corpus_.starts[s + 1];
            completed_ += end - start;
            if (completed_ - last_report_ > REPORT_INTERVAL) {
                if (!progress_(completed_, total_)) return false;
                last_report_ = completed_;
            }
            for (std::size_t word = start; word + length <= end; ++word) {
                if (length == 1) {
                    visit(word, make_key(corpus_.words[word], 0));
                } else if (shorter[word] && shorter[word + 1]) {
                    visit(word, make_key(shorter[word], shorter[word + 1]));
                }
            }
        }
        return true;
    }
    [[nodiscard]] static std::uint64_t make_key(std::uint32_t high, std::uint32_t low) noexcept {
        return std::uint64_t{high} << 32 | low;
    }

    const Corpus& corpus_;
    std::uint32_t min_count_;
    std::uint32_t* ids_;
    const PhraseProgress& progress_;
    std::size_t total_, completed_ = 0, last_report_ = 0;
    PhraseCounts result_;
};

}  // namespace

PhraseCounts number_phrases(const Corpus& corpus, std::size_t max_length, std::uint32_t min_count, std::uint32_t* ids,
                            const PhraseProgress& progress) {
    std::fill(ids, ids + max_length * corpus.words.size(), 0);
    PhraseNumberer numberer(corpus, max_length, min_count, ids, progress);
    for (std::size_t length = 1; length <= max_length; ++length) {
        if (!numberer.number_length(length)) return {};
    }
    return std::move(numberer.result());
}

}  // namespace meteor::bitext
