#include "reference_cache.hpp"

#include <algorithm>

namespace meteor {

namespace {

constexpr std::size_t CACHE_LINE = 64;

void prefetch_bytes(const void* data, std::size_t size) noexcept {
    for (std::size_t offset = 0; offset < size; offset += CACHE_LINE) {
        METEOR_PREFETCH(static_cast<const char*>(data) + offset);
    }
}

constexpr auto prefetch_array = [](const auto& items) noexcept {
    prefetch_bytes(items.data(), items.size() * sizeof(items[0]));
};

}  // namespace

ReferenceFeatures& ReferenceCache::find_or_insert(Words reference, std::uint64_t hash) {
    update_size();
    prepare_entries();
    const std::size_t set = first_entry_of_set(hash);
    std::size_t index = set;
    for (; index < set + WAYS; ++index) {
        const ReferenceFeatures& entry = entries_[index];
        if (hashes_[index] == hash && entry.is_valid && std::ranges::equal(reference, entry.words)) break;
    }
    if (index == set + WAYS) {
        index = choose_victim(set);
        size_in_bytes_ -= entries_[index].size_in_bytes;
        entries_[index] = ReferenceFeatures{};
        entries_[index].compute(chain_, vocabulary_, reference);
        hashes_[index] = hash;
        size_in_bytes_ += entries_[index].size_in_bytes;
    }
    last_entry_ = &entries_[index];
    last_entry_size_ = last_entry_->size_in_bytes;
    return *last_entry_;
}

// Updates the size of the cache, because the matchers may have extended the last entry.
void ReferenceCache::update_size() noexcept {
    if (last_entry_) size_in_bytes_ += last_entry_->size_in_bytes - last_entry_size_;
    last_entry_ = nullptr;
}

void ReferenceCache::prepare_entries() {
    if (size_in_bytes_ > BUDGET_IN_BYTES) {
        entries_.clear();
        size_in_bytes_ = 0;
    }
    if (entries_.empty()) {
        entries_.resize(SETS * WAYS);
        hashes_.assign(SETS * WAYS, 0);
    }
}

std::size_t ReferenceCache::choose_victim(std::size_t set) noexcept {
    for (std::size_t index = set; index < set + WAYS; ++index) {
        if (!entries_[index].is_valid) return index;
    }
    return set + next_victim_++ % WAYS;
}

void ReferenceCache::prefetch(std::uint64_t hash, std::size_t pairs_ahead) const noexcept {
    if (entries_.empty()) return;
    const std::size_t set = first_entry_of_set(hash);
    for (std::size_t index = set; index < set + WAYS; ++index) {
        if (hashes_[index] != hash) continue;
        const ReferenceFeatures& entry = entries_[index];
        if (pairs_ahead == MAX_PAIRS_AHEAD) {
            prefetch_bytes(&entry, sizeof entry);
        } else if (pairs_ahead == 2) {
            prefetch_array(entry.words);
            prefetch_array(entry.position_starts);
            prefetch_array(entry.positions);
            prefetch_array(entry.keys);
            prefetch_array(entry.key_ends);
            entry.related_words.visit_arrays(prefetch_array);
            prefetch_array(entry.phrases);
        } else {
            for (const ReferencePhrases& phrases : entry.phrases) {
                prefetch_array(phrases.hits);
                prefetch_array(phrases.paraphrase_starts);
                prefetch_array(phrases.paraphrases);
                phrases.related_phrases.visit_arrays(prefetch_array);
            }
        }
        return;
    }
}

}  // namespace meteor
