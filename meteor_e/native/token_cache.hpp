// A cache that maps the tokens of raw text to word types.
#pragma once

#include <optional>
#include <vector>

#include "common.hpp"

namespace meteor {

// A token of up to 15 Latin-1 characters. A token is a part of a text between white space. The lowest byte of `head` is
// the first character, and the highest byte of `tail` is the kind of the character that follows the token.
struct RawToken {
    static constexpr std::size_t MAX_CHARACTERS = 15;

    std::uint64_t head = 0, tail = 0;

    [[nodiscard]] bool is_empty() const noexcept { return !head; }
    void set_following(char32_t character) noexcept { tail |= std::uint64_t{character} << 56; }
    bool operator==(const RawToken&) const = default;
};

// Reads the token at `start`, and returns its size. If the token is longer than MAX_CHARACTERS, the size is greater
// than MAX_CHARACTERS, and `token` is undefined.
[[nodiscard]] std::size_t read_raw_token(const std::uint8_t* start, const std::uint8_t* end, RawToken& token) noexcept;

// A hash table of limited size. It is cleared when it is full.
class TokenCache {
public:
    static constexpr std::size_t MAX_WORDS = 3;  // of a token

    [[nodiscard]] static std::uint64_t hash(RawToken token) noexcept {
        return mix_bits(mix_bits(token.head) * 0x9E3779B97F4A7C15ull ^ token.tail);
    }

    void prefetch(std::uint64_t hash) const noexcept {
        if (!slots_.empty()) METEOR_PREFETCH(&slots_[hash & (slots_.size() - 1)]);
    }
    [[nodiscard]] std::optional<Words> find(RawToken token, std::uint64_t hash) const;
    // Inserts a token that the cache does not contain.
    void insert(RawToken token, std::uint64_t hash, Words types);

private:
    struct Slot {
        RawToken token;  // empty if the slot is unused
        std::uint32_t count = 0;
        std::uint32_t types[MAX_WORDS] = {};
    };
    static constexpr std::size_t MIN_SLOTS = std::size_t{1} << 10, MAX_SLOTS = std::size_t{1} << 17;

    [[nodiscard]] std::size_t slot_of(RawToken token, std::uint64_t hash) const noexcept;
    void grow();

    std::vector<Slot> slots_;  // the size is a power of two, and at most half of the slots are used
    std::size_t used_slots_ = 0;
};

}  // namespace meteor
