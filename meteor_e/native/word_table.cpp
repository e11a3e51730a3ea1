#include "word_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace meteor {

namespace {

constexpr char DAMAGED[] = "its word table does not fit";

// A table with the CRC-32 of each byte, for the bit-reversed polynomial.
constexpr std::array<std::uint32_t, 256> CRC_TABLE = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? 0xEDB88320u ^ (value >> 1) : value >> 1;
        table[byte] = value;
    }
    return table;
}();

}  // namespace

std::string utf8(View<char32_t> word) {
    constexpr std::uint8_t LEAD_BYTES[] = {0, 0xC0, 0xE0, 0xF0};
    std::string bytes;
    bytes.reserve(word.size());
    for (const char32_t c : word) {
        const int continuation_bytes = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        bytes.push_back(static_cast<char>(LEAD_BYTES[continuation_bytes] | c >> 6 * continuation_bytes));
        for (int k = continuation_bytes; k-- > 0;) bytes.push_back(static_cast<char>(0x80 | (c >> 6 * k & 0x3F)));
    }
    return bytes;
}

std::uint32_t WordTable::hash(const std::string& word) noexcept {
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const char c : word) crc = CRC_TABLE[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF] ^ (crc >> 8);
    return ~crc;
}

WordTable::WordTable(std::string file, Words offsets, View<std::uint8_t> bytes, Words slots, std::uint32_t word_count,
                     std::uint32_t max_probes)
    : file_(std::move(file)),
      offsets_(offsets),
      bytes_(bytes),
      slots_(slots),
      word_count_(word_count),
      max_probes_(max_probes) {
    if (offsets.size() != std::size_t{word_count} + 1 || offsets[word_count] != bytes.size() ||
        !std::has_single_bit(slots.size()) || slots.size() <= word_count || max_probes > slots.size()) {
        throw DamagedIndex(file_, DAMAGED);
    }
}

View<std::uint8_t> WordTable::bytes_of(std::uint32_t id) const {
    if (id >= word_count_) throw DamagedIndex(file_, DAMAGED);
    const std::uint32_t start = offsets_[id], end = offsets_[id + 1];
    if (start > end || end > bytes_.size()) throw DamagedIndex(file_, DAMAGED);
    return {bytes_.data() + start, end - start};
}

// A slot holds the id of a word plus one, or 0 if it is unused.
std::optional<std::uint32_t> WordTable::find(const std::string& word) const {
    const auto to_byte = [](char character) { return static_cast<std::uint8_t>(character); };
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(word) & mask;
    for (std::uint32_t probe = 0; probe < max_probes_; ++probe, slot = (slot + 1) & mask) {
        if (!slots_[slot]) break;
        const std::uint32_t id = slots_[slot] - 1;
        if (std::ranges::equal(bytes_of(id), word, {}, {}, to_byte)) return id;
    }
    return std::nullopt;
}

void WordTable::prefetch(std::uint32_t hash, int step) const noexcept {
    const std::uint32_t* const slot = slots_.data() + (hash & (slots_.size() - 1));
    if (step == 0) {
        METEOR_PREFETCH(slot);
    } else if (*slot && *slot <= word_count_) {
        const std::uint32_t* const offset = offsets_.data() + *slot - 1;
        if (step == 1) METEOR_PREFETCH(offset);
        if (step == 2 && *offset < bytes_.size()) METEOR_PREFETCH(bytes_.data() + *offset);
    }
}

std::string WordTable::word(std::uint32_t id) const {
    const View<std::uint8_t> bytes = bytes_of(id);
    return std::string(bytes.begin(), bytes.end());
}

}  // namespace meteor
