#include "cached_beam_search.hpp"

#include <cstring>

namespace meteor {

template <std::size_t Parts>
void CachedBeamSearch<Parts>::clear() {
    automaton_.clear();
    origins_.clear();
    cached_origin_count_ = 0;
    position_count_ = cached_position_count_ = 0;
}

template <std::size_t Parts>
void CachedBeamSearch<Parts>::run(const BeamTask& task, const std::vector<std::uint32_t>& list_ids,
                                  std::vector<Match>& alignment) {
    Base::start(task);
    const auto positions = static_cast<std::uint32_t>(task.candidates.position_count());
    for (std::uint32_t position = replay_cached_prefix(task, list_ids); position < positions; ++position) {
        Base::advance(task, position);
    }
    Base::finish(task, alignment);
}

// Follows cached transitions, and caches new transitions. If more than half of the positions are found in the cache,
// whole searches are cached. Otherwise, a search is cached up to a few positions after the prefix that it has in common
// with other searches. Returns the position from which the search continues without the cache.
template <std::size_t Parts>
std::uint32_t CachedBeamSearch<Parts>::replay_cached_prefix(const BeamTask& task,
                                                            const std::vector<std::uint32_t>& list_ids) {
    const auto positions = static_cast<std::uint32_t>(task.candidates.position_count());
    const bool has_high_hit_rate = 2 * cached_position_count_ > position_count_;
    nodes_.assign(1, SearchAutomaton<Parts>::ROOT);
    origins_.resize(cached_origin_count_);
    std::uint32_t guess = 0, hits = 0, position = 0;
    bool is_state_loaded = true;
    for (; position < positions; ++position) {
        const AutomatonEdge<Parts> edge = edge_of(task, list_ids[position], position, nodes_[position]);
        std::uint32_t transition = automaton_.find(edge, guess);
        if (transition != SearchAutomaton<Parts>::NONE) {
            ++hits;
            is_state_loaded = false;
            nodes_.push_back(automaton_.transition(transition).node);
            first_origins_[position] = automaton_.transition(transition).origins;
        } else {
            if (!is_state_loaded) restore_state(task, position);
            is_state_loaded = true;
            if (!has_high_hit_rate && position > 2 * hits + 1) break;
            Base::advance(task, position);
            nodes_.push_back(store_state(task, position));
            transition = automaton_.add_transition(edge, nodes_.back(), first_origins_[position]);
        }
        guess = transition + 1;
    }
    position_count_ += positions;
    cached_position_count_ += hits;
    if (!is_state_loaded) restore_state(task, positions);
    cached_origin_count_ = origins_.size();
    return position;
}

template <std::size_t Parts>
AutomatonEdge<Parts> CachedBeamSearch<Parts>::edge_of(const BeamTask& task, std::uint32_t list_id,
                                                      std::uint32_t position, std::uint32_t node) const {
    AutomatonEdge<Parts> edge;
    edge.node = node;
    edge.candidates = 2 * list_id + task.candidates.is_fixed(position);
    const View<Match> starting = task.candidates.at(position);
    for (std::size_t k = 0; k < starting.size(); ++k) {
        const bool is_continuable = Base::future_after(position, starting[k]).chunk != Base::BROKEN;
        edge.continuable |= std::uint64_t{is_continuable} << k;
    }
    Set words{automaton_.used_words(node)};
    words |= Base::covered_words_[position];
    words &= Base::future_words_[position + 1];
    edge.future_words = words.parts;
    return edge;
}

// Restores the state before a position. If this state is not stored, the search is repeated from the last stored state.
template <std::size_t Parts>
void CachedBeamSearch<Parts>::restore_state(const BeamTask& task, std::uint32_t position) {
    std::uint32_t first = position;
    while (first && !automaton_.has_state(nodes_[first])) --first;
    if (first) load_state(automaton_.state(nodes_[first]));
    const std::size_t origin_count = origins_.size();
    for (; first < position; ++first) {
        const std::uint32_t cached_origins = first_origins_[first];
        Base::advance(task, first);
        first_origins_[first] = cached_origins;
    }
    origins_.resize(origin_count);
}

template <std::size_t Parts>
void CachedBeamSearch<Parts>::load_state(const std::uint8_t* bytes) {
    const auto read = [&bytes](void* target, std::size_t size) {
        std::memcpy(target, bytes, size);
        bytes += size;
    };
    StateHeader header;
    read(&header, sizeof header);
    path_count_ = header.paths;
    class_count_ = header.classes;
    read(keys_, path_count_ * sizeof keys_[0]);
    for (std::size_t k = 0; k < class_count_; ++k) {
        StoredClass stored;
        read(&stored, sizeof stored);
        classes_[k] = Class{stored.used_words, stored.future, Origin{}, 0};
    }
    read(class_of_, path_count_);
    for (std::size_t path = 0; path < path_count_; ++path) {
        classes_[class_of_[path]].members |= std::uint64_t{1} << path;
    }
}

// Stores the state after a position, and returns its node in the automaton.
template <std::size_t Parts>
std::uint32_t CachedBeamSearch<Parts>::store_state(const BeamTask& task, std::uint32_t position) {
    Set used_words{};
    for (std::size_t k = 0; k < class_count_; ++k) used_words |= classes_[k].used_words;
    if (Base::is_passed(task, position)) return automaton_.add_node_without_state(used_words.parts);
    const StateHeader header{position, static_cast<std::uint16_t>(path_count_),
                             static_cast<std::uint16_t>(class_count_)};
    // Only differences between ranks are stored, because only they matter.
    const std::int64_t first_key = keys_[0];
    for (std::size_t path = 0; path < path_count_; ++path) keys_[path] -= first_key;
    const std::size_t size =
        sizeof header + path_count_ * (sizeof keys_[0] + sizeof class_of_[0]) + class_count_ * sizeof(StoredClass);
    return automaton_.find_or_add_node(used_words.parts, size, [&](std::uint8_t* bytes) {
        const auto write = [&bytes](const void* source, std::size_t count) {
            std::memcpy(bytes, source, count);
            bytes += count;
        };
        write(&header, sizeof header);
        write(keys_, path_count_ * sizeof keys_[0]);
        for (std::size_t k = 0; k < class_count_; ++k) {
            const StoredClass stored{classes_[k].used_words, classes_[k].future};
            write(&stored, sizeof stored);
        }
        write(class_of_, path_count_ * sizeof class_of_[0]);
    });
}

template class CachedBeamSearch<1>;
template class CachedBeamSearch<2>;
template class CachedBeamSearch<4>;

}  // namespace meteor
