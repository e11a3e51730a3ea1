#include "phrase_index.hpp"

#include <functional>
#include <utility>

namespace meteor {

namespace {

constexpr std::uint32_t FLAG_BITS = PhraseWord::FLAG_BITS, FLAGS = PhraseWord::FLAGS;
constexpr std::uint32_t MAX_WORDS = 1u << 30;  // the id of a word and the flags share 32 bits

}  // namespace

PhraseIndex::PhraseIndex(WordTable words, Words nodes, Words entries, std::uint32_t starting_words,
                         std::uint32_t node_count)
    : words_(std::move(words)),
      nodes_(nodes),
      entries_(entries),
      starting_words_(starting_words),
      node_count_(node_count) {
    if (!node_count || nodes.size() != NODE_SIZE * (std::size_t{node_count} + 1) || starting_words >= node_count ||
        starting_words > words_.size() || words_.size() >= MAX_WORDS || first_child(0) != 1 ||
        first_child(node_count) != node_count || first_entry(node_count) != entries.size()) {
        throw DamagedIndex(words_.file(), "its phrase table does not fit");
    }
}

PhraseWord PhraseIndex::word(const std::string& word) const {
    const auto id = words_.find(word);
    if (!id) return {};
    // The children of the root node are the first words of all phrases, sorted by id.
    const std::uint32_t flags = *id < starting_words_ ? word_of(*id + 1) & FLAGS : 0;
    return {*id << FLAG_BITS | flags};
}

// Each round extends all phrases by one word, so that the memory accesses of different phrases overlap.
void PhraseIndex::find(const std::vector<PhraseWord>& words, StepMemory& memory, std::vector<PhraseHit>& hits) const {
    memory.hits_by_length.clear();
    start_paths(words, memory);
    for (std::uint32_t length = 1; !memory.paths.empty(); ++length) extend_paths(words, length, memory);
    memory.hit_starts.assign(1, 0);
    hits.clear();
    append_by_key(
        memory.hits_by_length, words.size(), [](const PhraseHit& hit) { return hit.start; }, std::identity(),
        memory.hit_starts, hits);
}

void PhraseIndex::start_paths(const std::vector<PhraseWord>& words, StepMemory& memory) const {
    memory.paths.clear();
    for (std::uint32_t start = 0; start < words.size(); ++start) {
        if (!words[start].is_known() || words[start].id() >= starting_words_) continue;
        const std::uint32_t node = words[start].id() + 1;
        if (words[start].code & FLAGS) {
            memory.hits_by_length.push_back({start, 1, node});
            prefetch(node);
        }
        memory.paths.push_back({start, node, 0, nullptr, 0, 0});
    }
}

// Extends all paths of `length` words by one word, and removes paths that the trie does not contain.
void PhraseIndex::extend_paths(const std::vector<PhraseWord>& words, std::uint32_t length, StepMemory& memory) const {
    auto& paths = memory.paths;
    std::size_t path_count = 0;
    for (StepMemory::Path path : paths) {
        const std::uint32_t position = path.start + length;
        if (position == words.size() || !words[position].is_known()) continue;
        path.word = words[position].id();
        path.step = &memory.slot_of(path.node, path.word);
        METEOR_PREFETCH(path.step);
        paths[path_count++] = path;
    }
    paths.resize(path_count);
    memory.new_paths.clear();
    for (std::uint32_t k = 0; k < paths.size(); ++k) {
        const StepMemory::Step& step = *paths[k].step;
        if (step.node == paths[k].node && step.word >> FLAG_BITS == paths[k].word) {
            paths[k].node = step.child;
            paths[k].word = step.word;
        } else {
            memory.new_paths.push_back(k);
            METEOR_PREFETCH(&nodes_[NODE_SIZE * paths[k].node + 1]);
        }
    }
    search_new_steps(memory);
    path_count = 0;
    for (const StepMemory::Path& path : paths) {
        if (!path.node) continue;
        if (path.word & FLAGS) {
            memory.hits_by_length.push_back({path.start, length + 1, path.node});
            prefetch(path.node);
        }
        paths[path_count++] = path;
    }
    paths.resize(path_count);
}

// Prepares a binary search among the children of each path's node. Returns whether a node has children.
bool PhraseIndex::start_binary_searches(StepMemory& memory) const {
    bool has_children = false;
    for (const std::uint32_t index : memory.new_paths) {
        StepMemory::Path& path = memory.paths[index];
        path.low = first_child(path.node);
        const std::uint32_t high = first_child(path.node + 1);
        path.count = high > path.low ? high - path.low : 0;
        if (!path.count) {
            path.low = 0;  // in a damaged file, it could point anywhere
            continue;
        }
        if (high > node_count_) throw DamagedIndex(words_.file(), "a phrase in it leads nowhere");
        METEOR_PREFETCH(&nodes_[NODE_SIZE * (path.low + path.count / 2)]);
        has_children = true;
    }
    return has_children;
}

// Looks up steps that are not cached by binary searches among the children of nodes. All searches run in parallel, so
// that their memory accesses overlap.
void PhraseIndex::search_new_steps(StepMemory& memory) const {
    bool is_open = start_binary_searches(memory);
    while (is_open) {
        is_open = false;
        for (const std::uint32_t index : memory.new_paths) {
            // An additional iteration does not change a finished search, and takes less time than a check.
            StepMemory::Path& path = memory.paths[index];
            const std::uint32_t half = path.count / 2, middle = path.low + half;
            // A mask of ones if the word comes later, or zeros. A branch would be mispredicted half of the time.
            const std::uint32_t is_later = 0u - ((path.count != 0) & (word_of(middle) < path.word << FLAG_BITS));
            path.low += is_later & (half + 1);
            path.count = half - (is_later & ~path.count & 1);
            METEOR_PREFETCH(&nodes_[NODE_SIZE * (path.low + path.count / 2)]);
            is_open |= path.count != 0;
        }
    }
    for (const std::uint32_t index : memory.new_paths) {
        StepMemory::Path& path = memory.paths[index];
        const bool has_child = path.low < first_child(path.node + 1) && word_of(path.low) >> FLAG_BITS == path.word;
        const std::uint32_t word = has_child ? word_of(path.low) : path.word << FLAG_BITS;
        *path.step = {path.node, word, has_child ? path.low : 0};
        path.node = path.step->child;
        path.word = path.step->word;
    }
}

Words PhraseIndex::paraphrases(std::uint32_t node) const {
    const std::uint32_t start = first_entry(node), end = first_entry(node + 1);
    if (start > end || end > entries_.size()) throw DamagedIndex(words_.file(), "an entry lies outside it");
    return {entries_.data() + start, end - start};
}

}  // namespace meteor
