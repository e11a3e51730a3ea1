#include "token_cache.hpp"

#include <algorithm>
#include <cstring>

namespace meteor {

namespace {

constexpr std::uint64_t repeat_byte(std::uint64_t byte) noexcept { return byte * 0x0101010101010101ull; }

// Finds the first byte that can end a token: a space, a control character, or U+00A0. In the result, the highest bit of
// this byte is set. The higher bytes of the result are undefined.
std::uint64_t mark_token_end(std::uint64_t bytes) noexcept {
    const std::uint64_t without_spaces = bytes ^ repeat_byte(0xA0);
    const std::uint64_t controls = (bytes - repeat_byte(0x21)) & ~bytes;
    const std::uint64_t nonbreaking_spaces = (without_spaces - repeat_byte(1)) & ~without_spaces;
    return (controls | nonbreaking_spaces) & repeat_byte(0x80);
}

std::uint64_t read_little_endian(const std::uint8_t* bytes) noexcept {
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

std::uint64_t first_bytes(std::uint64_t value, std::size_t count) noexcept {
    return value & ((std::uint64_t{1} << 8 * count) - 1);
}

}  // namespace

std::size_t read_raw_token(const std::uint8_t* start, const std::uint8_t* end, RawToken& token) noexcept {
    std::uint8_t last_bytes[16] = {};
    const auto size = static_cast<std::size_t>(end - start);
    if (size < sizeof last_bytes) {
        std::memcpy(last_bytes, start, size);
        start = last_bytes;
    }
    token = {read_little_endian(start), read_little_endian(start + 8)};
    if (const std::uint64_t token_end = mark_token_end(token.head)) {
        const std::size_t length = static_cast<std::size_t>(std::countr_zero(token_end)) / 8;
        token = {first_bytes(token.head, length), 0};
        return length;
    }
    if (const std::uint64_t token_end = mark_token_end(token.tail)) {
        const std::size_t length = static_cast<std::size_t>(std::countr_zero(token_end)) / 8;
        token.tail = first_bytes(token.tail, length);
        return 8 + length;
    }
    return RawToken::MAX_CHARACTERS + 1;
}

std::size_t TokenCache::slot_of(RawToken token, std::uint64_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (!slots_[slot].token.is_empty() && slots_[slot].token != token) slot = (slot + 1) & mask;
    return slot;
}

std::optional<Words> TokenCache::find(RawToken token, std::uint64_t hash) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[slot_of(token, hash)];
    return slot.token.is_empty() ? std::nullopt : std::optional(Words(slot.types, slot.count));
}

void TokenCache::insert(RawToken token, std::uint64_t hash, Words types) {
    if (2 * used_slots_ >= slots_.size()) grow();
    Slot& slot = slots_[slot_of(token, hash)];
    slot.token = token;
    slot.count = static_cast<std::uint32_t>(types.size());
    std::ranges::copy(types, slot.types);
    ++used_slots_;
}

void TokenCache::grow() {
    if (slots_.size() == MAX_SLOTS) {
        slots_.clear();
        used_slots_ = 0;
    }
    std::vector<Slot> old_slots(std::max(MIN_SLOTS, 2 * slots_.size()));
    old_slots.swap(slots_);
    for (const Slot& slot : old_slots) {
        if (!slot.token.is_empty()) slots_[slot_of(slot.token, hash(slot.token))] = slot;
    }
}

}  // namespace meteor
