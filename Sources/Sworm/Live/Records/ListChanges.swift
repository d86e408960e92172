/// The differences between two lists of objects, as offsets that list views and servers can apply.
///
/// Objects are compared by their identities. The offsets in ``removed`` and the sources of ``moved`` refer to the old
/// list; the offsets in ``inserted`` and ``updated`` and the targets of ``moved`` refer to the new list. To get from the
/// old list to the new one, remove the removed and the moved objects, then insert the inserted and the moved ones in
/// ascending order of their new offsets, then reload the updated ones.
///
/// An object that is moved and has other values is in ``moved`` and in ``updated``. The moves are the fewest possible.
///
/// In a list with sections, an object that changes its section is in ``moved``, even if its offset is the same.
/// ``sections`` has the sections that appear and disappear.
public struct ListChanges: Sendable, Hashable, Codable {
    /// The move of an object from an offset in the old list to an offset in the new one.
    public struct Move: Sendable, Hashable, Codable {
        /// The offset in the old list.
        public var from: Int
        /// The offset in the new list.
        public var to: Int

        /// Creates a move between two offsets.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// The differences between the sections of two lists.
    ///
    /// Sections are compared by their stored keys. A section with another key is removed and inserted.
    public struct Sections: Sendable, Hashable, Codable {
        /// The offsets of the removed sections among the old sections, in ascending order.
        public var removed: [Int] = []
        /// The offsets of the inserted sections among the new sections, in ascending order.
        public var inserted: [Int] = []

        /// Creates differences between equal sections.
        public init() {}

        /// Whether no section is removed or inserted.
        public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }
    }

    /// The offsets of the removed objects in the old list, in ascending order.
    public var removed: [Int] = []
    /// The offsets of the inserted objects in the new list, in ascending order.
    public var inserted: [Int] = []
    /// The moved objects, in ascending order of their new offsets.
    public var moved: [Move] = []
    /// The offsets in the new list of the objects that have other values, in ascending order.
    public var updated: [Int] = []
    /// The sections that appear and disappear. Empty in a list without sections.
    public var sections = Sections()

    /// Creates differences between lists that are equal.
    public init() {}

    /// Whether the lists are equal.
    public var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty && sections.isEmpty
    }
}

extension ListChanges {
    /// Returns the new list, given the old list and the elements of the new list that the old one does not have in this
    /// form.
    ///
    /// - Parameters:
    ///   - old: The old list.
    ///   - element: A closure that returns the element of the new list at an offset. It is called for the inserted and
    ///     the updated elements.
    /// - Complexity: O(*n* + *k* log *k*), where *n* is the length of the lists and *k* the number of differences.
    public func applied<Element>(to old: [Element], _ element: (Int) throws -> Element) rethrows -> [Element] {
        var isLeaving = [Bool](repeating: false, count: old.count)
        for offset in removed { isLeaving[offset] = true }
        for move in moved { isLeaving[move.from] = true }
        var entering = inserted.map { (offset: $0, source: Int?.none) }
        entering += moved.map { (offset: $0.to, source: Int?.some($0.from)) }
        entering.sort { $0.offset < $1.offset }
        var result: [Element] = []
        result.reserveCapacity(old.count - removed.count + inserted.count)
        var next = 0
        func enter(_ isNext: (Int) -> Bool) throws {
            while next < entering.count, isNext(entering[next].offset) {
                let (offset, source) = entering[next]
                result.append(try source.map { old[$0] } ?? element(offset))
                next += 1
            }
        }
        for (offset, kept) in old.enumerated() where !isLeaving[offset] {
            try enter { $0 == result.count }
            result.append(kept)
        }
        try enter { _ in true }
        for offset in updated { result[offset] = try element(offset) }
        return result
    }
}
