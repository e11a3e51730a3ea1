// The words of an index file and their numbers; see meteor_e/packs/indexes.py and docs/index-format.md.
#pragma once

#include <optional>
#include <string>

#include "common.hpp"

namespace meteor {

// UTF-8 of a word; a lone surrogate becomes three bytes, as Python's "surrogatepass" has it.
std::string utf8(View<char32_t> word);

class WordTable {
public:
    WordTable() = default;

    // Throws DamagedIndex if the sections do not fit each other. Nothing is copied: they must outlive the table.
    WordTable(std::string file, Words offsets, View<std::uint8_t> bytes, Words slots, std::uint32_t words,
              std::uint32_t probes);

    // CRC-32 of zlib, which says where in the table a word stands.
    static std::uint32_t hash(const std::string& word);

    std::optional<std::uint32_t> find(const std::string& word) const;
    // Fetches what find() will look at: at first the slot of a word, then where its bytes are, then these.
    static constexpr int FETCHES = 3;
    void fetch(std::uint32_t hash, int step) const;
    std::string word(std::uint32_t number) const;
    std::uint32_t size() const { return words_; }
    const std::string& file() const { return file_; }  // that the table stands in, for errors

private:
    View<std::uint8_t> bytes_of(std::uint32_t number) const;

    std::string file_;
    Words offsets_;
    View<std::uint8_t> bytes_;
    Words slots_;
    std::uint32_t words_ = 0;
    std::uint32_t probes_ = 0;
};

}  // namespace meteor
