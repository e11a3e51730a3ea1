#include "phrase_index.hpp"

#include <functional>
#include <utility>

namespace meteor {

constexpr std::uint32_t FLAG_BITS = PhraseWord::FLAG_BITS, FLAGS = PhraseWord::FLAGS;
constexpr std::uint32_t MAX_WORDS = 1u << 30;  // a word and the flags share 32 bits

PhraseIndex::PhraseIndex(WordTable words, Words nodes, Words entries, std::uint32_t starting_words,
                         std::uint32_t node_count)
    : words_(std::move(words)),
      nodes_(nodes),
      entries_(entries),
      starting_words_(starting_words),
      node_count_(node_count) {
    if (!node_count || nodes.size() != 3 * (std::size_t{node_count} + 1) || starting_words >= node_count ||
        starting_words > words_.size() || words_.size() >= MAX_WORDS || first_child(0) != 1 ||
        first_child(node_count) != node_count || first_entry(node_count) != entries.size()) {
        throw DamagedIndex(words_.file(), "its phrase table does not fit");
    }
}

PhraseWord PhraseIndex::word(const std::string& word) const {
    const auto found = words_.find(word);
    if (!found) return {};
    // Nodes of one word follow from the word: the root's children are the words that begin a phrase.
    return {*found << FLAG_BITS | (*found < starting_words_ ? word_of(*found + 1) & FLAGS : 0)};
}

// All phrases grow together, a word at a time: what is asked of memory for one is fetched while the others are asked.
void PhraseIndex::find(const std::vector<PhraseWord>& words, StepMemory& memory, std::vector<PhraseHit>& hits) const {
    auto& ways = memory.ways;
    auto& found = memory.found;
    const auto size = static_cast<std::uint32_t>(words.size());
    ways.clear();
    found.clear();
    for (std::uint32_t start = 0; start < size; ++start) {
        if (!words[start].known() || words[start].number() >= starting_words_) continue;
        const std::uint32_t node = words[start].number() + 1;
        if (words[start].code & FLAGS) {
            found.push_back({start, 1, node});
            prefetch(node);
        }
        ways.push_back({start, node, 0, nullptr, 0, 0});
    }
    for (std::uint32_t length = 1; !ways.empty(); ++length) {
        std::size_t going = 0;
        for (StepMemory::Way way : ways) {
            const std::uint32_t position = way.start + length;
            if (position == size || !words[position].known()) continue;
            way.word = words[position].number();
            way.step = &memory.of(way.node, way.word);
            METEOR_PREFETCH(way.step);
            ways[going++] = way;
        }
        ways.resize(going);
        memory.new_steps.clear();
        for (std::uint32_t k = 0; k < ways.size(); ++k) {
            const StepMemory::Step& step = *ways[k].step;
            if (step.node == ways[k].node && step.word >> FLAG_BITS == ways[k].word) {
                ways[k].node = step.child;
                ways[k].word = step.word;
            } else {
                memory.new_steps.push_back(k);
                METEOR_PREFETCH(&nodes_[std::size_t{3} * ways[k].node + 1]);
            }
        }
        take_new_steps(memory);
        going = 0;
        for (const StepMemory::Way& way : ways) {
            if (!way.node) continue;
            if (way.word & FLAGS) {
                found.push_back({way.start, length + 1, way.node});
                prefetch(way.node);
            }
            ways[going++] = way;
        }
        ways.resize(going);
    }
    memory.starts.assign(1, 0);
    hits.clear();
    append_by_key(found, size, [](const PhraseHit& hit) { return hit.start; }, std::identity(), memory.starts, hits);
}

// Looks steps up that are not remembered, by binary searches among the children of their nodes, side by side.
void PhraseIndex::take_new_steps(StepMemory& memory) const {
    bool open = false;
    for (const std::uint32_t number : memory.new_steps) {
        StepMemory::Way& way = memory.ways[number];
        way.low = first_child(way.node);
        const std::uint32_t high = first_child(way.node + 1);
        way.count = high > way.low ? high - way.low : 0;
        if (!way.count) {
            way.low = 0;  // which a damaged file can have anywhere
            continue;
        }
        if (high > node_count_) throw DamagedIndex(words_.file(), "a phrase in it leads nowhere");
        METEOR_PREFETCH(&nodes_[std::size_t{3} * (way.low + way.count / 2)]);
        open = true;
    }
    while (open) {
        open = false;
        for (const std::uint32_t number : memory.new_steps) {
            // A search that has ended stays as it is; to ask whether it has would take longer.
            StepMemory::Way& way = memory.ways[number];
            const std::uint32_t half = way.count / 2, middle = way.low + half;
            // All bits if the word comes later, else none: a branch would be guessed wrong every other time.
            const std::uint32_t later = 0u - ((way.count != 0) & (word_of(middle) < way.word << FLAG_BITS));
            way.low += later & (half + 1);
            way.count = half - (later & ~way.count & 1);
            METEOR_PREFETCH(&nodes_[std::size_t{3} * (way.low + way.count / 2)]);
            open |= way.count != 0;
        }
    }
    for (const std::uint32_t number : memory.new_steps) {
        StepMemory::Way& way = memory.ways[number];
        const bool found = way.low < first_child(way.node + 1) && word_of(way.low) >> FLAG_BITS == way.word;
        *way.step = {way.node, found ? word_of(way.low) : way.word << FLAG_BITS, found ? way.low : 0};
        way.node = way.step->child;
        way.word = way.step->word;
    }
}

Words PhraseIndex::paraphrases(std::uint32_t node) const {
    const std::uint32_t start = first_entry(node), end = first_entry(node + 1);
    if (start > end || end > entries_.size()) throw DamagedIndex(words_.file(), "an entry lies outside it");
    return {entries_.data() + start, end - start};
}

}  // namespace meteor
