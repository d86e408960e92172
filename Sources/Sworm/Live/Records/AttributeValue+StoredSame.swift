import SwormPredicates

extension AttributeValue {
    /// Returns whether two values are the same in a store, which compares the bytes of strings.
    func isStoredSame(as other: AttributeValue) -> Bool {
        if case .string(let one) = self, case .string(let other) = other { return one.utf8.elementsEqual(other.utf8) }
        return self == other
    }
}

extension [AttributeValue] {
    func isStoredSame(as others: [AttributeValue]) -> Bool {
        count == others.count && zip(self, others).allSatisfy { $0.isStoredSame(as: $1) }
    }
}
