// A beam search for n-best lists. Similar searches share states, which are cached in an automaton.
#pragma once

#include "beam_search.hpp"
#include "search_automaton.hpp"

namespace meteor {

// Has the same result as BeamSearch. Between two calls of clear(), all searches must have the same units and beam.
template <std::size_t Parts>
class CachedBeamSearch : private BeamSearch<Parts> {
public:
    using BeamSearch<Parts>::MAX_WORDS;

    // `list_ids` identifies the candidates of each position: lists with the same id are equal.
    void run(const BeamTask& task, const std::vector<std::uint32_t>& list_ids, std::vector<Match>& alignment);

    // The size of the cache is checked before each search. A full cache is cleared.
    [[nodiscard]] bool is_full() const noexcept { return automaton_.is_full() || origins_.size() > MAX_ORIGINS; }
    void clear();

private:
    using Base = BeamSearch<Parts>;
    using Base::class_count_;
    using Base::class_of_;
    using Base::classes_;
    using Base::first_origins_;
    using Base::keys_;
    using Base::origins_;
    using Base::path_count_;
    using typename Base::Class;
    using typename Base::Future;
    using typename Base::Origin;
    using typename Base::Set;

    // The layout of a stored state: the header, the keys, the classes, and the class of each path.
    struct StateHeader {
        std::uint32_t position;
        std::uint16_t paths, classes;
    };
    struct StoredClass {
        Set used_words;
        Future future;
    };
    static constexpr std::size_t MAX_ORIGINS = std::size_t{1} << 22;

    std::uint32_t replay_cached_prefix(const BeamTask& task, const std::vector<std::uint32_t>& list_ids);
    [[nodiscard]] AutomatonEdge<Parts> edge_of(const BeamTask& task, std::uint32_t list_id, std::uint32_t position,
                                               std::uint32_t node) const;
    void restore_state(const BeamTask& task, std::uint32_t position);
    void load_state(const std::uint8_t* bytes);
    [[nodiscard]] std::uint32_t store_state(const BeamTask& task, std::uint32_t position);

    SearchAutomaton<Parts> automaton_;
    std::vector<std::uint32_t> nodes_;     // of the automaton, before each position
    std::size_t cached_origin_count_ = 0;  // the origins after these belong to the last search only
    std::size_t position_count_ = 0, cached_position_count_ = 0;  // of all searches, for the hit rate
};

extern template class CachedBeamSearch<1>;
extern template class CachedBeamSearch<2>;
extern template class CachedBeamSearch<4>;

}  // namespace meteor
