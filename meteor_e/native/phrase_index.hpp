// The paraphrase table as a trie in a mapped file; see meteor_e/packs/paraphrases.py and docs/index-format.md.
#pragma once

#include <vector>

#include "common.hpp"
#include "word_table.hpp"

namespace meteor {

// A phrase of the table that stands in a segment.
struct PhraseHit {
    std::uint32_t start;
    std::uint32_t length;
    std::uint32_t node;  // the phrase's number
};

// Steps through the trie that were taken before: most repeat, and a binary search in a mapped file is slow.
class StepMemory {
public:
    struct Step {
        std::uint32_t node = 0, word = 0, child = 0;  // node 0, the root, is never stepped from
    };

    Step& of(std::uint32_t node, std::uint32_t word) {
        if (steps_.empty()) steps_.resize(SIZE);
        const std::uint64_t key = (std::uint64_t{node} << 32 | word) * 0x9E3779B97F4A7C15ull;
        return steps_[key >> (64 - SIZE_BITS)];
    }

private:
    static constexpr int SIZE_BITS = 18;
    static constexpr std::size_t SIZE = std::size_t{1} << SIZE_BITS;  // 12 bytes each
    std::vector<Step> steps_;
};

// Nothing in the file is trusted: what would lead outside it throws DamagedIndex.
class PhraseIndex {
public:
    static constexpr std::int32_t UNKNOWN = -1;

    PhraseIndex(WordTable words, Words nodes, Words entries, std::uint32_t starting_words, std::uint32_t node_count);

    // The number of a word, UNKNOWN if no phrase holds it.
    std::int32_t word_id(const std::string& word) const;

    // All phrases of the table in a segment, by position, shortest first. `ids` are the words' word_id().
    void find(const std::vector<std::int32_t>& ids, StepMemory& memory, std::vector<PhraseHit>& hits) const;

    // The phrases that the table pairs with a node, in table order.
    Words paraphrases(std::uint32_t node) const;

    // Hints that paraphrases() of a node will be asked for.
    void prefetch(std::uint32_t node) const { METEOR_PREFETCH(&nodes_[std::size_t{3} * node + 2]); }
    void prefetch_entries(std::uint32_t node) const {
        const std::uint32_t entry = first_entry(node);
        if (entry < entries_.size) METEOR_PREFETCH(&entries_[entry]);
    }

private:
    std::uint32_t word_of(std::uint32_t node) const { return nodes_[std::size_t{3} * node]; }
    std::uint32_t first_child(std::uint32_t node) const { return nodes_[std::size_t{3} * node + 1]; }
    std::uint32_t first_entry(std::uint32_t node) const { return nodes_[std::size_t{3} * node + 2]; }
    std::uint32_t child(std::uint32_t node, std::uint32_t word) const;  // 0: none

    WordTable words_;
    Words nodes_;  // three numbers a node: word and flags, first child, first entry
    Words entries_;
    std::uint32_t starting_words_, node_count_;
};

}  // namespace meteor
