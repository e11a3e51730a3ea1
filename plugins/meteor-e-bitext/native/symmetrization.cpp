#include "symmetrization.hpp"

#include <utility>

namespace meteor::bitext {

namespace {

constexpr std::size_t MAX_CELLS = std::size_t{1} << 26;  // sentence pairs with more cells do not get any links

using Link = std::pair<std::uint16_t, std::uint16_t>;  // a source position and a target position

Link make_link(std::size_t i, std::size_t j) noexcept {
    return {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)};
}

// The links of a sentence pair.
class Matrix {
public:
    void reset(std::size_t source_size, std::size_t target_size) {
        source_size_ = source_size;
        target_size_ = target_size;
        cells_.assign(source_size * target_size, 0);
        is_source_linked_.assign(source_size, 0);
        is_target_linked_.assign(target_size, 0);
    }
    [[nodiscard]] std::size_t source_size() const noexcept { return source_size_; }
    [[nodiscard]] std::size_t target_size() const noexcept { return target_size_; }
    [[nodiscard]] bool contains(std::size_t i, std::size_t j) const noexcept { return cells_[j * source_size_ + i]; }
    [[nodiscard]] bool is_source_linked(std::size_t i) const noexcept { return is_source_linked_[i]; }
    [[nodiscard]] bool is_target_linked(std::size_t j) const noexcept { return is_target_linked_[j]; }
    void add(std::size_t i, std::size_t j) noexcept {
        cells_[j * source_size_ + i] = is_source_linked_[i] = is_target_linked_[j] = 1;
    }

private:
    std::size_t source_size_ = 0, target_size_ = 0;
    std::vector<char> cells_, is_source_linked_, is_target_linked_;
};

// Combines the alignments of sentence pairs, one after the other.
class Symmetrizer {
public:
    explicit Symmetrizer(Heuristic heuristic) : heuristic_(heuristic) {}

    void run(View<std::uint16_t> forward, View<std::uint16_t> backward) {
        forward_ = forward;
        backward_ = backward;
        find_union();
        find_intersection();
        switch (heuristic_) {
            case Heuristic::intersection:
                break;
            case Heuristic::union_:
                matrix_ = union_;
                break;
            case Heuristic::grow_diag:
                grow_diagonally();
                break;
            case Heuristic::grow_diag_final:
                grow_diagonally();
                add_remaining_links([](bool is_source_linked, bool is_target_linked) {
                    return !is_source_linked || !is_target_linked;
                });
                break;
            case Heuristic::grow_diag_final_and:
                grow_diagonally();
                add_remaining_links([](bool is_source_linked, bool is_target_linked) {
                    return !is_source_linked && !is_target_linked;
                });
                break;
        }
    }
    void append_links(std::vector<std::uint16_t>& positions) const {
        for (std::size_t i = 0; i < matrix_.source_size(); ++i) {
            if (!matrix_.is_source_linked(i)) continue;
            for (std::size_t j = 0; j < matrix_.target_size(); ++j) {
                if (!matrix_.contains(i, j)) continue;
                positions.push_back(static_cast<std::uint16_t>(i));
                positions.push_back(static_cast<std::uint16_t>(j));
            }
        }
    }

private:
    // Calls `visit(i, j)` for each link of the forward alignment, then for each link of the backward alignment.
    template <class Visit>
    void visit_links(const Visit& visit) const {
        for (std::size_t j = 0; j < forward_.size(); ++j) {
            if (forward_[j] < backward_.size()) visit(forward_[j], j);
        }
        for (std::size_t i = 0; i < backward_.size(); ++i) {
            if (backward_[i] < forward_.size()) visit(i, backward_[i]);
        }
    }
    void find_union() {
        union_.reset(backward_.size(), forward_.size());
        visit_links([this](std::size_t i, std::size_t j) { union_.add(i, j); });
    }
    void find_intersection() {
        matrix_.reset(backward_.size(), forward_.size());
        links_.clear();
        for (std::size_t j = 0; j < forward_.size(); ++j) {
            const std::size_t i = forward_[j];
            if (i >= backward_.size() || backward_[i] != j) continue;
            matrix_.add(i, j);
            links_.push_back(make_link(i, j));
        }
    }
    // Adds links of the union that are horizontally, vertically or diagonally next to a link, if at least one of their
    // words does not have a link yet (Och and Ney 2003; Koehn et al. 2005).
    void grow_diagonally() {
        for (std::size_t next = 0; next < links_.size(); ++next) {
            for (int di = -1; di <= 1; ++di) {
                for (int dj = -1; dj <= 1; ++dj) {
                    const std::size_t i = links_[next].first + static_cast<std::size_t>(di);
                    const std::size_t j = links_[next].second + static_cast<std::size_t>(dj);
                    // A position of -1 is a very large unsigned number, so this check refuses it, too.
                    if (i >= matrix_.source_size() || j >= matrix_.target_size()) continue;
                    if (!union_.contains(i, j) || matrix_.contains(i, j)) continue;
                    if (matrix_.is_source_linked(i) && matrix_.is_target_linked(j)) continue;
                    matrix_.add(i, j);
                    links_.push_back(make_link(i, j));
                }
            }
        }
    }
    template <class Accepts>
    void add_remaining_links(const Accepts& accepts) {
        visit_links([&](std::size_t i, std::size_t j) {
            if (accepts(matrix_.is_source_linked(i), matrix_.is_target_linked(j))) matrix_.add(i, j);
        });
    }

    Heuristic heuristic_;
    View<std::uint16_t> forward_, backward_;
    Matrix union_, matrix_;
    std::vector<Link> links_;  // the links of matrix_, in the order in which they were added
};

}  // namespace

Links symmetrize(View<std::uint64_t> source_starts, View<std::uint64_t> target_starts, View<std::uint16_t> forward,
                 View<std::uint16_t> backward, Heuristic heuristic) {
    Links links;
    Symmetrizer symmetrizer(heuristic);
    for (std::size_t s = 0; s + 1 < source_starts.size(); ++s) {
        const std::size_t source_size = source_starts[s + 1] - source_starts[s];
        const std::size_t target_size = target_starts[s + 1] - target_starts[s];
        const bool is_short =
            source_size < NOT_ALIGNED && target_size < NOT_ALIGNED && source_size * target_size <= MAX_CELLS;
        if (is_short) {
            symmetrizer.run(forward.subspan(target_starts[s], target_size),
                            backward.subspan(source_starts[s], source_size));
            symmetrizer.append_links(links.positions);
        }
        links.starts.push_back(links.positions.size() / 2);
    }
    return links;
}

}  // namespace meteor::bitext
