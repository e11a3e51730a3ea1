// A cache for the features of references.
#pragma once

#include <vector>

#include "reference_features.hpp"

namespace meteor {

// A set-associative cache of limited size. If it exceeds its budget, it is emptied completely. Every system of a test
// set has the same references in the same order, so the oldest entries are always the entries that are needed next.
class ReferenceCache {
public:
    ReferenceCache(const Chain& chain, const Vocabulary& vocabulary) : chain_(chain), vocabulary_(vocabulary) {}

    // Returns the features of a reference. The matchers may extend them. The reference is valid until the next call.
    [[nodiscard]] ReferenceFeatures& find_or_insert(Words reference, std::uint64_t hash);

    // Prefetches the features of a reference that is needed after `pairs_ahead` other pairs. Call the function for all
    // distances from MAX_PAIRS_AHEAD to 1, because a step reads addresses that the previous step has prefetched.
    static constexpr std::size_t MAX_PAIRS_AHEAD = 3;
    void prefetch(std::uint64_t hash, std::size_t pairs_ahead) const noexcept;

private:
    static constexpr std::size_t WAYS = 4, SETS = 2048;
    static constexpr std::size_t BUDGET_IN_BYTES = std::size_t{32} << 20;

    void update_size() noexcept;
    void prepare_entries();
    [[nodiscard]] std::size_t choose_victim(std::size_t set) noexcept;
    [[nodiscard]] static std::size_t first_entry_of_set(std::uint64_t hash) noexcept { return hash % SETS * WAYS; }

    const Chain& chain_;
    const Vocabulary& vocabulary_;
    std::vector<ReferenceFeatures> entries_;
    std::vector<std::uint64_t> hashes_;  // of the entries
    std::size_t size_in_bytes_ = 0;
    std::size_t next_victim_ = 0;
    ReferenceFeatures* last_entry_ = nullptr;  // the entry that the last call returned
    std::size_t last_entry_size_ = 0;          // its size when it was returned
};

}  // namespace meteor
