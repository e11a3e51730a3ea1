// A synonym dictionary in a memory-mapped file, which returns the synsets of a word (see meteor_e/packs/indexes.py and
// meteor_e/matchers/modules.py).
#pragma once

#include <string>
#include <vector>

#include "common.hpp"
#include "word_table.hpp"

namespace meteor {

// The file may be damaged. If an index in it points outside of the file, DamagedIndex is thrown.
class SynonymIndex {
public:
    SynonymIndex(WordTable words, Words synset_starts, Words synset_ids, Words base_starts, Words base_ids);

    [[nodiscard]] const WordTable& words() const noexcept { return words_; }

    // Sets `synsets` to the distinct synsets of a word and its base forms.
    void find_synsets(View<char32_t> word, std::vector<std::uint32_t>& synsets) const;

private:
    [[nodiscard]] Words row_of(Words starts, Words items, std::uint32_t word_id) const;
    [[nodiscard]] Words synsets_of(const std::string& word) const;
    [[nodiscard]] Words synsets_of_regular_base(View<char32_t> word) const;

    WordTable words_;
    Words synset_starts_, synset_ids_, base_starts_, base_ids_;
};

}  // namespace meteor
