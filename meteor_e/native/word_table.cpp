#include "word_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace meteor {

static const char DAMAGED[] = "its word table does not fit";

std::string utf8(View<char32_t> word) {
    std::string bytes;
    bytes.reserve(word.size());
    for (const char32_t c : word) {
        const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;  // bytes after the first
        constexpr std::uint8_t LEADS[] = {0, 0xC0, 0xE0, 0xF0};
        bytes.push_back(static_cast<char>(LEADS[more] | c >> 6 * more));
        for (int k = more; k-- > 0;) bytes.push_back(static_cast<char>(0x80 | (c >> 6 * k & 0x3F)));
    }
    return bytes;
}

std::uint32_t WordTable::hash(const std::string& word) {
    // Bit-reversed polynomial.
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> made{};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t value = byte;
            for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? 0xEDB88320u ^ (value >> 1) : value >> 1;
            made[byte] = value;
        }
        return made;
    }();
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const char c : word) crc = table[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF] ^ (crc >> 8);
    return ~crc;
}

WordTable::WordTable(std::string file, Words offsets, View<std::uint8_t> bytes, Words slots, std::uint32_t words,
                     std::uint32_t probes)
    : file_(std::move(file)), offsets_(offsets), bytes_(bytes), slots_(slots), words_(words), probes_(probes) {
    const bool power_of_two = std::has_single_bit(slots.size());
    if (offsets.size() != std::size_t{words} + 1 || offsets[words] != bytes.size() || !power_of_two ||
        slots.size() <= words || probes > slots.size()) {
        throw DamagedIndex(file_, DAMAGED);
    }
}

View<std::uint8_t> WordTable::bytes_of(std::uint32_t number) const {
    if (number >= words_) throw DamagedIndex(file_, DAMAGED);
    const std::uint32_t start = offsets_[number], end = offsets_[number + 1];
    if (start > end || end > bytes_.size()) throw DamagedIndex(file_, DAMAGED);
    return {bytes_.data() + start, end - start};
}

std::optional<std::uint32_t> WordTable::find(const std::string& word) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(word) & mask;
    for (std::uint32_t probe = 0; probe < probes_; ++probe, at = (at + 1) & mask) {
        const std::uint32_t slot = slots_[at];
        if (!slot) break;
        const auto byte = [](char character) { return static_cast<std::uint8_t>(character); };
        if (std::ranges::equal(bytes_of(slot - 1), word, {}, {}, byte)) return slot - 1;
    }
    return std::nullopt;
}

void WordTable::fetch(std::uint32_t hash, int step) const {
    const std::uint32_t* const slot = slots_.data() + (hash & (slots_.size() - 1));
    if (step == 0) {
        METEOR_PREFETCH(slot);
    } else if (*slot && *slot <= words_) {
        const std::uint32_t* const start = offsets_.data() + *slot - 1;
        if (step == 1) METEOR_PREFETCH(start);
        if (step == 2 && *start < bytes_.size()) METEOR_PREFETCH(bytes_.data() + *start);
    }
}

std::string WordTable::word(std::uint32_t number) const {
    const View<std::uint8_t> bytes = bytes_of(number);
    return std::string(bytes.begin(), bytes.end());
}

}  // namespace meteor
