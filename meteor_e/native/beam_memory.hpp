// What beam searches went through before, as an automaton: a state, and what the candidates of a position make of it.
//
// Searches share what they have in common, wherever that is: they begin alike, or come to the same state on different
// ways. Ranks only matter by their differences, so states that differ by the same rank in all paths are one.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "hash_tables.hpp"

namespace meteor {

// What a search goes through at a position: all that the state after it depends on, beside the state before it.
template <std::size_t Parts>
struct BeamEdge {
    std::uint32_t node = 0;                     // where it starts
    std::uint32_t candidates = 0;               // the position's, by number
    std::uint64_t continues = 0;                // which of them may begin a chunk that goes on
    std::array<std::uint64_t, Parts> future{};  // of the words touched so far, those that matter later

    bool operator==(const BeamEdge&) const = default;
    std::uint64_t hash() const {
        std::uint64_t value = mix((std::uint64_t{node} << 32 | candidates) ^ continues * 0x9E3779B97F4A7C15ull);
        for (const std::uint64_t part : future) value = mix(value ^ part);
        return value ^ value >> 32;
    }
};

template <std::size_t Parts>
class BeamMemory {
public:
    using Edge = BeamEdge<Parts>;
    using Words = std::array<std::uint64_t, Parts>;
    static constexpr std::uint32_t NONE = HashedNumbers::ABSENT, ROOT = 0;

    // An edge that was gone before, where it leads, and where it is written what each class came from.
    struct Way {
        Edge edge;
        std::uint32_t node, origins;
    };

    // Asked before a search: what goes beyond is forgotten.
    bool full() const { return bytes_.size() > MAX_BYTES || ways_.size() > MAX_WAYS; }
    void clear() {
        ways_.clear();
        nodes_.assign(1, Node{});
        bytes_.clear();
        by_edge_.clear();
        by_state_.clear();
    }

    // The number of the way of an edge; NONE if no search went there. `guess`: the number that it has if the last
    // search went the same way.
    std::uint32_t find(const Edge& edge, std::uint32_t guess) const {
        if (guess < ways_.size() && ways_[guess].edge == edge) return guess;
        return by_edge_.find(edge.hash(), [&](std::uint32_t number) { return ways_[number].edge == edge; });
    }
    const Way& way(std::uint32_t number) const { return ways_[number]; }
    std::uint32_t add(const Edge& edge, std::uint32_t node, std::uint32_t origins) {
        const auto number = static_cast<std::uint32_t>(ways_.size());
        by_edge_.insert(edge.hash(), number, [](std::uint32_t) { return false; });
        ways_.push_back({edge, node, origins});
        return number;
    }

    // Words that paths at a node have used, and that matter later.
    const Words& used(std::uint32_t node) const { return nodes_[node].used; }

    // A node without a state is reached from the one before by passing a position.
    bool has_state(std::uint32_t node) const { return nodes_[node].first != NONE; }
    const std::uint8_t* state(std::uint32_t node) const { return bytes_.data() + nodes_[node].first; }
    std::uint32_t add_node(const Words& used) {
        nodes_.push_back({NONE, 0, used});
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    // The node with a state, which `write` puts into so many bytes.
    template <typename Write>
    std::uint32_t node_of_state(const Words& used, std::size_t size, Write&& write) {
        const std::size_t first = bytes_.size();
        bytes_.resize(first + size);
        write(bytes_.data() + first);
        const auto next = static_cast<std::uint32_t>(nodes_.size());
        const std::uint64_t hash = hash_of(bytes_.data() + first, size);
        const std::uint32_t known = by_state_.insert(hash, next, [&](std::uint32_t number) {
            const Node& node = nodes_[number];
            return node.size == size && !std::memcmp(bytes_.data() + node.first, bytes_.data() + first, size);
        });
        if (known == next) {
            nodes_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size), used});
        } else {
            bytes_.resize(first);
        }
        return known;
    }

private:
    static constexpr std::size_t MAX_BYTES = std::size_t{24} << 20, MAX_WAYS = std::size_t{1} << 18;

    struct Node {
        std::uint32_t first = NONE, size = 0;  // of its state in bytes_
        Words used{};
    };

    static std::uint64_t hash_of(const std::uint8_t* bytes, std::size_t size) {
        std::uint64_t even = size, odd = 0, part[2];
        for (; size >= sizeof part; size -= sizeof part, bytes += sizeof part) {
            std::memcpy(part, bytes, sizeof part);
            even = (even ^ part[0]) * 0x9E3779B97F4A7C15ull;
            odd = (odd ^ part[1]) * 0xC2B2AE3D27D4EB4Full;
            even ^= even >> 29;
            odd ^= odd >> 31;
        }
        part[0] = part[1] = 0;
        std::memcpy(part, bytes, size);
        const std::uint64_t value = mix(mix(even ^ part[0]) + odd + mix(part[1]));
        return value ^ value >> 32;
    }

    std::vector<Way> ways_;
    std::vector<Node> nodes_{Node{}};
    std::vector<std::uint8_t> bytes_;  // of the states
    HashedNumbers by_edge_, by_state_;
};

}  // namespace meteor
