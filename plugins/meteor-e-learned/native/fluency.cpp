#include "fluency.hpp"

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

bool pair_before(const WordPair* one, const WordPair* other) {
    if (word_before(one->first, other->first)) return true;
    return !word_before(other->first, one->first) && word_before(one->second, other->second);
}

// Sums over some pairs of a text.
struct Sums {
    std::size_t count = 0, listed = 0;
    double logarithm = 0, least = 0, association = 0;

    void add(const WordPair& pair) {
        least = count == 0 ? pair.logarithm : std::min(least, pair.logarithm);
        logarithm += pair.logarithm;
        association += pair.association;
        listed += pair.listed;
        ++count;
    }
};

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

PairedText::PairedText(std::string_view text, const CountTable& words, const CountTable& pairs,
                       const FluencySettings& settings) {
    std::string_view word;
    for (std::size_t at = 0; next_word(text, at, word);) words_.push_back({hash_of(word), word});
    if (words_.empty()) return;
    pairs_.reserve(words_.size() - 1);
    std::string key;
    // How often the word before occurs; below 0 if it is not listed.
    double before = words.count(words_[0].text, -1);
    for (std::size_t at = 1; at < words_.size(); ++at) {
        key.assign(words_[at - 1].text).append(1, ' ').append(words_[at].text);
        const double together = pairs.count(key, -1), found = words.count(words_[at].text, -1);
        const double alone = (found < 0 ? settings.unlisted : found) / settings.total;
        WordPair pair{words_[at - 1], words_[at], 0, 0, together >= 0};
        if (pair.listed) {
            const double probability = before < 0 ? 1.0 : std::min(1.0, together / before);
            pair.logarithm = std::log(probability);
            pair.association = std::min(settings.strongest, std::log(probability / alone));
        } else {
            pair.logarithm = std::log(settings.back_off * alone);
        }
        pairs_.push_back(pair);
        before = found;
    }
}

void PairedText::prepare() {
    if (!sorted_words_.empty()) return;
    sorted_words_ = words_;
    std::sort(sorted_words_.begin(), sorted_words_.end(), word_before);
    for (const WordPair& pair : pairs_) sorted_pairs_.push_back(&pair);
    std::sort(sorted_pairs_.begin(), sorted_pairs_.end(), pair_before);
}

bool PairedText::has(const HashedWord& word) const {
    return std::binary_search(sorted_words_.begin(), sorted_words_.end(), word, word_before);
}

bool PairedText::has(const WordPair& pair) const {
    return std::binary_search(sorted_pairs_.begin(), sorted_pairs_.end(), &pair, pair_before);
}

void PairedText::numbers(double* result) const {
    Sums all;
    for (const WordPair& pair : pairs_) all.add(pair);
    const double count = static_cast<double>(std::max<std::size_t>(1, pairs_.size()));
    for (const double number : {all.logarithm / count, all.least, static_cast<double>(all.listed) / count,
                                static_cast<double>(all.count - all.listed), all.association / count}) {
        *result++ = number;
    }
}

void PairedText::added(const std::vector<const PairedText*>& references, double* result) const {
    Sums other, moved;
    const auto known = [&references](const auto& what) {
        return std::any_of(references.begin(), references.end(),
                           [&what](const PairedText* reference) { return reference->has(what); });
    };
    for (const WordPair& pair : pairs_) {
        if (known(pair)) continue;
        other.add(pair);
        if (known(pair.first) && known(pair.second)) moved.add(pair);
    }
    const double count = static_cast<double>(std::max<std::size_t>(1, pairs_.size()));
    for (const double number :
         {other.logarithm / count, other.least, static_cast<double>(other.listed) / count,
          static_cast<double>(other.count - other.listed), other.association / count,
          other.logarithm / static_cast<double>(std::max<std::size_t>(1, other.count)), moved.logarithm / count,
          moved.least, static_cast<double>(moved.count - moved.listed), moved.association / count}) {
        *result++ = number;
    }
}

}  // namespace meteor::learned
