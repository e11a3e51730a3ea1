// The synonym dictionary in a mapped file, and the synsets of a word; see meteor_e/packs/indexes.py and
// meteor_e/matchers/modules.py.
#pragma once

#include <vector>

#include "common.hpp"
#include "word_table.hpp"

namespace meteor {

class SynonymIndex {
public:
    SynonymIndex(WordTable words, Words synset_start, Words synset_ids, Words base_start, Words base_ids);

    const WordTable& words() const { return words_; }

    // The synsets of the word and of its base forms, each once.
    void synsets(View<char32_t> word, std::vector<std::uint32_t>& found) const;

private:
    Words row(Words starts, Words data, std::uint32_t number) const;
    Words synsets_of(const std::string& word) const;
    Words regular(View<char32_t> word) const;

    WordTable words_;
    Words synset_start_, synset_ids_, base_start_, base_ids_;
};

}  // namespace meteor
