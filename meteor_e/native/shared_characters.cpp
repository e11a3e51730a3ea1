#include "shared_characters.hpp"

#include <algorithm>
#include <bit>

namespace meteor {

namespace {

// The words, joined and surrounded by spaces.
void join(const Vocabulary& vocabulary, Words words, std::u32string& text) {
    text.assign(words.size() ? 1 : 0, U' ');
    for (const std::uint32_t type : words) {
        const View<char32_t> form = vocabulary.form(type);
        text.append(form.data(), form.size()).push_back(U' ');
    }
}

std::uint64_t extend(std::uint64_t hash, char32_t next) {
    hash = (hash ^ next) * 0x9E3779B97F4A7C15u + 1;
    return hash ^ hash >> 29;
}

}  // namespace

// The place of an n-gram, or a free one.
std::size_t SharedCharacters::find(std::uint64_t hash) const {
    std::size_t at = (hash >> 20) & mask_;
    while (table_[at].hash != hash && (table_[at].in_reference || table_[at].in_hypothesis)) at = (at + 1) & mask_;
    return at;
}

void SharedCharacters::compare(const Vocabulary& vocabulary, Words hypothesis, Words reference) {
    join(vocabulary, hypothesis, hypothesis_);
    join(vocabulary, reference, reference_);
    const std::size_t own = hypothesis_.size(), others = reference_.size();
    const std::size_t most = LONGEST * others + own;
    mask_ = std::bit_ceil(std::max<std::size_t>(1, most + most / 2)) - 1;
    if (table_.size() <= mask_) numbers_.resize(mask_ + 1);
    table_.resize(std::max(table_.size(), mask_ + 1));
    std::fill_n(table_.begin(), mask_ + 1, Slot{});
    distinct_.fill(0);
    for (std::size_t k = 0; k < ORDERED; ++k) {
        own_[k].clear();
        others_[k].clear();
    }
    for (std::size_t start = 0; start < others; ++start) {
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < LONGEST && start + k < others; ++k) {
            hash = extend(hash, reference_[start + k]);
            const std::size_t at = find(hash);
            Slot& slot = table_[at];
            slot.hash = hash;
            if (!slot.in_reference++ && k < ORDERED) numbers_[at] = distinct_[k]++;
            if (k < ORDERED && start + k < LIMIT) others_[k].push_back(numbers_[at]);
        }
    }
    std::array<std::size_t, LONGEST> common{};
    std::size_t repeated = 0;
    for (std::size_t start = 0; start < own; ++start) {
        std::uint64_t hash = 0;
        bool there = true;  // whether the reference has the n-gram
        for (std::size_t k = 0; k < (there ? LONGEST : REPEATED) && start + k < own; ++k) {
            hash = extend(hash, hypothesis_[start + k]);
            if (!there && k + 1 < REPEATED) continue;
            const std::size_t at = find(hash);
            Slot& slot = table_[at];
            there = slot.in_reference != 0;
            if (!there && k + 1 != REPEATED) continue;
            slot.hash = hash;
            if (k + 1 == REPEATED) repeated += slot.in_hypothesis >= std::max(1u, slot.in_reference);
            common[k] += slot.in_hypothesis++ < slot.in_reference;
            if (k < ORDERED && start + k < LIMIT) own_[k].push_back(numbers_[at]);
        }
    }
    const auto share = [](std::size_t part, std::size_t size, std::size_t k) {
        return static_cast<double>(part) / static_cast<double>(size - k);
    };
    kept_ = own < REPEATED ? 1.0 : 1.0 - PENALTY * share(repeated, own, REPEATED - 1);
    ngrams_ = {0.0, 0.0};
    const std::size_t lengths = std::min({LONGEST, own, others});
    for (std::size_t k = 0; k < lengths; ++k) {
        ngrams_.first += share(common[k], own, k);
        ngrams_.second += share(common[k], others, k);
    }
    if (lengths) {
        const double count = static_cast<double>(lengths);
        ngrams_ = {ngrams_.first / count * kept_, ngrams_.second / count * kept_};
    }
}

SharedCharacters::Shares SharedCharacters::subsequences() {
    Shares shares{0.0, 0.0};
    const std::size_t own = std::min(hypothesis_.size(), LIMIT), others = std::min(reference_.size(), LIMIT);
    const std::size_t lengths = std::min({ORDERED, own, others});
    for (std::size_t k = 0; k < lengths; ++k) {
        const double length = common_subsequence(own_[k], others_[k], distinct_[k]);
        shares.first += length / static_cast<double>(own - k);
        shares.second += length / static_cast<double>(others - k);
    }
    if (!lengths) return shares;
    const double count = static_cast<double>(lengths);
    return {shares.first / count * kept_, shares.second / count * kept_};
}

// The length of the longest common subsequence, 64 symbols of the reference at once (Hyyrö 2004, "Bit-parallel
// LCS-length computation revisited"). Symbols that the reference lacks would change nothing. A zero in `row` is a
// common symbol.
double SharedCharacters::common_subsequence(const std::vector<std::uint32_t>& own,
                                            const std::vector<std::uint32_t>& others, std::uint32_t distinct) {
    masks_.assign(distinct, 0);
    carries_.assign(own.size(), 0);
    int length = 0;
    for (std::size_t first = 0; first < others.size(); first += 64) {
        const std::size_t size = std::min<std::size_t>(64, others.size() - first);
        for (std::size_t k = 0; k < size; ++k) masks_[others[first + k]] |= std::uint64_t{1} << k;
        std::uint64_t row = ~std::uint64_t{0};
        for (std::size_t i = 0; i < own.size(); ++i) {
            const std::uint64_t mask = masks_[own[i]], sum = row + (row & mask), all = sum + carries_[i];
            carries_[i] = sum < row || all < sum;
            row = all | (row & ~mask);
        }
        length += std::popcount(~row & (size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1));
        for (std::size_t k = 0; k < size; ++k) masks_[others[first + k]] = 0;
    }
    return length;
}

}  // namespace meteor
