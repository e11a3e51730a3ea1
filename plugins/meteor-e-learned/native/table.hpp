// A table of items by the hashes of their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace meteor::learned {

// Items by the hashes of their keys, close together in memory. Items stay where they are.
template <class Item>
class Table {
public:
    explicit Table(std::size_t expected = 0) : slots_(places_for(expected)) {}

    // The item of which `is` holds; a new one is what `make` returns.
    template <class Is, class Make>
    Item& item(std::uint64_t hash, Is is, Make make) {
        const std::uint32_t part = part_of(hash);
        const std::size_t at = place(part, is);
        if (slots_[at].number != 0) return items_[slots_[at].number - 1];
        items_.push_back(make());
        slots_[at] = {part, static_cast<std::uint32_t>(items_.size())};
        if (4 * items_.size() > 3 * slots_.size()) grow();
        return items_.back();
    }
    // The item of which `is` holds, or nothing.
    template <class Is>
    const Item* find(std::uint64_t hash, Is is) const {
        const Slot slot = slots_[place(part_of(hash), is)];
        return slot.number == 0 ? nullptr : &items_[slot.number - 1];
    }
    std::size_t size() const { return items_.size(); }

private:
    struct Slot {
        std::uint32_t hash, number;  // the number of the item from 1; 0 where nothing is
    };

    static std::size_t places_for(std::size_t items) {
        std::size_t places = std::size_t{1} << 12;
        while (3 * places < 4 * items) places *= 2;
        return places;
    }

    static std::uint32_t part_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }

    // The slot of an item, or the one for it.
    template <class Is>
    std::size_t place(std::uint32_t part, Is is) const {
        std::size_t at = part & (slots_.size() - 1);
        for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].hash == part && is(items_[slots_[at].number - 1])) break;
        }
        return at;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.number != 0) slots_[place(slot.hash, [](const Item&) { return false; })] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::deque<Item> items_;
};

}  // namespace meteor::learned
