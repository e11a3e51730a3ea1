// The words of an index file with their ids (see docs/index-format.md).
#pragma once

#include <optional>
#include <string>

#include "common.hpp"

namespace meteor {

// Encodes a word in UTF-8. A lone surrogate becomes three bytes, as with Python's error handler "surrogatepass".
[[nodiscard]] std::string utf8(View<char32_t> word);

// The file may be damaged. If an index in it points outside of the file, DamagedIndex is thrown.

class WordTable {
public:
    WordTable() = default;

    // Throws DamagedIndex if the sections are inconsistent. The table does not copy them, so they must outlive it.
    WordTable(std::string file, Words offsets, View<std::uint8_t> bytes, Words slots, std::uint32_t word_count,
              std::uint32_t max_probes);

    // The CRC-32 of a word as in zlib. It determines the slot of the word.
    [[nodiscard]] static std::uint32_t hash(const std::string& word) noexcept;

    [[nodiscard]] std::optional<std::uint32_t> find(const std::string& word) const;
    // Prefetches the memory that find() reads: the slot of the word in step 0, the offset of its bytes in step 1, and
    // its bytes in step 2. Each step reads the memory that the previous step has prefetched.
    static constexpr int PREFETCH_STEPS = 3;
    void prefetch(std::uint32_t hash, int step) const noexcept;

    [[nodiscard]] std::string word(std::uint32_t id) const;
    [[nodiscard]] std::uint32_t size() const noexcept { return word_count_; }
    [[nodiscard]] const std::string& file() const noexcept { return file_; }  // for error messages

private:
    [[nodiscard]] View<std::uint8_t> bytes_of(std::uint32_t id) const;

    std::string file_;
    Words offsets_;
    View<std::uint8_t> bytes_;
    Words slots_;
    std::uint32_t word_count_ = 0;
    std::uint32_t max_probes_ = 0;
};

}  // namespace meteor
