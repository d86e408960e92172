public import SwormPredicates

/// Values of some of an entity's attributes, by slot.
///
/// Memory is only used for the values that exist: most changes concern one or two attributes, and there may be many
/// changes.
@frozen @usableFromInline
package struct SlotValues: Sendable {
    /// The slots that have a value, or nil if all slots have one, from the first to the last of the values.
    @usableFromInline var slots: SlotSet?
    /// The values in the order of their slots.
    @usableFromInline var values: [AttributeValue]

    @inlinable
    package init() {
        slots = SlotSet()
        values = []
    }

    /// Creates a collection with a value for every slot.
    @inlinable
    package init(all values: [AttributeValue]) {
        slots = nil
        self.values = values
    }

    @inlinable
    package var isEmpty: Bool { values.isEmpty }

    /// The values by slot, or nil if some slots have no value.
    @inlinable
    package var all: [AttributeValue]? { slots == nil ? values : nil }

    /// Returns whether exactly these slots have a value.
    package func haveExactly(_ slots: SlotSet) -> Bool { self.slots == slots }

    func haveSameSlots(as others: SlotValues) -> Bool {
        slots == others.slots && values.count == others.values.count
    }

    /// Accesses the value of a slot; nil for none.
    @inlinable
    package subscript(slot: Int) -> AttributeValue? {
        get {
            guard let slots else { return slot < values.count ? values[slot] : nil }
            return slots.contains(slot) ? values[slots.count(below: slot)] : nil
        }
        set {
            if let newValue { set(slot, to: newValue) } else { remove(slot) }
        }
    }

    @usableFromInline
    mutating func set(_ slot: Int, to value: AttributeValue) {
        if slots == nil {
            if slot < values.count { return values[slot] = value }
            giveEachItsSlot()
        }
        guard let place = slots?.count(below: slot) else { return }
        if slots?.contains(slot) == true {
            values[place] = value
        } else {
            values.insert(value, at: place)
            slots?.insert(slot)
        }
    }

    @usableFromInline
    mutating func remove(_ slot: Int) {
        giveEachItsSlot()
        guard let place = slots?.count(below: slot), slots?.contains(slot) == true else { return }
        values.remove(at: place)
        slots?.remove(slot)
    }

    private mutating func giveEachItsSlot() {
        guard slots == nil else { return }
        var all = SlotSet()
        for slot in values.indices { all.insert(slot) }
        slots = all
    }
}

extension SlotValues: Sequence {
    @usableFromInline
    package struct Iterator: IteratorProtocol {
        fileprivate let list: SlotValues
        private var place = 0
        private var start = 0

        fileprivate init(_ list: SlotValues) { self.list = list }

        @usableFromInline

        package mutating func next() -> (slot: Int, value: AttributeValue)? {
            guard place < list.values.count, let slot = list.slots == nil ? place : list.slots?.first(from: start)
            else { return nil }
            defer { (place, start) = (place + 1, slot + 1) }
            return (slot, list.values[place])
        }
    }

    /// Returns an iterator over the values in the order of their slots.
    @usableFromInline
    package func makeIterator() -> Iterator { Iterator(self) }
}
