// The paraphrase table as a trie in a mapped file; see meteor_e/packs/indexes.py and docs/index-format.md.
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

// A word as the table knows it: its number, and in the lowest bits the flags of the phrase that it is by itself.
struct PhraseWord {
    static constexpr std::uint32_t FLAG_BITS = 2, FLAGS = 3;  // whether a phrase is a left or a right side
    static constexpr std::uint32_t UNKNOWN = 0xFFFFFFFFu;     // no phrase holds the word

    std::uint32_t code = UNKNOWN;

    bool known() const { return code != UNKNOWN; }
    std::uint32_t number() const { return code >> FLAG_BITS; }
};

// Steps through the trie that were taken before: most repeat, and a binary search in a mapped file is slow.
struct StepMemory {
    struct Step {
        std::uint32_t node = 0;  // 0, the root, is never stepped from
        std::uint32_t word = 0;  // with the flags of the child
        std::uint32_t child = 0;
    };

    Step& of(std::uint32_t node, std::uint32_t word) {
        if (steps.empty()) steps.resize(SIZE);
        const std::uint64_t key = (std::uint64_t{node} << 32 | word) * 0x9E3779B97F4A7C15ull;
        return steps[key >> (64 - SIZE_BITS)];
    }

    // Words of a segment from `start` on, as far as they lead to a node.
    struct Way {
        std::uint32_t start, node, word;
        Step* step;  // that is taken from there
        std::uint32_t low, count;
    };

    static constexpr int SIZE_BITS = 18;
    static constexpr std::size_t SIZE = std::size_t{1} << SIZE_BITS;  // 12 bytes each
    std::vector<Step> steps;
    // For PhraseIndex::find, kept for their memory.
    std::vector<Way> ways;
    std::vector<std::uint32_t> new_steps, starts;
    std::vector<PhraseHit> found;
};

// Nothing in the file is trusted: what would lead outside it throws DamagedIndex.
class PhraseIndex {
public:
    PhraseIndex(WordTable words, Words nodes, Words entries, std::uint32_t starting_words, std::uint32_t node_count);

    const WordTable& words() const { return words_; }
    PhraseWord word(const std::string& word) const;

    // All phrases of the table in a segment, by position, shortest first.
    void find(const std::vector<PhraseWord>& words, StepMemory& memory, std::vector<PhraseHit>& hits) const;

    // The phrases that the table pairs with a node, in table order.
    Words paraphrases(std::uint32_t node) const;

    // Hints that paraphrases() of a node will be asked for.
    void prefetch(std::uint32_t node) const { METEOR_PREFETCH(&nodes_[std::size_t{3} * node + 2]); }
    void prefetch_entries(std::uint32_t node) const {
        const std::uint32_t entry = first_entry(node);
        if (entry < entries_.size()) METEOR_PREFETCH(&entries_[entry]);
    }

private:
    std::uint32_t word_of(std::uint32_t node) const { return nodes_[std::size_t{3} * node]; }
    std::uint32_t first_child(std::uint32_t node) const { return nodes_[std::size_t{3} * node + 1]; }
    std::uint32_t first_entry(std::uint32_t node) const { return nodes_[std::size_t{3} * node + 2]; }
    void take_new_steps(StepMemory& memory) const;

    WordTable words_;
    Words nodes_;  // three numbers a node: word and flags, first child, first entry
    Words entries_;
    std::uint32_t starting_words_, node_count_;
};

}  // namespace meteor
