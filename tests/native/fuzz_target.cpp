// Fuzz target for the tokenizer and the index readers, which do not need Python.
//
// With clang:  clang++ -std=c++20 -g -fsanitize=fuzzer,address,undefined -I meteor_e/native
//                  tests/native/fuzz_target.cpp meteor_e/native/{normalizer,word_table,phrase_index,
//                  synonym_index}.cpp -o fuzz && ./fuzz
// With g++:    the same command with -fsanitize=address,undefined and -DMETEOR_STANDALONE. Then ./fuzz ROUNDS SEED runs
//              a fixed number of random inputs, as in test_fuzz_target.py.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "hash_tables.hpp"
#include "normalizer.hpp"
#include "phrase_index.hpp"
#include "synonym_index.hpp"

namespace {

using namespace meteor;

// Reads bytes and numbers from the input of the fuzzer. After the end of the input, all bytes are 0.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    std::uint8_t byte() { return position_ < size_ ? data_[position_++] : std::uint8_t{0}; }
    std::uint32_t number() {
        std::uint32_t value = 0;
        for (int k = 0; k < 4; ++k) value = value << 8 | byte();
        // Small numbers are more likely to be valid offsets, so that more code is reached.
        return value & 0x80000000u ? value : value % 40;
    }
    std::vector<std::uint32_t> numbers(std::size_t count) {
        std::vector<std::uint32_t> values(count);
        for (auto& value : values) value = number();
        return values;
    }
    std::size_t remaining() const { return size_ - position_; }

private:
    const std::uint8_t* data_;
    std::size_t size_, position_ = 0;
};

char32_t keep_character(char32_t character) { return character; }

void tokenize(Input& input) {
    const Mode modes[] = {Mode::none, Mode::lower, Mode::full, Mode::no_punctuation};
    const Apostrophes styles[] = {Apostrophes::english, Apostrophes::french, Apostrophes::apart};
    const Normalizer normalizer(modes[input.byte() % 4], styles[input.byte() % 3], {U"Mr", U"a"}, {U"No"}, U"\u0410",
                                keep_character);
    const char32_t pool[] = U"ab D.,'`-\u2018\u201C\u2013\u00A0\u03A3\u0130 09OTMULI..''--\t\n";
    const std::size_t pool_size = sizeof pool / sizeof pool[0] - 1;
    std::vector<std::uint32_t> text;
    while (input.remaining()) {
        const std::uint8_t byte = input.byte();
        text.push_back(byte < 250 ? pool[byte % pool_size] : input.number() % 0x110000);
    }
    NormalizedText result;
    if (!normalizer.split_words({text.data(), text.size(), 4}, input.byte(), result)) return;
    StringTable table;
    for (const auto& [offset, size] : result.words) {
        if (!size || offset + size > result.characters.size()) __builtin_trap();
        const View<char32_t> word(result.characters.data() + offset, size);
        const std::uint64_t hash = StringTable::hash(word);
        if (table.find(word, hash) != StringTable::ABSENT && table.size() == 0) __builtin_trap();
        const std::uint32_t id = table.find_or_insert(word, hash);
        if (table.find(word, hash) != id) __builtin_trap();
        static_cast<void>(utf8(word));
    }
}

struct Table {
    std::vector<std::uint32_t> offsets, slots;
    std::vector<std::uint8_t> bytes;

    explicit Table(Input& input, std::uint32_t words) {
        offsets = input.numbers(words + 1);
        for (int k = input.byte() % 32; k > 0; --k) bytes.push_back("abs"[input.byte() % 3]);
        offsets.back() = static_cast<std::uint32_t>(bytes.size());
        slots = input.numbers(std::size_t{1} << (input.byte() % 6));
    }
    WordTable words(std::uint32_t count, std::uint32_t probes) const {
        return WordTable("fuzz", {offsets.data(), offsets.size()}, {bytes.data(), bytes.size()},
                         {slots.data(), slots.size()}, count, probes);
    }
};

void look_up_phrases(Input& input) {
    const std::uint32_t words = input.byte() % 16, nodes = 1 + input.byte() % 16;
    const Table table(input, words);
    std::vector<std::uint32_t> records = input.numbers(3 * (nodes + 1)), entries = input.numbers(input.byte() % 16);
    records[1] = 1;
    records[3 * nodes + 1] = nodes;
    records[3 * nodes + 2] = static_cast<std::uint32_t>(entries.size());
    const PhraseIndex index(table.words(words, input.byte() % 32), {records.data(), records.size()},
                            {entries.data(), entries.size()}, input.byte() % 16, nodes);
    std::vector<PhraseWord> segment = {index.word("a"), index.word("ab"), index.word("")};
    while (input.remaining() && segment.size() < 20) {
        // A word id of the table with random flags, or a word that is not in the table.
        const std::uint32_t id = input.byte() % (words + 1), flags = input.byte() & PhraseWord::FLAGS;
        segment.push_back(id == words ? PhraseWord() : PhraseWord{id << PhraseWord::FLAG_BITS | flags});
    }
    StepMemory memory;
    std::vector<PhraseHit> hits;
    index.find(segment, memory, hits);
    std::uint64_t sum = 0;
    for (const PhraseHit& hit : hits) {
        for (const std::uint32_t paraphrase : index.paraphrases(hit.node)) sum += paraphrase;
    }
    if (sum == 0xFFFFFFFFFFFFFFFFull) __builtin_trap();
}

void look_up_synonyms(Input& input) {
    const std::uint32_t words = input.byte() % 16;
    const Table table(input, words);
    std::vector<std::uint32_t> synset_start = input.numbers(words + 1), synset_ids = input.numbers(input.byte() % 16);
    std::vector<std::uint32_t> base_start = input.numbers(words + 1), base_ids = input.numbers(input.byte() % 16);
    synset_start.back() = static_cast<std::uint32_t>(synset_ids.size());
    base_start.back() = static_cast<std::uint32_t>(base_ids.size());
    const SynonymIndex index(table.words(words, input.byte() % 32), {synset_start.data(), synset_start.size()},
                             {synset_ids.data(), synset_ids.size()}, {base_start.data(), base_start.size()},
                             {base_ids.data(), base_ids.size()});
    std::vector<std::uint32_t> synsets;
    for (const std::u32string word : {U"a", U"abs", U"bas", U"", U"sasses", U"as"}) {
        index.find_synsets({word.data(), word.size()}, synsets);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    try {
        switch (input.byte() % 3) {
            case 0:
                tokenize(input);
                break;
            case 1:
                look_up_phrases(input);
                break;
            default:
                look_up_synonyms(input);
                break;
        }
    } catch (const DamagedIndex&) {
        // The readers report damaged indexes by this exception.
    }
    return 0;
}

#ifdef METEOR_STANDALONE
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 100000;
    std::mt19937 numbers(count > 2 ? static_cast<unsigned>(std::atol(arguments[2])) : 1);
    std::vector<std::uint8_t> data;
    for (long round = 0; round < rounds; ++round) {
        // Every second input is a slightly changed copy of the previous input.
        if (round % 2 || data.empty()) {
            data.resize(numbers() % 400);
            for (auto& byte : data) byte = static_cast<std::uint8_t>(numbers() % 4 ? numbers() % 8 : numbers());
        } else {
            for (unsigned k = numbers() % 6; k > 0; --k) {
                data[numbers() % data.size()] = static_cast<std::uint8_t>(numbers());
            }
        }
        LLVMFuzzerTestOneInput(data.data(), data.size());
    }
    std::printf("%ld rounds\n", rounds);
    return 0;
}
#endif
