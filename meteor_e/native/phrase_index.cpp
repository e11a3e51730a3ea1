#include "phrase_index.hpp"

#include <utility>

namespace meteor {

namespace {
constexpr std::uint32_t FLAG_BITS = 2, FLAGS = 3;  // whether a node's phrase is a left or a right side
constexpr std::uint32_t MAX_WORDS = 1u << 30;      // a word and the flags share 32 bits
}  // namespace

PhraseIndex::PhraseIndex(WordTable words, Words nodes, Words entries, std::uint32_t starting_words,
                         std::uint32_t node_count)
    : words_(std::move(words)),
      nodes_(nodes),
      entries_(entries),
      starting_words_(starting_words),
      node_count_(node_count) {
    if (!node_count || nodes.size != 3 * (std::size_t{node_count} + 1) || starting_words >= node_count ||
        starting_words > words_.size() || words_.size() > MAX_WORDS || first_child(0) != 1 ||
        first_child(node_count) != node_count || first_entry(node_count) != entries.size) {
        throw DamagedIndex(words_.file(), "its phrase table does not fit");
    }
}

std::int32_t PhraseIndex::word_id(const std::string& word) const {
    const auto found = words_.find(word);
    return found ? static_cast<std::int32_t>(*found) : UNKNOWN;
}

std::uint32_t PhraseIndex::child(std::uint32_t node, std::uint32_t word) const {
    std::uint32_t low = first_child(node);
    const std::uint32_t high = first_child(node + 1);
    if (low >= high) return 0;
    if (high > node_count_) throw DamagedIndex(words_.file(), "a phrase in it leads nowhere");
    std::uint32_t count = high - low;
    const std::uint32_t wanted = word << FLAG_BITS;
    while (count > 0) {
        const std::uint32_t half = count / 2;
        if (word_of(low + half) < wanted) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low < high && word_of(low) >> FLAG_BITS == word ? low : 0;
}

void PhraseIndex::find(const std::vector<std::int32_t>& ids, StepMemory& memory, std::vector<PhraseHit>& hits) const {
    hits.clear();
    const std::uint32_t size = static_cast<std::uint32_t>(ids.size());
    for (std::uint32_t start = 0; start < size; ++start) {
        if (ids[start] < 0 || static_cast<std::uint32_t>(ids[start]) >= starting_words_) continue;
        // Nodes of one word follow from the word: the root's children are the words that begin a phrase.
        std::uint32_t node = static_cast<std::uint32_t>(ids[start]) + 1;
        for (std::uint32_t position = start + 1;; ++position) {
            if (word_of(node) & FLAGS) {
                hits.push_back({start, position - start, node});
                prefetch(node);
            }
            if (position == size || ids[position] < 0) break;
            const std::uint32_t word = static_cast<std::uint32_t>(ids[position]);
            StepMemory::Step& step = memory.of(node, word);
            if (step.node != node || step.word != word) step = {node, word, child(node, word)};
            node = step.child;
            if (!node) break;
        }
    }
}

Words PhraseIndex::paraphrases(std::uint32_t node) const {
    const std::uint32_t start = first_entry(node), end = first_entry(node + 1);
    if (start > end || end > entries_.size) throw DamagedIndex(words_.file(), "an entry lies outside it");
    return {entries_.data + start, end - start};
}

}  // namespace meteor
