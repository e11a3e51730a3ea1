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
    struct Node {
        std::uint32_t number = NONE, state = NONE;  // where its state is kept
    };

    // Asked before a search: what goes beyond is forgotten.
    bool full() const { return states_.size() > MAX_BYTES || count_ > MAX_NODES; }
    void clear() {
        slots_.clear();
        states_.clear();
        count_ = 1;
    }

    // Where an edge leads; its number is NONE where no search went there.
    Node find(const Edge& edge) const { return slots_.empty() ? Node{} : slots_[slot_of(edge)].node; }
    // Makes a node, with room for a state of so many bytes, or without a state.
    Node add(const Edge& edge, std::size_t bytes) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[slot_of(edge)];
        slot = {edge, {static_cast<std::uint32_t>(count_++), NONE}};
        if (bytes) slot.node.state = static_cast<std::uint32_t>(states_.size());
        states_.resize(states_.size() + bytes);
        return slot.node;
    }
    std::uint8_t* state(const Node& node) { return states_.data() + node.state; }

private:
    static constexpr std::size_t MAX_BYTES = std::size_t{24} << 20, MAX_NODES = std::size_t{1} << 18;
    static constexpr std::size_t FIRST_SLOTS = std::size_t{1} << 12;

    struct Slot {
        Edge edge;
        Node node;
    };

    std::size_t slot_of(const Edge& edge) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = edge.hash() & mask;
        while (slots_[at].node.number != NONE && !(slots_[at].edge == edge)) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> before(slots_.empty() ? FIRST_SLOTS : 2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.node.number != NONE) slots_[slot_of(slot.edge)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<std::uint8_t> states_;
    std::size_t count_ = 1;
};

}  // namespace meteor
