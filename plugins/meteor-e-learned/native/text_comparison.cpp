#include "text_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace meteor::learned {

namespace {

constexpr std::uint64_t NO_KEY = ~std::uint64_t{0};

double to_double(std::int64_t value) noexcept { return static_cast<double>(value); }
double to_double(std::size_t value) noexcept { return static_cast<double>(value); }
std::size_t to_index(std::int32_t id) noexcept { return static_cast<std::size_t>(id); }

double divide(std::int64_t part, std::int64_t total) noexcept {
    return to_double(part) / to_double(std::max<std::int64_t>(1, total));
}

std::uint64_t make_key(std::int32_t first, std::uint32_t second) noexcept {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32) | second;
}
std::uint64_t make_key(std::int32_t first, std::int32_t second) noexcept {
    return make_key(first, static_cast<std::uint32_t>(second));
}

// Returns how many items of a sorted list are not in another sorted list.
template <class Items>
std::int64_t count_surplus(const Items& items, const Items& others) {
    std::int64_t count = 0;
    auto other = others.begin();
    for (const auto& item : items) {
        while (other != others.end() && *other < item) ++other;
        if (other != others.end() && *other == item) {
            ++other;
        } else {
            ++count;
        }
    }
    return count;
}

template <class Predicate>
std::int64_t count_words_if(const Text& text, Predicate predicate) {
    return std::count_if(text.words.begin(), text.words.end(),
                         [&predicate](const Word* word) { return predicate(*word); });
}

template <class Value>
double mean_of_words(const Text& text, Value value) {
    std::int64_t sum = 0;
    for (const Word* word : text.words) sum += value(*word);
    return divide(sum, static_cast<std::int64_t>(text.words.size()));
}

bool denies(const Word& word) noexcept { return word.denies; }
bool denies_or_implies(const Word& word) noexcept { return word.denies || word.implies_denial; }

// The stems of the content words of a text, sorted; and the same with the information whether one of the four words
// before denies.
struct ContentStems {
    explicit ContentStems(const Text& text) {
        constexpr std::size_t SCOPE = 4;
        for (std::size_t k = 0; k < text.words.size(); ++k) {
            const Word& word = *text.words[k];
            if (word.kind != Kind::content) continue;
            const auto position = text.words.begin() + static_cast<std::ptrdiff_t>(k);
            const auto scope_start = position - static_cast<std::ptrdiff_t>(std::min(SCOPE, k));
            const bool is_denied = std::any_of(scope_start, position, [](const Word* w) { return w->denies; });
            stems.push_back(word.stem);
            signed_stems.push_back(2 * std::int64_t{word.stem} + is_denied);
        }
        std::sort(stems.begin(), stems.end());
        std::sort(signed_stems.begin(), signed_stems.end());
    }

    std::vector<std::int64_t> stems, signed_stems;
};

}  // namespace

std::int32_t TextComparison::plain_id(const std::string& text) {
    const std::int32_t id = plain_ids_.find_or_insert(text);
    if (to_index(id) == plain_forms_.size()) {
        plain_forms_.push_back(text);
        plain_counts_.push_back(word_counts_.count(text, -1));
    }
    return id;
}

void TextComparison::compare(const Text& hypothesis, const Text& reference, double* columns) {
    *columns++ = std::log(to_double(reference.words.size() + 1));
    *columns++ = to_double(hypothesis.words.size()) - to_double(reference.words.size());
    *columns++ = std::abs(std::log(to_double(hypothesis.raw.size() + 1) / to_double(reference.raw.size() + 1)));
    columns = compare_characters(hypothesis, reference, columns);
    columns = compare_words(hypothesis, reference, columns);
    columns = compare_pairs(hypothesis, reference, columns);
    const std::u32string_view first = std::u32string_view(hypothesis.raw).substr(0, MAX_EDIT_CHARACTERS);
    const std::u32string_view second = std::u32string_view(reference.raw).substr(0, MAX_EDIT_CHARACTERS);
    const std::size_t size = std::max(first.size(), second.size());
    *columns = 1 - (size ? to_double(edit_distance(first, second)) / to_double(size) : 0.0);
}

// Computes the Levenshtein distance, with 64 characters of the first text in a machine word (Myers 1999; Hyyrö 2003).
// The bits of `increases_` and `decreases_` say where the distance grows and falls down a column of the table of
// distances.
std::int64_t TextComparison::edit_distance(std::u32string_view first, std::u32string_view second) {
    auto distance = static_cast<std::int64_t>(first.size());
    if (first.empty()) return static_cast<std::int64_t>(second.size());
    const std::size_t blocks = (first.size() + 63) / 64;
    // The positions of each distinct character of the first text, as a bit set. The count of a character is the index
    // of its bit set; the first bit set is empty, for all other characters.
    key_counter_.start(first.size());
    character_masks_.assign(blocks, 0);
    for (std::size_t k = 0; k < first.size(); ++k) {
        std::int32_t& mask = key_counter_.count(key_counter_.find_or_insert(first[k]));
        if (mask == 0) {
            mask = static_cast<std::int32_t>(character_masks_.size());
            character_masks_.resize(character_masks_.size() + blocks);
        }
        character_masks_[to_index(mask) + k / 64] |= std::uint64_t{1} << (k % 64);
    }
    increases_.assign(blocks, ~std::uint64_t{0});
    decreases_.assign(blocks, 0);
    const std::size_t last_bit = (first.size() - 1) % 64;
    for (const char32_t character : second) {
        const std::int32_t id = key_counter_.find(character);
        const std::uint64_t* const mask = &character_masks_[id < 0 ? 0 : to_index(key_counter_.count(id))];
        std::uint64_t increases_above = 1, decreases_above = 0;  // along the row above the block
        for (std::size_t block = 0; block < blocks; ++block) {
            std::uint64_t equal = mask[block];
            const std::uint64_t increases = increases_[block], vertical = equal | decreases_[block];
            equal |= decreases_above;
            const std::uint64_t diagonal = (((equal & increases) + increases) ^ increases) | equal;
            const std::uint64_t row_increases = decreases_[block] | ~(diagonal | increases);
            const std::uint64_t row_decreases = increases & diagonal;
            if (block + 1 == blocks) {
                distance += static_cast<std::int64_t>((row_increases >> last_bit) & 1);
                distance -= static_cast<std::int64_t>((row_decreases >> last_bit) & 1);
            }
            const std::uint64_t shifted_increases = row_increases << 1 | increases_above;
            increases_[block] = (row_decreases << 1 | decreases_above) | ~(vertical | shifted_increases);
            decreases_[block] = shifted_increases & vertical;
            increases_above = row_increases >> 63;
            decreases_above = row_decreases >> 63;
        }
    }
    return distance;
}

// Counts the common character n-grams by length. An n-gram is identified by its prefix without the last character, and
// by this character. If an n-gram occurs in one text only, the longer n-grams that start with it are left out.
void TextComparison::count_common_ngrams(const Text& hypothesis, const Text& reference, std::int64_t* common) {
    std::fill(common, common + MAX_NGRAM, 0);
    const auto list_characters = [](std::u32string_view characters, std::vector<Ngram>& ngrams) {
        ngrams.clear();
        for (std::size_t k = 0; k < characters.size(); ++k) {
            ngrams.push_back({static_cast<std::int32_t>(k), static_cast<std::int32_t>(characters[k])});
        }
    };
    list_characters(hypothesis.characters, hypothesis_ngrams_);
    list_characters(reference.characters, reference_ngrams_);
    for (std::size_t length = 1; length <= MAX_NGRAM; ++length) {
        const auto key_of = [length](const Ngram& ngram, std::u32string_view characters) {
            const std::size_t last = to_index(ngram.start) + length - 1;
            if (last >= characters.size()) return NO_KEY;
            return make_key(length > 1 ? ngram.id : 0, static_cast<std::uint32_t>(characters[last]));
        };
        key_counter_.start(reference_ngrams_.size());
        std::size_t count = 0;
        for (const Ngram& ngram : reference_ngrams_) {
            const std::uint64_t key = key_of(ngram, reference.characters);
            if (key == NO_KEY) continue;
            const std::int32_t id = key_counter_.find_or_insert(key);
            ++key_counter_.count(id);
            reference_ngrams_[count++] = {ngram.start, id};
        }
        reference_ngrams_.resize(count);
        count = 0;
        for (const Ngram& ngram : hypothesis_ngrams_) {
            const std::uint64_t key = key_of(ngram, hypothesis.characters);
            const std::int32_t id = key == NO_KEY ? -1 : key_counter_.find(key);
            if (id < 0) continue;
            common[length - 1] += key_counter_.match(id);
            hypothesis_ngrams_[count++] = {ngram.start, id};
        }
        hypothesis_ngrams_.resize(count);
        std::erase_if(reference_ngrams_, [this](const Ngram& ngram) { return !key_counter_.is_matched(ngram.id); });
    }
}

double* TextComparison::compare_characters(const Text& hypothesis, const Text& reference, double* columns) {
    std::int64_t common[MAX_NGRAM];
    count_common_ngrams(hypothesis, reference, common);
    double precisions[MAX_NGRAM], precision = 0, recall = 0;
    std::int64_t lengths = 0;  // that both texts have n-grams of
    for (std::size_t k = 0; k < MAX_NGRAM; ++k) {
        const auto count_ngrams = [k](const Text& text) {
            return static_cast<std::int64_t>(text.characters.size() - std::min(text.characters.size(), k));
        };
        const std::int64_t hypothesis_count = count_ngrams(hypothesis), reference_count = count_ngrams(reference);
        precisions[k] = divide(common[k], hypothesis_count);
        if (hypothesis_count && reference_count) {
            ++lengths;
            precision += precisions[k];
            recall += divide(common[k], reference_count);
        }
    }
    precision /= to_double(std::max<std::int64_t>(1, lengths));
    recall /= to_double(std::max<std::int64_t>(1, lengths));
    *columns++ = precision + recall > 0 ? 5 * precision * recall / (4 * precision + recall) : 0.0;
    *columns++ = precisions[1];
    *columns++ = precisions[5];
    *columns++ = to_double(hypothesis.capitals.size());
    *columns++ = to_double(count_surplus(reference.capitals, hypothesis.capitals));
    *columns++ = to_double(count_surplus(hypothesis.capitals, reference.capitals));
    *columns++ = to_double(hypothesis.digits);
    *columns++ = hypothesis.starts_with_capital == reference.starts_with_capital;
    return columns;
}

void TextComparison::count_words(const Text& hypothesis, const Text& reference, WordCounts& counts) {
    if (unmatched_.size() < forms.size()) {
        unmatched_.resize(forms.size());
        is_in_reference_.resize(forms.size());
    }
    for (KindCounts* kinds : {&counts.common, &counts.hypothesis, &counts.reference}) kinds->assign(KIND_COUNT, 0);
    for (const Word* word : reference.words) {
        const std::size_t form = to_index(word->form);
        counts.distinct_reference_words += !is_in_reference_[form];
        is_in_reference_[form] = true;
        ++unmatched_[form];
    }
    std::int32_t last_form = -1;
    for (const Word* word : hypothesis.words) {
        counts.repeated += word->form == last_form;
        last_form = word->form;
        const std::size_t form = to_index(word->form), kind = to_index(word->kind);
        ++counts.hypothesis[kind];
        if (!is_in_reference_[form]) {
            counts.unknown += word->is_unknown;
            counts.rare += word->is_rare;
            counts.capitalized += word->is_unknown && word->is_capitalized;
        } else if (unmatched_[form] > 0) {
            --unmatched_[form];
            ++counts.common[kind];
            counts.frequent += word->is_frequent;
        }
    }
    for (const Word* word : reference.words) {
        const std::size_t form = to_index(word->form);
        unmatched_[form] = 0;
        is_in_reference_[form] = false;
        ++counts.reference[to_index(word->kind)];
    }
}

double* TextComparison::compare_words(const Text& hypothesis, const Text& reference, double* columns) {
    WordCounts counts;
    count_words(hypothesis, reference, counts);
    const auto recall = [&counts](Kind kind) {
        return counts.reference[kind] ? to_double(counts.common[kind]) / to_double(counts.reference[kind]) : 0.5;
    };
    const auto mean_difference = [&](auto value) {
        return mean_of_words(hypothesis, value) - mean_of_words(reference, value);
    };
    const auto is_frequent = [](const Word& word) -> std::int64_t { return word.is_frequent; };
    const auto letters = [](const Word& word) { return word.letters; };
    const std::int64_t negations = count_words_if(reference, denies) - count_words_if(hypothesis, denies);
    const std::int64_t denials =
        count_words_if(hypothesis, denies_or_implies) - count_words_if(reference, denies_or_implies);
    const std::int64_t marks = counts.hypothesis[Kind::mark];
    *columns++ = to_double(counts.unknown);
    *columns++ = divide(counts.unknown, count_words_if(hypothesis, [](const Word& word) { return word.is_word; }));
    *columns++ = to_double(counts.rare);
    *columns++ = to_double(counts.capitalized);
    *columns++ = divide(counts.frequent, count_words_if(reference, is_frequent));
    *columns++ = to_double(counts.repeated);
    *columns++ = recall(Kind::determiner);
    *columns++ = recall(Kind::pronoun);
    *columns++ = to_double(counts.reference[Kind::pronoun] - counts.common[Kind::pronoun]);
    *columns++ = to_double(counts.hypothesis[Kind::auxiliary] - counts.common[Kind::auxiliary]);
    *columns++ = to_double(counts.reference[Kind::negation] - counts.common[Kind::negation]);
    *columns++ = marks ? to_double(counts.common[Kind::mark]) / to_double(marks) : 0.5;
    *columns++ = recall(Kind::content);
    *columns++ = mean_difference(letters);
    *columns++ = mean_difference(is_frequent);
    *columns++ = divide(counts.distinct_reference_words, static_cast<std::int64_t>(reference.words.size()));
    *columns++ = to_double(std::max<std::int64_t>(0, negations));
    *columns++ = to_double(std::max<std::int64_t>(0, denials));
    *columns++ = to_double(count_polarity_changes(hypothesis, reference));
    return columns;
}

std::int64_t TextComparison::count_polarity_changes(const Text& hypothesis, const Text& reference) const {
    if (!count_words_if(hypothesis, denies) && !count_words_if(reference, denies)) return 0;
    const ContentStems hypothesis_stems(hypothesis), reference_stems(reference);
    return count_surplus(hypothesis_stems.signed_stems, reference_stems.signed_stems) -
           count_surplus(hypothesis_stems.stems, reference_stems.stems);
}

const TextComparison::WordPair& TextComparison::pair_of(std::int32_t first, std::int32_t second) {
    const std::uint64_t key = make_key(first, second);
    return pairs_.find_or_insert(
        key * 0x9E3779B97F4A7C15ull, [key](const WordPair& pair) { return pair.key == key; },
        [&] { return compute_pair(first, second); });
}

TextComparison::WordPair TextComparison::compute_pair(std::int32_t first, std::int32_t second) const {
    const std::uint64_t key = make_key(first, second);
    const double pair_count =
        pair_counts_.count(plain_forms_[to_index(first)] + ' ' + plain_forms_[to_index(second)], -1);
    const double first_count = plain_counts_[to_index(first)], second_count = plain_counts_[to_index(second)];
    const double second_probability = (second_count < 0 ? settings_.unlisted : second_count) / settings_.total;
    if (pair_count < 0) return {key, std::log(settings_.back_off * second_probability), 0, false};
    const double probability = std::min(1.0, pair_count / (first_count < 0 ? pair_count : first_count));
    const double association = std::min(settings_.max_association, std::log(probability / second_probability));
    return {key, std::log(probability), association, true};
}

// Compares the pairs of consecutive words that do not occur in the reference.
double* TextComparison::compare_pairs(const Text& hypothesis, const Text& reference, double* columns) {
    if (is_plain_in_reference_.size() < plain_forms_.size()) is_plain_in_reference_.resize(plain_forms_.size());
    std::vector<std::uint64_t> reference_pairs;
    for (std::size_t k = 0; k < reference.plain_words.size(); ++k) {
        is_plain_in_reference_[to_index(reference.plain_words[k])] = true;
        if (k) reference_pairs.push_back(make_key(reference.plain_words[k - 1], reference.plain_words[k]));
    }
    std::sort(reference_pairs.begin(), reference_pairs.end());
    double sum = 0, minimum = 0, association = 0;
    double moved_sum = 0, moved_minimum = 0;  // of pairs whose words occur in the reference
    std::int64_t unlisted = 0;
    for (std::size_t k = 1; k < hypothesis.plain_words.size(); ++k) {
        const std::int32_t first = hypothesis.plain_words[k - 1], second = hypothesis.plain_words[k];
        if (std::binary_search(reference_pairs.begin(), reference_pairs.end(), make_key(first, second))) continue;
        const WordPair& pair = pair_of(first, second);
        unlisted += !pair.is_listed;
        association += pair.association;
        sum += pair.log_probability;
        minimum = std::min(minimum, pair.log_probability);
        if (is_plain_in_reference_[to_index(first)] && is_plain_in_reference_[to_index(second)]) {
            moved_sum += pair.log_probability;
            moved_minimum = std::min(moved_minimum, pair.log_probability);
        }
    }
    for (const std::int32_t word : reference.plain_words) is_plain_in_reference_[to_index(word)] = false;
    const std::size_t word_count = hypothesis.plain_words.size();
    const double pair_count = to_double(word_count > 1 ? word_count - 1 : std::size_t{1});
    *columns++ = sum / pair_count;
    *columns++ = minimum;
    *columns++ = to_double(unlisted);
    *columns++ = association / pair_count;
    *columns++ = moved_sum / pair_count;
    *columns++ = moved_minimum;
    return columns;
}

}  // namespace meteor::learned
