/// A sequence with at least one element, whose first one has been taken already.
struct PeekedSequence<Base: Sequence>: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate var first: Base.Element?
        fileprivate var rest: Base.Iterator

        mutating func next() -> Base.Element? {
            guard let element = first else { return rest.next() }
            first = nil
            return element
        }
    }

    private let iterator: Iterator

    /// - Returns: Nil for a sequence without elements.
    init?(_ base: Base) {
        var rest = base.makeIterator()
        guard let first = rest.next() else { return nil }
        iterator = Iterator(first: first, rest: rest)
    }

    func makeIterator() -> Iterator { iterator }
}

extension Sequence {
    /// Whether there are no elements; nil where that cannot be said without taking the first one.
    var isKnownEmpty: Bool? {
        if let collection = self as? any Collection { return collection.isEmpty }
        return withContiguousStorageIfAvailable(\.isEmpty)
    }
}
