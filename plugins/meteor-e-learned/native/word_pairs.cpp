#include "word_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace meteor::learned {

namespace {

std::uint64_t hash_of(std::string_view key) {
    std::uint64_t found = 0xCBF29CE484222325ull;
    for (const char character : key) found = (found ^ static_cast<unsigned char>(character)) * 0x100000001B3ull;
    return found ^ (found >> 29);
}

// The whole number at the end of a line, which the line is known to have.
double number_at(const char* digit) {
    std::uint64_t found = 0;
    for (; *digit >= '0' && *digit <= '9'; ++digit) found = 10 * found + static_cast<std::uint64_t>(*digit - '0');
    return static_cast<double>(found);
}

enum class Kind { letter, digit, other };

Kind kind_of(char character) {
    if (character >= 'a' && character <= 'z') return Kind::letter;
    return character >= '0' && character <= '9' ? Kind::digit : Kind::other;
}

// Sets `word` to the next run of letters or of digits at or after `at`, and `at` to its end; false if there is none.
bool next_word(std::string_view text, std::size_t& at, std::string_view& word) {
    while (at < text.size() && kind_of(text[at]) == Kind::other) ++at;
    if (at == text.size()) return false;
    const std::size_t start = at;
    const Kind kind = kind_of(text[start]);
    while (at < text.size() && kind_of(text[at]) == kind) ++at;
    word = text.substr(start, at - start);
    return true;
}

bool word_before(const HashedWord& one, const HashedWord& other) {
    return one.hash != other.hash ? one.hash < other.hash : one.text < other.text;
}

bool pair_before(const WordPair& one, const WordPair& other) {
    if (word_before(one.first, other.first)) return true;
    return !word_before(other.first, one.first) && word_before(one.second, other.second);
}

}  // namespace

CountTable::CountTable(std::string_view text) : text_(text) {
    if (text.size() >= 0xFFFFFFFFull) throw std::invalid_argument("a file of counts is too large");
    const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    std::size_t size = 16;
    while (size < lines + lines / 2) size *= 2;
    slots_.assign(size, 0);
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t tab = text.find('\t', start);
        std::size_t end = tab == std::string_view::npos ? text.size() : tab + 1;
        const std::size_t digits = end;
        while (end < text.size() && kind_of(text[end]) == Kind::digit) ++end;
        // A number at the end of the file would be read beyond it.
        const bool ended =
            end < text.size() && (text[end] == '\n' || (text[end] == '\r' && text.substr(end, 2) == "\r\n"));
        if (tab == std::string_view::npos || end == digits || end - digits > 18 || !ended ||
            text.substr(start, tab - start).find('\n') != std::string_view::npos) {
            throw std::invalid_argument("a file of counts has a line that is not a key, a tab and a whole number");
        }
        const std::string_view key = text.substr(start, tab - start);
        const std::uint64_t hash = hash_of(key);
        slots_[find(key, hash)] = (hash & 0xFFFFFFFF00000000ull) | (start + 1);
        start = end + (text[end] == '\r' ? 2 : 1);
    }
}

std::size_t CountTable::find(std::string_view key, std::uint64_t hash) const {
    std::size_t place = static_cast<std::size_t>(hash) & (slots_.size() - 1);
    for (; slots_[place] != 0; place = (place + 1) & (slots_.size() - 1)) {
        if ((slots_[place] ^ hash) >> 32) continue;
        const std::size_t start = static_cast<std::size_t>(slots_[place] & 0xFFFFFFFFull) - 1;
        // Every line has a tab after its key, which is in no key.
        if (text_.substr(start, key.size()) == key && text_[start + key.size()] == '\t') break;
    }
    return place;
}

double CountTable::count(std::string_view key, double missing) const {
    const Slot slot = slots_[find(key, hash_of(key))];
    if (slot == 0) return missing;
    return number_at(text_.data() + (slot & 0xFFFFFFFFull) - 1 + key.size() + 1);
}

PairedText::PairedText(std::string_view text) {
    std::string_view word;
    for (std::size_t at = 0; next_word(text, at, word);) words_.push_back({hash_of(word), word});
    for (std::size_t at = 1; at < words_.size(); ++at) pairs_.push_back({words_[at - 1], words_[at]});
}

void PairedText::prepare() {
    if (!sorted_words_.empty()) return;
    sorted_words_ = words_;
    std::sort(sorted_words_.begin(), sorted_words_.end(), word_before);
    sorted_pairs_ = pairs_;
    std::sort(sorted_pairs_.begin(), sorted_pairs_.end(), pair_before);
}

bool PairedText::has(const HashedWord& word) const {
    return std::binary_search(sorted_words_.begin(), sorted_words_.end(), word, word_before);
}

bool PairedText::has(const WordPair& pair) const {
    return std::binary_search(sorted_pairs_.begin(), sorted_pairs_.end(), pair, pair_before);
}

void PairedText::added(const std::vector<const PairedText*>& references, const PairLists& lists, double* result) const {
    std::size_t others = 0, unlisted = 0, moved = 0;
    double logarithms = 0, least = 0, associations = 0, moved_logarithms = 0, moved_least = 0;
    const auto known = [&references](const auto& what) {
        return std::any_of(references.begin(), references.end(),
                           [&what](const PairedText* reference) { return reference->has(what); });
    };
    std::string key;
    for (const WordPair& pair : pairs_) {
        if (known(pair)) continue;
        key.assign(pair.first.text).append(1, ' ').append(pair.second.text);
        const double together = lists.pairs.count(key, -1);
        const double alone = lists.words.count(pair.second.text, lists.settings.unlisted) / lists.settings.total;
        double logarithm;
        if (together >= 0) {
            const double probability = std::min(1.0, together / lists.words.count(pair.first.text, together));
            logarithm = std::log(probability);
            associations += std::min(lists.settings.strongest, std::log(probability / alone));
        } else {
            logarithm = std::log(lists.settings.back_off * alone);
            ++unlisted;
        }
        least = others++ == 0 ? logarithm : std::min(least, logarithm);
        logarithms += logarithm;
        if (known(pair.first) && known(pair.second)) {
            moved_least = moved++ == 0 ? logarithm : std::min(moved_least, logarithm);
            moved_logarithms += logarithm;
        }
    }
    const double count = static_cast<double>(std::max<std::size_t>(1, pairs_.size()));
    for (const double number :
         {logarithms / count, least, static_cast<double>(unlisted), associations / count,
          logarithms / static_cast<double>(std::max<std::size_t>(1, others)), moved_logarithms / count, moved_least}) {
        *result++ = number;
    }
}

}  // namespace meteor::learned
