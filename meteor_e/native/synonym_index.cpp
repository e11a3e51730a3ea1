#include "synonym_index.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace meteor {

namespace {

// WordNet's rules for nouns, verbs and adjectives, in the order in which they are tried.
constexpr std::pair<std::string_view, const char*> SUFFIXES[] = {
    {"s", ""},    {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"},
    {"ies", "y"}, {"s", ""},    {"ies", "y"}, {"es", "e"},  {"es", ""},     {"ed", "e"},    {"ed", ""},
    {"ing", "e"}, {"ing", ""},  {"er", ""},   {"est", ""},  {"er", "e"},    {"est", "e"},
};

}  // namespace

SynonymIndex::SynonymIndex(WordTable words, Words synset_start, Words synset_ids, Words base_start, Words base_ids)
    : words_(std::move(words)),
      synset_start_(synset_start),
      synset_ids_(synset_ids),
      base_start_(base_start),
      base_ids_(base_ids) {
    const std::size_t rows = std::size_t{words_.size()} + 1;
    if (synset_start.size() != rows || base_start.size() != rows || synset_start[rows - 1] != synset_ids.size() ||
        base_start[rows - 1] != base_ids.size()) {
        throw DamagedIndex(words_.file(), "its synset table does not fit");
    }
}

Words SynonymIndex::row(Words starts, Words data, std::uint32_t number) const {
    const std::uint32_t start = starts[number], end = starts[number + 1];
    if (start > end || end > data.size()) throw DamagedIndex(words_.file(), "a synset lies outside it");
    return {data.data() + start, end - start};
}

Words SynonymIndex::synsets_of(const std::string& word) const {
    const auto number = words_.find(word);
    return number ? row(synset_start_, synset_ids_, *number) : Words{};
}

Words SynonymIndex::regular(View<char32_t> form) const {
    const std::string word = utf8(form);
    if (form.size() <= 2 || word.ends_with("ss") || word.ends_with("ful")) return {};
    for (const auto& [suffix, replacement] : SUFFIXES) {
        if (!word.ends_with(suffix)) continue;
        const Words synsets = synsets_of(word.substr(0, word.size() - suffix.size()) + replacement);
        if (synsets.size()) return synsets;
    }
    return {};
}

void SynonymIndex::synsets(View<char32_t> form, std::vector<std::uint32_t>& found) const {
    found.clear();
    const auto add = [&found](Words synsets) { found.insert(found.end(), synsets.begin(), synsets.end()); };
    Words bases;
    if (const auto number = words_.find(utf8(form))) {
        add(row(synset_start_, synset_ids_, *number));
        bases = row(base_start_, base_ids_, *number);
    }
    for (const std::uint32_t base : bases) add(synsets_of(words_.word(base)));
    if (!bases.size()) add(regular(form));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace meteor
