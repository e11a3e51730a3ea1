// Hash tables that number things: whatever has a hash, numbers, strings.
#pragma once

#include <algorithm>
#include <vector>

#include "common.hpp"

namespace meteor {

// Numbers of items that are kept elsewhere, by a hash. `same` says whether the item of a number is the one looked for.
class HashedNumbers {
    struct Slot;

public:
    static constexpr std::uint32_t ABSENT = 0xFFFFFFFFu;

    template <class Same>
    std::uint32_t find(std::uint64_t hash, const Same& same) const {
        const auto tag = static_cast<std::uint32_t>(hash);
        return size_ ? slots_[slot_of(tag, same)].number : ABSENT;
    }
    // The number of an item that is there; one that is not gets `number`.
    template <class Same>
    std::uint32_t insert(std::uint64_t hash, std::uint32_t number, const Same& same) {
        if (2 * size_ >= slots_.size()) grow();
        const auto tag = static_cast<std::uint32_t>(hash);
        Slot& slot = slots_[slot_of(tag, same)];
        if (slot.number == ABSENT) {
            slot = {tag, number};
            ++size_;
        }
        return slot.number;
    }
    std::uint32_t size() const { return size_; }
    void clear() {
        if (size_) slots_.assign(slots_.size(), Slot{});
        size_ = 0;
    }
    const std::vector<Slot>& slots() const { return slots_; }

private:
    struct Slot {
        std::uint32_t hash = 0, number = ABSENT;
    };

    template <class Same>
    std::size_t slot_of(std::uint32_t hash, const Same& same) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (; slots_[at].number != ABSENT; at = (at + 1) & mask) {
            if (slots_[at].hash == hash && same(slots_[at].number)) break;
        }
        return at;
    }
    void grow() {
        std::vector<Slot> before(std::max<std::size_t>(32, 2 * slots_.size()));
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.number != ABSENT) slots_[slot_of(slot.hash, [](std::uint32_t) { return false; })] = slot;
        }
    }

    std::vector<Slot> slots_;  // a power of two of them, at most half in use
    std::uint32_t size_ = 0;
};

// Numbers keys in the order in which they come.
class NumberMap {
public:
    static constexpr std::uint32_t ABSENT = HashedNumbers::ABSENT;

    std::uint32_t number(std::uint32_t key) { return numbers_.insert(hash(key), numbers_.size(), same); }
    std::uint32_t find(std::uint32_t key) const { return numbers_.find(hash(key), same); }
    std::uint32_t size() const { return numbers_.size(); }
    void clear() { numbers_.clear(); }
    const auto& slots() const { return numbers_.slots(); }

private:
    // No two keys have one hash.
    static std::uint32_t hash(std::uint32_t key) { return key * 0x9E3779B1u ^ key * 0x9E3779B1u >> 15; }
    static bool same(std::uint32_t) { return true; }

    HashedNumbers numbers_;
};

// Numbers distinct strings, and keeps them.
class StringTable {
    auto same_as(View<char32_t> string) const {
        return [this, string](std::uint32_t number) { return std::ranges::equal((*this)[number], string); };
    }

public:
    static constexpr std::uint32_t ABSENT = HashedNumbers::ABSENT;

    static std::uint64_t hash(View<char32_t> string) {
        std::uint64_t value = string.size();
        for (const char32_t character : string) value = (value ^ character) * 0x9E3779B97F4A7C15ull;
        return mix(value);
    }

    std::uint32_t find(View<char32_t> string, std::uint64_t hash) const { return numbers_.find(hash, same_as(string)); }
    std::uint32_t insert(View<char32_t> string, std::uint64_t hash) {  // finds it if it is there
        const auto next = static_cast<std::uint32_t>(size());
        const std::uint32_t number = numbers_.insert(hash, next, same_as(string));
        if (number == next) {
            characters_.insert(characters_.end(), string.begin(), string.end());
            ends_.push_back(characters_.size());
        }
        return number;
    }
    std::uint32_t insert(View<char32_t> string) { return insert(string, hash(string)); }

    std::size_t size() const { return ends_.size(); }
    View<char32_t> operator[](std::uint32_t number) const {
        const std::size_t start = number ? ends_[number - 1] : 0;
        return {characters_.data() + start, ends_[number] - start};
    }

private:
    std::vector<char32_t> characters_;
    std::vector<std::size_t> ends_;
    HashedNumbers numbers_;
};

}  // namespace meteor
