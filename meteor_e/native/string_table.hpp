// Distinct strings, numbered from 0.
#pragma once

#include <string>
#include <vector>

#include "common.hpp"

namespace meteor {

class StringTable {
public:
    static constexpr std::uint32_t ABSENT = 0xFFFFFFFFu;

    static std::uint64_t hash(const char32_t* string, std::size_t size) {
        std::uint64_t value = size;
        for (std::size_t k = 0; k < size; ++k) value = (value ^ string[k]) * 0x9E3779B97F4A7C15ull;
        return mix(value);
    }

    std::uint32_t find(const char32_t* string, std::size_t size, std::uint64_t hash) const;
    std::uint32_t insert(const char32_t* string, std::size_t size, std::uint64_t hash);  // finds it if it is there
    std::uint32_t insert(const std::u32string& string) {
        return insert(string.data(), string.size(), hash(string.data(), string.size()));
    }

    std::size_t size() const { return ends_.size(); }
    View<char32_t> operator[](std::uint32_t number) const {
        const std::size_t start = number ? ends_[number - 1] : 0;
        return {characters_.data() + start, ends_[number] - start};
    }
    void clear();

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t number = ABSENT;
    };

    std::size_t slot_of(const char32_t* string, std::size_t size, std::uint64_t hash) const;
    void grow();

    std::vector<char32_t> characters_;
    std::vector<std::size_t> ends_;
    std::vector<Slot> slots_;  // a power of two of them, at most half in use
};

}  // namespace meteor
