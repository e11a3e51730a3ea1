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
    bool full() const { return bytes_.size() > MAX_BYTES || states_.size() > MAX_NODES; }
    void clear() {
        slots_.clear();
        bytes_.clear();
        states_.assign(1, NONE);
    }

    // The node where an edge leads; NONE where no search went there.
    std::uint32_t find(const Edge& edge) const { return slots_.empty() ? NONE : slots_[slot_of(edge)].node; }
    std::uint32_t add(const Edge& edge) {
        if (2 * (states_.size() + 1) > slots_.size()) grow();
        Slot& slot = slots_[slot_of(edge)];
        slot = {edge, static_cast<std::uint32_t>(states_.size())};
        states_.push_back(NONE);
        return slot.node;
    }

    // A node's state: so many bytes, once it has been given room.
    bool has_state(std::uint32_t node) const { return states_[node] != NONE; }
    const std::uint8_t* state(std::uint32_t node) const { return bytes_.data() + states_[node]; }
    std::uint8_t* give_room(std::uint32_t node, std::size_t bytes) {
        states_[node] = static_cast<std::uint32_t>(bytes_.size());
        bytes_.resize(bytes_.size() + bytes);
        return bytes_.data() + states_[node];
    }

private:
    static constexpr std::size_t MAX_BYTES = std::size_t{24} << 20, MAX_NODES = std::size_t{1} << 18;
    static constexpr std::size_t FIRST_SLOTS = std::size_t{1} << 12;

    struct Slot {
        Edge edge;
        std::uint32_t node = NONE;
    };

    std::size_t slot_of(const Edge& edge) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = edge.hash() & mask;
        while (slots_[at].node != NONE && !(slots_[at].edge == edge)) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> before(slots_.empty() ? FIRST_SLOTS : 2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.node != NONE) slots_[slot_of(slot.edge)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint32_t> states_{NONE};  // of each node, where in bytes_
};

}  // namespace meteor
