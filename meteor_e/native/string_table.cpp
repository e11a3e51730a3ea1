#include "string_table.hpp"

#include <algorithm>

namespace meteor {

namespace {
constexpr std::size_t FIRST_SLOTS = 1024;
}

std::size_t StringTable::slot_of(const char32_t* string, std::size_t size, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    const std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32);
    for (;; at = (at + 1) & mask) {
        const Slot& slot = slots_[at];
        if (slot.number == ABSENT) return at;
        if (slot.hash != tag) continue;
        const View<char32_t> there = (*this)[slot.number];
        if (there.size() == size && std::equal(string, string + size, there.data())) return at;
    }
}

std::uint32_t StringTable::find(const char32_t* string, std::size_t size, std::uint64_t hash) const {
    return slots_.empty() ? ABSENT : slots_[slot_of(string, size, hash)].number;
}

std::uint32_t StringTable::insert(const char32_t* string, std::size_t size, std::uint64_t hash) {
    if (2 * ends_.size() >= slots_.size()) grow();
    Slot& slot = slots_[slot_of(string, size, hash)];
    if (slot.number == ABSENT) {
        characters_.insert(characters_.end(), string, string + size);
        slot.hash = static_cast<std::uint32_t>(hash >> 32);
        slot.number = static_cast<std::uint32_t>(ends_.size());
        ends_.push_back(characters_.size());
    }
    return slot.number;
}

void StringTable::grow() {
    std::vector<Slot> slots(std::max(FIRST_SLOTS, 2 * slots_.size()));
    const std::size_t mask = slots.size() - 1;
    for (std::uint32_t number = 0; number < ends_.size(); ++number) {
        const View<char32_t> string = (*this)[number];
        const std::uint64_t value = hash(string.data(), string.size());
        std::size_t at = value & mask;
        while (slots[at].number != ABSENT) at = (at + 1) & mask;
        slots[at].hash = static_cast<std::uint32_t>(value >> 32);
        slots[at].number = number;
    }
    slots_.swap(slots);
}

void StringTable::clear() {
    characters_.clear();
    ends_.clear();
    slots_.clear();
}

}  // namespace meteor
