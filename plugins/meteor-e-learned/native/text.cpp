#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace meteor::learned {

namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

double real(std::size_t value) { return static_cast<double>(value); }

double share(std::int64_t part, std::int64_t whole) { return real(part) / real(std::max<std::int64_t>(1, whole)); }

// Two numbers as one key.
std::uint64_t joined(std::int32_t first, std::uint32_t second) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32) | second;
}

constexpr std::uint64_t no_key = ~std::uint64_t{0};

// How many items of `one` are not in `other`; both sorted.
template <class Items>
std::int64_t surplus(const Items& one, const Items& other) {
    std::int64_t found = 0;
    auto at = other.begin();
    for (const auto& item : one) {
        while (at != other.end() && *at < item) ++at;
        if (at != other.end() && *at == item) {
            ++at;
        } else {
            ++found;
        }
    }
    return found;
}

template <class Holds>
std::int64_t number_of(const Side& side, Holds holds) {
    return std::count_if(side.words.begin(), side.words.end(), [&holds](const Word* word) { return holds(*word); });
}

}  // namespace

void Counts::start(std::size_t count) {
    std::size_t places = 16;
    while (places < 4 * count) places *= 2;
    if (places > slots_.size() || round_ == std::numeric_limits<std::uint32_t>::max()) {
        slots_.assign(std::max(places, slots_.size()), Slot{});
        round_ = 0;
    }
    // Few keys use the beginning only, which stays in the processor's cache.
    mask_ = places - 1;
    ++round_;
}

std::int32_t Counter::plain(const std::string& text) {
    const std::int32_t number = plain_numbers_.number(text);
    if (static_cast<std::size_t>(number) == plain_.size()) {
        plain_.push_back(text);
        counts_.push_back(words_.count(text, -1));
    }
    return number;
}

void Counter::count(const Side& left, const Side& right, double* result) {
    *result++ = std::log(real(right.words.size() + 1));
    *result++ = real(left.words.size()) - real(right.words.size());
    *result++ = std::abs(std::log(real(left.text.size() + 1) / real(right.text.size() + 1)));
    result = pairs(left, right, words(left, right, characters(left, right, result)));
    const std::u32string_view one = std::u32string_view(left.text).substr(0, longest),
                              other = std::u32string_view(right.text).substr(0, longest);
    const std::size_t larger = std::max(one.size(), other.size());
    *result = 1 - (larger ? real(edits(one, other)) / real(larger) : 0.0);
}

// Edits of characters between two texts, 64 characters at a time (Myers, 1999; Hyyrö, 2003).
std::int64_t Counter::edits(std::u32string_view one, std::u32string_view other) {
    std::int64_t found = static_cast<std::int64_t>(one.size());
    if (one.empty()) return static_cast<std::int64_t>(other.size());
    const std::size_t blocks = (one.size() + 63) / 64;
    // For each distinct character of the first text, where it stands; its count is where that begins. All others: 0.
    counted_.start(one.size());
    places_.assign(blocks, 0);
    for (std::size_t at = 0; at < one.size(); ++at) {
        std::int32_t& begin = counted_.count(counted_.number(one[at]));
        if (begin == 0) {
            begin = static_cast<std::int32_t>(places_.size());
            places_.resize(places_.size() + blocks);
        }
        places_[static_cast<std::size_t>(begin) + at / 64] |= std::uint64_t{1} << (at % 64);
    }
    // Where the distance grows and falls down a column of the table of distances.
    plus_.assign(blocks, ~std::uint64_t{0});
    minus_.assign(blocks, 0);
    for (const char32_t character : other) {
        const std::int32_t number = counted_.known(character);
        const std::uint64_t* same_here = &places_[number < 0 ? 0 : static_cast<std::size_t>(counted_.count(number))];
        std::uint64_t more = 1, less = 0;  // along the row above the block
        for (std::size_t block = 0; block < blocks; ++block) {
            std::uint64_t same = same_here[block];
            const std::uint64_t plus = plus_[block], down = same | minus_[block];
            same |= less;
            const std::uint64_t across = (((same & plus) + plus) ^ plus) | same;
            const std::uint64_t grows = minus_[block] | ~(across | plus), falls = plus & across;
            if (block + 1 == blocks) {
                found += static_cast<std::int64_t>((grows >> ((one.size() - 1) % 64)) & 1);
                found -= static_cast<std::int64_t>((falls >> ((one.size() - 1) % 64)) & 1);
            }
            plus_[block] = (falls << 1 | less) | ~(down | (grows << 1 | more));
            minus_[block] = (grows << 1 | more) & down;
            more = grows >> 63;
            less = falls >> 63;
        }
    }
    return found;
}

void Counter::common_ngrams(const Side& left, const Side& right, std::int64_t* common) {
    std::fill(common, common + orders, 0);
    const auto start = [](std::u32string_view characters, std::vector<Gram>& grams) {
        grams.clear();
        for (std::size_t at = 0; at < characters.size(); ++at) {
            grams.push_back({static_cast<std::int32_t>(at), static_cast<std::int32_t>(characters[at])});
        }
    };
    start(left.characters, left_grams_);
    start(right.characters, right_grams_);
    for (std::size_t order = 1; order <= orders; ++order) {
        // An n-gram is the one before, by its number, and one more character. What one side lacks is in no longer one.
        const auto key = [order](const Gram& gram, std::u32string_view characters) {
            const std::size_t last = static_cast<std::size_t>(gram.at) + order - 1;
            return last < characters.size() ? joined(order > 1 ? gram.number : 0, characters[last]) : no_key;
        };
        counted_.start(right_grams_.size());
        std::size_t kept = 0;
        for (const Gram& gram : right_grams_) {
            const std::uint64_t found = key(gram, right.characters);
            if (found == no_key) continue;
            const std::int32_t number = counted_.number(found);
            ++counted_.count(number);
            right_grams_[kept++] = {gram.at, number};
        }
        right_grams_.resize(kept);
        kept = 0;
        for (const Gram& gram : left_grams_) {
            const std::uint64_t found = key(gram, left.characters);
            const std::int32_t number = found == no_key ? -1 : counted_.known(found);
            if (number < 0) continue;
            common[order - 1] += counted_.take(number);
            left_grams_[kept++] = {gram.at, number};
        }
        left_grams_.resize(kept);
        kept = 0;
        for (const Gram& gram : right_grams_) {
            right_grams_[kept] = gram;
            kept += counted_.taken(gram.number);
        }
        right_grams_.resize(kept);
    }
}

double* Counter::characters(const Side& left, const Side& right, double* result) {
    std::int64_t common[orders];
    common_ngrams(left, right, common);
    double precisions[orders], precision = 0, recall = 0;
    std::int64_t both = 0;
    for (std::size_t order = 0; order < orders; ++order) {
        const auto grams = [order](const Side& side) {
            return static_cast<std::int64_t>(side.characters.size() - std::min(side.characters.size(), order));
        };
        const std::int64_t lefts = grams(left), rights = grams(right);
        precisions[order] = share(common[order], lefts);
        if (lefts && rights) {
            ++both;
            precision += precisions[order];
            recall += share(common[order], rights);
        }
    }
    precision /= real(std::max<std::int64_t>(1, both));
    recall /= real(std::max<std::int64_t>(1, both));
    *result++ = precision + recall > 0 ? 5 * precision * recall / (4 * precision + recall) : 0.0;
    *result++ = precisions[1];
    *result++ = precisions[5];
    *result++ = real(left.capitals.size());
    *result++ = real(surplus(right.capitals, left.capitals));
    *result++ = real(surplus(left.capitals, right.capitals));
    *result++ = real(left.digits);
    *result++ = left.capital == right.capital;
    return result;
}

double* Counter::words(const Side& left, const Side& right, double* result) {
    if (rest_.size() < forms.size()) {
        rest_.resize(forms.size());
        here_.resize(forms.size());
    }
    std::int64_t distinct = 0;
    for (const Word* word : right.words) {
        const std::size_t form = static_cast<std::size_t>(word->form);
        distinct += !here_[form];
        here_[form] = true;
        ++rest_[form];
    }
    const std::size_t kinds = std::size_t{Kind::content} + 1;
    std::vector<std::int64_t> common(kinds), lefts(kinds), rights(kinds);
    std::int64_t frequent = 0, unknown = 0, rare = 0, capital = 0, repeated = 0;
    std::int32_t before = -1;
    for (const Word* word : left.words) {
        repeated += word->form == before;
        before = word->form;
        const std::size_t form = static_cast<std::size_t>(word->form), kind = static_cast<std::size_t>(word->kind);
        ++lefts[kind];
        if (!here_[form]) {
            unknown += word->unknown;
            rare += word->rare;
            capital += word->unknown && word->capital;
        } else if (rest_[form] > 0) {
            --rest_[form];
            ++common[kind];
            frequent += word->frequent;
        }
    }
    for (const Word* word : right.words) {
        const std::size_t form = static_cast<std::size_t>(word->form);
        rest_[form] = 0;
        here_[form] = false;
        ++rights[static_cast<std::size_t>(word->kind)];
    }
    const auto of = [](const std::vector<std::int64_t>& counts, std::int32_t kind) {
        return counts[static_cast<std::size_t>(kind)];
    };
    const auto recall = [&](std::int32_t kind) {
        return of(rights, kind) ? real(of(common, kind)) / real(of(rights, kind)) : 0.5;
    };
    const auto mean = [](const Side& side, auto value) {
        std::int64_t sum = 0;
        for (const Word* word : side.words) sum += value(*word);
        return share(sum, static_cast<std::int64_t>(side.words.size()));
    };
    const auto difference = [&](auto value) { return mean(left, value) - mean(right, value); };
    const auto is_frequent = [](const Word& word) -> std::int64_t { return word.frequent; };
    const auto denies = [](const Word& word) { return word.denies; };
    const auto denials_of = [](const Word& word) { return word.denies || word.implies; };
    const std::int64_t negations = number_of(right, denies) - number_of(left, denies);
    const std::int64_t denials = number_of(left, denials_of) - number_of(right, denials_of);
    const std::int64_t marks = of(lefts, Kind::mark);
    *result++ = real(unknown);
    *result++ = share(unknown, number_of(left, [](const Word& word) { return word.wordlike; }));
    *result++ = real(rare);
    *result++ = real(capital);
    *result++ = share(frequent, number_of(right, is_frequent));
    *result++ = real(repeated);
    *result++ = recall(Kind::determiner);
    *result++ = recall(Kind::pronoun);
    *result++ = real(of(rights, Kind::pronoun) - of(common, Kind::pronoun));
    *result++ = real(of(lefts, Kind::auxiliary) - of(common, Kind::auxiliary));
    *result++ = real(of(rights, Kind::negation) - of(common, Kind::negation));
    *result++ = marks ? real(of(common, Kind::mark)) / real(marks) : 0.5;
    *result++ = recall(Kind::content);
    *result++ = difference([](const Word& word) { return word.letters; });
    *result++ = difference(is_frequent);
    *result++ = share(distinct, static_cast<std::int64_t>(right.words.size()));
    *result++ = real(std::max<std::int64_t>(0, negations));
    *result++ = real(std::max<std::int64_t>(0, denials));
    *result++ = real(polarity(left, right));
    return result;
}

std::int64_t Counter::polarity(const Side& left, const Side& right) {
    const auto denies = [](const Word* word) { return word->denies; };
    if (std::none_of(left.words.begin(), left.words.end(), denies) &&
        std::none_of(right.words.begin(), right.words.end(), denies)) {
        return 0;
    }
    // Stems of content words; and the same, with whether one of four words before denies.
    const auto content = [this, &denies](const Side& side) {
        std::vector<std::int64_t> plain, with_sign;
        for (std::size_t at = 0; at < side.words.size(); ++at) {
            if (side.words[at]->kind != Kind::content) continue;
            const auto place = side.words.begin() + static_cast<std::ptrdiff_t>(at);
            const bool denied =
                std::any_of(place - static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, at)), place, denies);
            plain.push_back(side.words[at]->stem);
            with_sign.push_back(2 * std::int64_t{side.words[at]->stem} + denied);
        }
        std::sort(plain.begin(), plain.end());
        std::sort(with_sign.begin(), with_sign.end());
        return std::make_pair(plain, with_sign);
    };
    const auto one = content(left), other = content(right);
    return surplus(one.second, other.second) - surplus(one.first, other.first);
}

const Counter::Pair& Counter::pair(std::int32_t first, std::int32_t second) {
    const std::uint64_t key = joined(first, static_cast<std::uint32_t>(second));
    return known_pairs_.item(
        key * 0x9E3779B97F4A7C15ull, [key](const Pair& other) { return other.key == key; },
        [&] { return looked_up(first, second); });
}

Counter::Pair Counter::looked_up(std::int32_t first, std::int32_t second) const {
    const std::string& one = plain_[static_cast<std::size_t>(first)];
    const std::string& other = plain_[static_cast<std::size_t>(second)];
    const double together = pairs_.count(one + ' ' + other, -1);
    const double of_first = counts_[static_cast<std::size_t>(first)],
                 of_second = counts_[static_cast<std::size_t>(second)];
    const double alone = (of_second < 0 ? settings_.unlisted : of_second) / settings_.total;
    const std::uint64_t key = joined(first, static_cast<std::uint32_t>(second));
    if (together < 0) return {key, std::log(settings_.back_off * alone), 0, false};
    const double probability = std::min(1.0, together / (of_first < 0 ? together : of_first));
    return {key, std::log(probability), std::min(settings_.strongest, std::log(probability / alone)), true};
}

double* Counter::pairs(const Side& left, const Side& right, double* result) {
    if (plain_here_.size() < plain_.size()) plain_here_.resize(plain_.size());
    std::vector<std::uint64_t> known;
    for (std::size_t at = 0; at < right.plain.size(); ++at) {
        plain_here_[static_cast<std::size_t>(right.plain[at])] = true;
        if (at) known.push_back(joined(right.plain[at - 1], static_cast<std::uint32_t>(right.plain[at])));
    }
    std::sort(known.begin(), known.end());
    double total = 0, least = 0, association = 0, moved = 0, least_moved = 0;
    std::int64_t unlisted = 0;
    for (std::size_t at = 1; at < left.plain.size(); ++at) {
        const std::int32_t first = left.plain[at - 1], second = left.plain[at];
        if (std::binary_search(known.begin(), known.end(), joined(first, static_cast<std::uint32_t>(second)))) continue;
        const Pair& found = pair(first, second);
        unlisted += !found.listed;
        association += found.association;
        total += found.logarithm;
        least = std::min(least, found.logarithm);
        if (plain_here_[static_cast<std::size_t>(first)] && plain_here_[static_cast<std::size_t>(second)]) {
            moved += found.logarithm;
            least_moved = std::min(least_moved, found.logarithm);
        }
    }
    for (const std::int32_t word : right.plain) plain_here_[static_cast<std::size_t>(word)] = false;
    const double count = real(left.plain.size() > 1 ? left.plain.size() - 1 : 1);
    *result++ = total / count;
    *result++ = least;
    *result++ = real(unlisted);
    *result++ = association / count;
    *result++ = moved / count;
    *result++ = least_moved;
    return result;
}

}  // namespace meteor::learned
