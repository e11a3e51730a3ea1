// A cache for the states of beam searches, in the form of an automaton.
//
// An edge leads from the state before a position to the state after the position. Two searches share edges if they have
// a common prefix, or if they reach the same state in different ways. States are equal if their ranks differ by a
// constant, because only differences between ranks matter.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "hash_tables.hpp"

namespace meteor {

// The conditions that determine the state after a position.
template <std::size_t Parts>
struct AutomatonEdge {
    std::uint32_t node = 0;                           // the state before the position
    std::uint32_t candidates = 0;                     // id of the list of candidates of the position
    std::uint64_t continuable = 0;                    // bit k: the chunk that ends with candidate k can be continued
    std::array<std::uint64_t, Parts> future_words{};  // the used or covered words that later candidates cover

    bool operator==(const AutomatonEdge&) const = default;
    [[nodiscard]] std::uint64_t hash() const noexcept {
        std::uint64_t value = mix_bits((std::uint64_t{node} << 32 | candidates) ^ continuable * 0x9E3779B97F4A7C15ull);
        for (const std::uint64_t part : future_words) value = mix_bits(value ^ part);
        return value ^ value >> 32;
    }
};

template <std::size_t Parts>
class SearchAutomaton {
public:
    using Edge = AutomatonEdge<Parts>;
    using Words = std::array<std::uint64_t, Parts>;
    static constexpr std::uint32_t NONE = HashIndex::ABSENT, ROOT = 0;

    struct Transition {
        Edge edge;
        std::uint32_t node;     // the state after the position
        std::uint32_t origins;  // index of the classes' origins, in CachedBeamSearch
    };

    // The size of the automaton is checked before each search. A full automaton is cleared.
    [[nodiscard]] bool is_full() const noexcept {
        return state_bytes_.size() > MAX_BYTES || transitions_.size() > MAX_TRANSITIONS;
    }
    void clear() {
        transitions_.clear();
        nodes_.assign(1, Node{});
        state_bytes_.clear();
        transition_by_edge_.clear();
        node_by_state_.clear();
    }

    // Returns the index of the transition for an edge, or NONE. `guess` is the right index if the search takes the same
    // way as the last search.
    [[nodiscard]] std::uint32_t find(const Edge& edge, std::uint32_t guess) const {
        if (guess < transitions_.size() && transitions_[guess].edge == edge) return guess;
        return transition_by_edge_.find(edge.hash(),
                                        [&](std::uint32_t index) { return transitions_[index].edge == edge; });
    }
    [[nodiscard]] const Transition& transition(std::uint32_t index) const noexcept { return transitions_[index]; }
    std::uint32_t add_transition(const Edge& edge, std::uint32_t node, std::uint32_t origins) {
        const auto index = static_cast<std::uint32_t>(transitions_.size());
        transition_by_edge_.find_or_insert(edge.hash(), index, [](std::uint32_t) { return false; });
        transitions_.push_back({edge, node, origins});
        return index;
    }

    // The words that are used by a path in the state and covered by a later candidate.
    [[nodiscard]] const Words& used_words(std::uint32_t node) const noexcept { return nodes_[node].used_words; }

    // Only some nodes store a state. The state of another node results from the node before by passing a position.
    [[nodiscard]] bool has_state(std::uint32_t node) const noexcept { return nodes_[node].first_byte != NONE; }
    [[nodiscard]] const std::uint8_t* state(std::uint32_t node) const noexcept {
        return state_bytes_.data() + nodes_[node].first_byte;
    }
    std::uint32_t add_node_without_state(const Words& used_words) {
        nodes_.push_back({NONE, 0, used_words});
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    // Returns the node for a state. The function `write` writes the state to `size` bytes of memory.
    template <typename Write>
    std::uint32_t find_or_add_node(const Words& used_words, std::size_t size, Write&& write) {
        const std::size_t first = state_bytes_.size();
        state_bytes_.resize(first + size);
        write(state_bytes_.data() + first);
        const auto new_node = static_cast<std::uint32_t>(nodes_.size());
        const std::uint64_t hash = hash_bytes(state_bytes_.data() + first, size);
        const std::uint32_t node = node_by_state_.find_or_insert(hash, new_node, [&](std::uint32_t candidate) {
            const Node& existing_node = nodes_[candidate];
            return existing_node.size == size &&
                   !std::memcmp(state_bytes_.data() + existing_node.first_byte, state_bytes_.data() + first, size);
        });
        if (node == new_node) {
            nodes_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size), used_words});
        } else {
            state_bytes_.resize(first);
        }
        return node;
    }

private:
    static constexpr std::size_t MAX_BYTES = std::size_t{24} << 20, MAX_TRANSITIONS = std::size_t{1} << 18;

    struct Node {
        std::uint32_t first_byte = NONE, size = 0;  // of the state, in state_bytes_
        Words used_words{};
    };

    [[nodiscard]] static std::uint64_t hash_bytes(const std::uint8_t* bytes, std::size_t size) noexcept {
        std::uint64_t even = size, odd = 0, words[2];
        for (; size >= sizeof words; size -= sizeof words, bytes += sizeof words) {
            std::memcpy(words, bytes, sizeof words);
            even = (even ^ words[0]) * 0x9E3779B97F4A7C15ull;
            odd = (odd ^ words[1]) * 0xC2B2AE3D27D4EB4Full;
            even ^= even >> 29;
            odd ^= odd >> 31;
        }
        words[0] = words[1] = 0;
        std::memcpy(words, bytes, size);
        const std::uint64_t value = mix_bits(mix_bits(even ^ words[0]) + odd + mix_bits(words[1]));
        return value ^ value >> 32;
    }

    std::vector<Transition> transitions_;
    std::vector<Node> nodes_{Node{}};
    std::vector<std::uint8_t> state_bytes_;
    HashIndex transition_by_edge_, node_by_state_;
};

}  // namespace meteor
