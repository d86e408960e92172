package import SwormPredicates

/// Values of some of an entity's attributes, by slot.
///
/// They take room for as many as there are: most changes are of one attribute or two, and there may be many of them.
package struct SlotValues: Sendable {
    /// The slots that have a value; nil where all have, from the first to the last of the values.
    private var slots: SlotSet?
    /// In the order of their slots.
    private(set) var values: [AttributeValue]

    package init() {
        slots = SlotSet()
        values = []
    }

    /// A value for every slot.
    package init(all values: [AttributeValue]) {
        slots = nil
        self.values = values
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The values by slot; nil where some have none.
    package var all: [AttributeValue]? { slots == nil ? values : nil }

    /// Whether these slots have a value, and no others.
    package func haveExactly(_ slots: SlotSet) -> Bool { self.slots == slots }

    func haveSameSlots(as others: SlotValues) -> Bool {
        slots == others.slots && values.count == others.values.count
    }

    /// The value of a slot; nil for none.
    package subscript(slot: Int) -> AttributeValue? {
        get {
            guard let slots else { return slot < values.count ? values[slot] : nil }
            return slots.contains(slot) ? values[slots.count(below: slot)] : nil
        }
        set {
            if let newValue { set(slot, newValue) } else { remove(slot) }
        }
    }

    private mutating func set(_ slot: Int, _ value: AttributeValue) {
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

    private mutating func remove(_ slot: Int) {
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
    package struct Iterator: IteratorProtocol {
        fileprivate let list: SlotValues
        private var place = 0
        private var start = 0

        fileprivate init(_ list: SlotValues) { self.list = list }

        package mutating func next() -> (slot: Int, value: AttributeValue)? {
            guard place < list.values.count, let slot = list.slots == nil ? place : list.slots?.first(from: start)
            else { return nil }
            defer { (place, start) = (place + 1, slot + 1) }
            return (slot, list.values[place])
        }
    }

    /// Goes through the values in the order of their slots.
    package func makeIterator() -> Iterator { Iterator(self) }
}
