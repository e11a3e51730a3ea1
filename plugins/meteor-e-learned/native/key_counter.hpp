// Counts of keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meteor::learned {

// A hash table that is cleared in constant time: a slot belongs to the current round, or it is empty. The id of a key
// is the index of its slot.
class KeyCounter {
public:
    // Removes all keys, and provides space for `key_count` new ones.
    void start(std::size_t key_count);

    // Returns the id of a key. A new key has a count of 0.
    std::int32_t find_or_insert(std::uint64_t key) noexcept {
        const std::size_t slot = slot_of(key);
        if (slots_[slot].round != round_) slots_[slot] = Slot{key, round_, 0, false};
        return static_cast<std::int32_t>(slot);
    }
    // Returns the id of a key, or -1 if it is not in the table.
    [[nodiscard]] std::int32_t find(std::uint64_t key) const noexcept {
        const std::size_t slot = slot_of(key);
        return slots_[slot].round == round_ ? static_cast<std::int32_t>(slot) : -1;
    }
    [[nodiscard]] std::int32_t& count(std::int32_t id) noexcept { return slots_[static_cast<std::size_t>(id)].count; }

    // Subtracts one from a count and marks the key as matched. Returns false if the count is 0.
    bool match(std::int32_t id) noexcept {
        Slot& slot = slots_[static_cast<std::size_t>(id)];
        slot.is_matched = true;
        const bool has_count = slot.count > 0;
        slot.count -= has_count;
        return has_count;
    }
    [[nodiscard]] bool is_matched(std::int32_t id) const noexcept {
        return slots_[static_cast<std::size_t>(id)].is_matched;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t round = 0;
        std::int32_t count = 0;
        bool is_matched = false;
    };

    [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
        const std::uint64_t hash = key * 0x9E3779B97F4A7C15ull;
        std::size_t slot = static_cast<std::size_t>(hash ^ (hash >> 32)) & mask_;
        while (slots_[slot].round == round_ && slots_[slot].key != key) slot = (slot + 1) & mask_;
        return slot;
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t round_ = 0;
};

}  // namespace meteor::learned
