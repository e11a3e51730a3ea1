#include "synonym_index.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace meteor {

namespace {

// WordNet's suffix rules for nouns, verbs and adjectives. They are applied in this order.
constexpr std::pair<std::string_view, std::string_view> SUFFIX_RULES[] = {
    {"s", ""},    {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"},
    {"ies", "y"}, {"s", ""},    {"ies", "y"}, {"es", "e"},  {"es", ""},     {"ed", "e"},    {"ed", ""},
    {"ing", "e"}, {"ing", ""},  {"er", ""},   {"est", ""},  {"er", "e"},    {"est", "e"},
};

}  // namespace

SynonymIndex::SynonymIndex(WordTable words, Words synset_starts, Words synset_ids, Words base_starts, Words base_ids)
    : words_(std::move(words)),
      synset_starts_(synset_starts),
      synset_ids_(synset_ids),
      base_starts_(base_starts),
      base_ids_(base_ids) {
    const std::size_t rows = std::size_t{words_.size()} + 1;
    if (synset_starts.size() != rows || base_starts.size() != rows || synset_starts[rows - 1] != synset_ids.size() ||
        base_starts[rows - 1] != base_ids.size()) {
        throw DamagedIndex(words_.file(), "its synset table does not fit");
    }
}

Words SynonymIndex::row_of(Words starts, Words items, std::uint32_t word_id) const {
    const std::uint32_t start = starts[word_id], end = starts[word_id + 1];
    if (start > end || end > items.size()) throw DamagedIndex(words_.file(), "a synset lies outside it");
    return {items.data() + start, end - start};
}

Words SynonymIndex::synsets_of(const std::string& word) const {
    const auto id = words_.find(word);
    return id ? row_of(synset_starts_, synset_ids_, *id) : Words{};
}

// Applies the suffix rules, and returns the synsets of the first base form that has synsets.
Words SynonymIndex::synsets_of_regular_base(View<char32_t> form) const {
    const std::string word = utf8(form);
    if (form.size() <= 2 || word.ends_with("ss") || word.ends_with("ful")) return {};
    for (const auto& [suffix, replacement] : SUFFIX_RULES) {
        if (!word.ends_with(suffix)) continue;
        const Words synsets = synsets_of(word.substr(0, word.size() - suffix.size()).append(replacement));
        if (!synsets.empty()) return synsets;
    }
    return {};
}

void SynonymIndex::find_synsets(View<char32_t> word, std::vector<std::uint32_t>& synsets) const {
    synsets.clear();
    const auto add = [&synsets](Words ids) { synsets.insert(synsets.end(), ids.begin(), ids.end()); };
    Words bases;
    if (const auto id = words_.find(utf8(word))) {
        add(row_of(synset_starts_, synset_ids_, *id));
        bases = row_of(base_starts_, base_ids_, *id);
    }
    for (const std::uint32_t base : bases) add(synsets_of(words_.word(base)));
    if (bases.empty()) add(synsets_of_regular_base(word));
    std::ranges::sort(synsets);
    synsets.erase(std::unique(synsets.begin(), synsets.end()), synsets.end());
}

}  // namespace meteor
