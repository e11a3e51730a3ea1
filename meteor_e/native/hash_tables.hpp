// Hash tables that assign ids to numbers and strings.
#pragma once

#include <algorithm>
#include <vector>

#include "common.hpp"

namespace meteor {

// A hash table with open addressing, which maps hashes to the ids of items. The items are stored elsewhere, so the
// predicate `is_equal(id)` compares the item with an id to the item that is looked up.
class HashIndex {
    struct Slot;

public:
    static constexpr std::uint32_t ABSENT = 0xFFFFFFFFu;

    template <class IsEqual>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, const IsEqual& is_equal) const {
        const auto tag = static_cast<std::uint32_t>(hash);
        return size_ ? slots_[slot_of(tag, is_equal)].id : ABSENT;
    }
    // Returns the id of an item. If the table does not contain the item, it is inserted with the id `new_id`.
    template <class IsEqual>
    std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t new_id, const IsEqual& is_equal) {
        if (2 * size_ >= slots_.size()) grow();
        const auto tag = static_cast<std::uint32_t>(hash);
        Slot& slot = slots_[slot_of(tag, is_equal)];
        if (slot.id == ABSENT) {
            slot = {tag, new_id};
            ++size_;
        }
        return slot.id;
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
    void clear() noexcept {
        if (size_) std::ranges::fill(slots_, Slot{});
        size_ = 0;
    }
    [[nodiscard]] const std::vector<Slot>& slots() const noexcept { return slots_; }

private:
    struct Slot {
        std::uint32_t hash = 0, id = ABSENT;
    };

    template <class IsEqual>
    [[nodiscard]] std::size_t slot_of(std::uint32_t hash, const IsEqual& is_equal) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash & mask;
        for (; slots_[slot].id != ABSENT; slot = (slot + 1) & mask) {
            if (slots_[slot].hash == hash && is_equal(slots_[slot].id)) break;
        }
        return slot;
    }
    void grow() {
        std::vector<Slot> old_slots(std::max<std::size_t>(32, 2 * slots_.size()));
        old_slots.swap(slots_);
        for (const Slot& slot : old_slots) {
            if (slot.id != ABSENT) slots_[slot_of(slot.hash, [](std::uint32_t) { return false; })] = slot;
        }
    }

    std::vector<Slot> slots_;  // the size is a power of two, and at most half of the slots are used
    std::uint32_t size_ = 0;
};

// Assigns ids from 0 to numbers, in the order of their first appearance.
class IdMap {
public:
    static constexpr std::uint32_t ABSENT = HashIndex::ABSENT;

    std::uint32_t find_or_insert(std::uint32_t key) { return ids_.find_or_insert(hash(key), ids_.size(), is_equal); }
    [[nodiscard]] std::uint32_t find(std::uint32_t key) const { return ids_.find(hash(key), is_equal); }
    [[nodiscard]] std::uint32_t size() const noexcept { return ids_.size(); }
    void clear() noexcept { ids_.clear(); }
    [[nodiscard]] const auto& slots() const noexcept { return ids_.slots(); }

private:
    // Different keys never have the same hash, so only hashes are compared.
    static std::uint32_t hash(std::uint32_t key) noexcept { return key * 0x9E3779B1u ^ key * 0x9E3779B1u >> 15; }
    static bool is_equal(std::uint32_t) noexcept { return true; }

    HashIndex ids_;
};

// Stores distinct strings and assigns ids from 0 to them.
class StringTable {
    [[nodiscard]] auto equals(View<char32_t> string) const {
        return [this, string](std::uint32_t id) { return std::ranges::equal((*this)[id], string); };
    }

public:
    static constexpr std::uint32_t ABSENT = HashIndex::ABSENT;

    [[nodiscard]] static std::uint64_t hash(View<char32_t> string) noexcept {
        std::uint64_t value = string.size();
        for (const char32_t character : string) value = (value ^ character) * 0x9E3779B97F4A7C15ull;
        return mix_bits(value);
    }

    [[nodiscard]] std::uint32_t find(View<char32_t> string, std::uint64_t hash) const {
        return ids_.find(hash, equals(string));
    }
    std::uint32_t find_or_insert(View<char32_t> string, std::uint64_t hash) {
        const auto new_id = static_cast<std::uint32_t>(size());
        const std::uint32_t id = ids_.find_or_insert(hash, new_id, equals(string));
        if (id == new_id) {
            characters_.insert(characters_.end(), string.begin(), string.end());
            ends_.push_back(characters_.size());
        }
        return id;
    }
    std::uint32_t find_or_insert(View<char32_t> string) { return find_or_insert(string, hash(string)); }

    [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
    [[nodiscard]] View<char32_t> operator[](std::uint32_t id) const noexcept {
        const std::size_t start = id ? ends_[id - 1] : 0;
        return {characters_.data() + start, ends_[id] - start};
    }

private:
    std::vector<char32_t> characters_;
    std::vector<std::size_t> ends_;
    HashIndex ids_;
};

}  // namespace meteor
