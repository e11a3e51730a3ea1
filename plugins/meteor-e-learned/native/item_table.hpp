// A hash table of items that keep their addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace meteor::learned {

// Items are identified by the hashes of their keys, and by a predicate `is_equal(item)` that compares the key of an
// item with the key that is looked up.
template <class Item>
class ItemTable {
public:
    explicit ItemTable(std::size_t expected_size = 0) : slots_(slots_for(expected_size)) {}

    // Returns an item; if the table does not contain it, the result of `make` is inserted.
    template <class IsEqual, class Make>
    Item& find_or_insert(std::uint64_t hash, IsEqual is_equal, Make make) {
        const std::uint32_t tag = tag_of(hash);
        const std::size_t slot = slot_of(tag, is_equal);
        if (!slots_[slot].is_empty()) return items_[slots_[slot].index()];
        items_.push_back(make());
        slots_[slot] = {tag, static_cast<std::uint32_t>(items_.size())};
        if (4 * items_.size() > 3 * slots_.size()) grow();
        return items_.back();
    }
    // Returns an item, or null if the table does not contain it.
    template <class IsEqual>
    [[nodiscard]] const Item* find(std::uint64_t hash, IsEqual is_equal) const {
        const Slot slot = slots_[slot_of(tag_of(hash), is_equal)];
        return slot.is_empty() ? nullptr : &items_[slot.index()];
    }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

private:
    struct Slot {
        std::uint32_t tag, number;  // the number is the index of the item plus one, or 0 in an empty slot

        [[nodiscard]] bool is_empty() const noexcept { return number == 0; }
        [[nodiscard]] std::size_t index() const noexcept { return number - 1; }
    };

    [[nodiscard]] static std::size_t slots_for(std::size_t size) noexcept {
        std::size_t slots = std::size_t{1} << 12;
        while (3 * slots < 4 * size) slots *= 2;
        return slots;
    }
    [[nodiscard]] static std::uint32_t tag_of(std::uint64_t hash) noexcept {
        return static_cast<std::uint32_t>(hash ^ (hash >> 32));
    }
    template <class IsEqual>
    [[nodiscard]] std::size_t slot_of(std::uint32_t tag, IsEqual is_equal) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = tag & mask;
        for (; !slots_[slot].is_empty(); slot = (slot + 1) & mask) {
            if (slots_[slot].tag == tag && is_equal(items_[slots_[slot].index()])) break;
        }
        return slot;
    }
    void grow() {
        std::vector<Slot> old_slots(2 * slots_.size());
        old_slots.swap(slots_);
        for (const Slot& slot : old_slots) {
            if (!slot.is_empty()) slots_[slot_of(slot.tag, [](const Item&) { return false; })] = slot;
        }
    }

    std::vector<Slot> slots_;  // the size is a power of two
    std::deque<Item> items_;
};

}  // namespace meteor::learned
