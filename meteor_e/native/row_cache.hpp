// A cache that maps each key to a list of results, its row.
#pragma once

#include <vector>

#include "common.hpp"
#include "hash_tables.hpp"

namespace meteor {

// Each key has a row of results, which may be empty. A lookup has two steps. First, assign_rows() lists the keys that
// are not in the cache. Then add_results() adds the rows of these keys.
template <class Result>
class RowCache {
public:
    struct NewResult {
        std::uint32_t key_index;  // among the new keys
        Result result;
    };

    // Sets `rows` to the index of the row for each item's key. Sets `new_keys` to the keys without a row.
    template <class Items, class KeyOf>
    void assign_rows(const Items& items, const KeyOf& key_of, std::vector<std::uint32_t>& rows,
                     std::vector<std::uint32_t>& new_keys) {
        if (row_ids_.size() > MAX_KEYS) clear();
        old_size_ = row_ids_.size();
        rows.clear();
        new_keys.clear();
        for (const auto& item : items) {
            rows.push_back(row_ids_.find_or_insert(key_of(item)));
            if (rows.back() == old_size_ + new_keys.size()) new_keys.push_back(key_of(item));
        }
    }
    // Returns the index of a key among the new keys, or IdMap::ABSENT.
    [[nodiscard]] std::uint32_t new_key_index(std::uint32_t key) const {
        const std::uint32_t row = row_ids_.find(key);
        return row == IdMap::ABSENT || row < old_size_ ? IdMap::ABSENT : row - old_size_;
    }
    // Adds the rows of the new keys. The results of each key keep their order.
    void add_results(const std::vector<NewResult>& results) {
        append_by_key(
            results, row_ids_.size() - old_size_, [](const NewResult& item) { return item.key_index; },
            [](const NewResult& item) { return item.result; }, row_starts_, results_);
    }
    [[nodiscard]] View<Result> row(std::uint32_t index) const noexcept {
        return {results_.data() + row_starts_[index], row_starts_[index + 1] - row_starts_[index]};
    }
    void clear() { *this = RowCache(); }

    // Calls the function `visit` for each array that a lookup reads.
    template <class Visit>
    void visit_arrays(const Visit& visit) const {
        visit(row_starts_);
        visit(results_);
        visit(row_ids_.slots());
    }

private:
    static constexpr std::size_t MAX_KEYS = 1024;

    IdMap row_ids_;
    std::uint32_t old_size_ = 0;  // number of rows before the last call of assign_rows()
    std::vector<std::uint32_t> row_starts_{0};
    std::vector<Result> results_;
};

}  // namespace meteor
