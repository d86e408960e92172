/// A sequence with at least one element, whose first element has already been read.
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

    /// - Returns: Nil if the sequence has no elements.
    init?(_ base: Base) {
        var rest = base.makeIterator()
        guard let first = rest.next() else { return nil }
        iterator = Iterator(first: first, rest: rest)
    }

    func makeIterator() -> Iterator { iterator }
}

extension Sequence {
    /// Whether the sequence has no elements, or nil if this is unknown without reading the first element.
    var isKnownEmpty: Bool? {
        if let collection = self as? any Collection { return collection.isEmpty }
        return withContiguousStorageIfAvailable(\.isEmpty)
    }
}
