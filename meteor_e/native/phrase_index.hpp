// A paraphrase table as a trie in a memory-mapped file (see docs/index-format.md).
#pragma once

#include <string>
#include <vector>

#include "common.hpp"
#include "word_table.hpp"

namespace meteor {

// A phrase of the table that occurs in a segment.
struct PhraseHit {
    std::uint32_t start;
    std::uint32_t length;
    std::uint32_t node;  // of the trie; identifies the phrase
};

// The id of a word in the table. The lowest bits are the flags of the phrase that consists of this word only.
struct PhraseWord {
    static constexpr std::uint32_t FLAG_BITS = 2, FLAGS = 3;  // whether a phrase is a left or a right side of an entry
    static constexpr std::uint32_t UNKNOWN = 0xFFFFFFFFu;     // no phrase contains the word

    std::uint32_t code = UNKNOWN;

    [[nodiscard]] bool is_known() const noexcept { return code != UNKNOWN; }
    [[nodiscard]] std::uint32_t id() const noexcept { return code >> FLAG_BITS; }
};

// A direct-mapped cache of steps through the trie, together with the buffers of PhraseIndex::find(). Most steps are
// repeated, and a binary search in a memory-mapped file is slow.
struct StepMemory {
    struct Step {
        std::uint32_t node = 0;   // 0 (the root) if the slot is unused
        std::uint32_t word = 0;   // with the flags of the child
        std::uint32_t child = 0;  // 0 if the node does not have a child for the word
    };

    [[nodiscard]] Step& slot_of(std::uint32_t node, std::uint32_t word) {
        if (steps.empty()) steps.resize(SLOTS);
        const std::uint64_t key = (std::uint64_t{node} << 32 | word) * 0x9E3779B97F4A7C15ull;
        return steps[key >> (64 - SLOT_BITS)];
    }

    // A path through the trie. The words of a segment from `start` on lead to its last node.
    struct Path {
        std::uint32_t start, node, word;
        Step* step;                // the step from the node with the word
        std::uint32_t low, count;  // the interval of the binary search
    };

    static constexpr int SLOT_BITS = 18;
    static constexpr std::size_t SLOTS = std::size_t{1} << SLOT_BITS;  // of 12 bytes
    std::vector<Step> steps;
    std::vector<Path> paths;
    std::vector<std::uint32_t> new_paths;  // indexes of paths whose step is not cached
    std::vector<std::uint32_t> hit_starts;
    std::vector<PhraseHit> hits_by_length;
};

// The file may be damaged. If an index in it points outside of the file, DamagedIndex is thrown.
class PhraseIndex {
public:
    PhraseIndex(WordTable words, Words nodes, Words entries, std::uint32_t starting_words, std::uint32_t node_count);

    [[nodiscard]] const WordTable& words() const noexcept { return words_; }
    [[nodiscard]] PhraseWord word(const std::string& word) const;

    // Finds all phrases of the table in a segment, sorted by position and then by length.
    void find(const std::vector<PhraseWord>& words, StepMemory& memory, std::vector<PhraseHit>& hits) const;

    // The phrases that the table pairs with a phrase, in table order.
    [[nodiscard]] Words paraphrases(std::uint32_t node) const;

    // Prefetch the memory that paraphrases() reads: first the node, then the entries.
    void prefetch(std::uint32_t node) const noexcept { METEOR_PREFETCH(&nodes_[NODE_SIZE * node + 2]); }
    void prefetch_entries(std::uint32_t node) const noexcept {
        const std::uint32_t entry = first_entry(node);
        if (entry < entries_.size()) METEOR_PREFETCH(&entries_[entry]);
    }

private:
    static constexpr std::size_t NODE_SIZE = 3;  // word and flags, first child, first entry

    [[nodiscard]] std::uint32_t word_of(std::uint32_t node) const noexcept { return nodes_[NODE_SIZE * node]; }
    [[nodiscard]] std::uint32_t first_child(std::uint32_t node) const noexcept { return nodes_[NODE_SIZE * node + 1]; }
    [[nodiscard]] std::uint32_t first_entry(std::uint32_t node) const noexcept { return nodes_[NODE_SIZE * node + 2]; }
    void start_paths(const std::vector<PhraseWord>& words, StepMemory& memory) const;
    void extend_paths(const std::vector<PhraseWord>& words, std::uint32_t length, StepMemory& memory) const;
    void search_new_steps(StepMemory& memory) const;
    [[nodiscard]] bool start_binary_searches(StepMemory& memory) const;

    WordTable words_;
    Words nodes_;
    Words entries_;
    std::uint32_t starting_words_;  // the words with lower ids can start a phrase
    std::uint32_t node_count_;
};

}  // namespace meteor
