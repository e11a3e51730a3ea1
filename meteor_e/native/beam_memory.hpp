// What a beam search went through before, as a tree: pairs whose candidates begin alike share its branches.
#pragma once

#include <array>
#include <vector>

#include "common.hpp"

namespace meteor {

// What a search goes through at a position: all that the state after it depends on, beside the state before it.
template <std::size_t Parts>
struct BeamEdge {
    std::uint32_t node = 0;                     // where it starts
    std::uint32_t candidates = 0;               // the position's, by number
    std::uint64_t continues = 0;                // which of them may begin a chunk that goes on
    std::array<std::uint64_t, Parts> future{};  // of the words touched so far, those that matter later

    bool operator==(const BeamEdge& other) const {
        return node == other.node && candidates == other.candidates && continues == other.continues &&
               future == other.future;
    }
    std::size_t hash() const {
        std::uint64_t value = mix((std::uint64_t{node} << 32 | candidates) ^ continues * 0x9E3779B97F4A7C15ull);
        for (const std::uint64_t part : future) value = mix(value ^ part);
        return static_cast<std::size_t>(value ^ value >> 32);
    }
};

template <std::size_t Parts>
class BeamMemory {
public:
    using Edge = BeamEdge<Parts>;
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu, ROOT = 0;

    // Asked before a search: what goes beyond is forgotten.
    bool full() const { return bytes_.size() > MAX_BYTES || nodes_.size() > MAX_NODES; }
    void clear() {
        slots_.clear();
        bytes_.clear();
        nodes_.assign(1, Node{});
    }

    // The node where an edge leads; NONE where no search went there.
    std::uint32_t find(const Edge& edge) const {
        // Nodes of one search follow each other.
        if (edge.node + 1 < nodes_.size() && nodes_[edge.node + 1].edge == edge) return edge.node + 1;
        return slots_.empty() ? NONE : slots_[slot_of(edge, tag_of(edge))].node;
    }
    std::uint32_t add(const Edge& edge) {
        if (2 * (nodes_.size() + 1) > slots_.size()) grow();
        const std::uint32_t tag = tag_of(edge), node = static_cast<std::uint32_t>(nodes_.size());
        slots_[slot_of(edge, tag)] = {tag, node};
        nodes_.push_back({edge, NONE});
        return node;
    }

    // A node's state: so many bytes, once it has been given room.
    bool has_state(std::uint32_t node) const { return nodes_[node].state != NONE; }
    const std::uint8_t* state(std::uint32_t node) const { return bytes_.data() + nodes_[node].state; }
    std::uint8_t* give_room(std::uint32_t node, std::size_t bytes) {
        nodes_[node].state = static_cast<std::uint32_t>(bytes_.size());
        bytes_.resize(bytes_.size() + bytes);
        return bytes_.data() + nodes_[node].state;
    }

private:
    static constexpr std::size_t MAX_BYTES = std::size_t{24} << 20, MAX_NODES = std::size_t{1} << 18;
    static constexpr std::size_t FIRST_SLOTS = std::size_t{1} << 12;

    struct Node {
        Edge edge;                   // to it
        std::uint32_t state = NONE;  // where in bytes_
    };
    struct Slot {
        std::uint32_t tag = 0, node = NONE;
    };

    static std::uint32_t tag_of(const Edge& edge) { return static_cast<std::uint32_t>(edge.hash()); }
    std::size_t slot_of(const Edge& edge, std::uint32_t tag) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = tag & mask;
        while (slots_[at].node != NONE && !(slots_[at].tag == tag && nodes_[slots_[at].node].edge == edge)) {
            at = (at + 1) & mask;
        }
        return at;
    }
    void grow() {
        std::vector<Slot> before(slots_.empty() ? FIRST_SLOTS : 2 * slots_.size());
        before.swap(slots_);
        const std::size_t mask = slots_.size() - 1;
        for (const Slot& slot : before) {
            if (slot.node == NONE) continue;
            std::size_t at = slot.tag & mask;
            while (slots_[at].node != NONE) at = (at + 1) & mask;
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<Node> nodes_{Node{}};
    std::vector<std::uint8_t> bytes_;
};

}  // namespace meteor
