// Distinct strings, numbered from 0.
#pragma once

#include <algorithm>
#include <vector>

#include "common.hpp"
#include "number_map.hpp"

namespace meteor {

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
