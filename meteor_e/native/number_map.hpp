// A small map from numbers to numbers.
#pragma once

#include <vector>

#include "common.hpp"

namespace meteor {

class NumberMap {
    struct Slot;

public:
    static constexpr std::uint32_t ABSENT = 0xFFFFFFFFu;

    // The number of a key, in the order of their insertion; the key is inserted if it is not there.
    std::uint32_t number(std::uint32_t key) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow();
        Slot& slot = slots_[slot_of(key)];
        if (slot.number == ABSENT) slot = {key, size_++};
        return slot.number;
    }
    std::uint32_t find(std::uint32_t key) const { return size_ ? slots_[slot_of(key)].number : ABSENT; }
    std::uint32_t size() const { return size_; }
    void clear() {
        if (size_) slots_.assign(slots_.size(), Slot{});
        size_ = 0;
    }
    const std::vector<Slot>& slots() const { return slots_; }

private:
    struct Slot {
        std::uint32_t key = 0, number = ABSENT;
    };

    std::size_t slot_of(std::uint32_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (key * 0x9E3779B1u >> 12) & mask;
        while (slots_[at].number != ABSENT && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> before(slots_.empty() ? 32 : 2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.number != ABSENT) slots_[slot_of(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::uint32_t size_ = 0;
};

}  // namespace meteor
