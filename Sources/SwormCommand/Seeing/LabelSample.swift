import SwormPredicates
import SwormStore

/// The first and the last objects of exactly one entity, from which the attribute that names its objects is chosen.
///
/// Values are read only when they are needed, and only one attribute at a time.
struct LabelSample {
    /// The number of objects at each end of the range of keys.
    private static let reach = 500

    private let store: StoreReader
    private let entity: CompiledEntity
    /// The number of objects in the sample.
    let count: Int
    private let isWhole: Bool

    var isEmpty: Bool { count == 0 }

    init(of entity: CompiledEntity, in store: StoreReader) throws {
        self.store = store
        self.entity = entity
        var fetch = FetchSpecification(entity: entity.number)
        fetch.includesSubentities = false
        fetch.limit = Self.reach * 2
        count = try store.session.count(fetch)
        isWhole = count < Self.reach * 2
    }

    /// Returns whether at least half of the objects have a value of an attribute.
    func isUsual(_ slot: Int) throws -> Bool {
        var present = 0
        try forEach(slot) { if !$0.isNull($1) { present += 1 } }
        return present > 0 && present * 2 >= count
    }

    /// Returns the number of different values of a string attribute, and their average length in bytes.
    func variety(_ slot: Int) throws -> (count: Int, length: Double) {
        var values: Set<String> = []
        var present = 0
        var length = 0
        try forEach(slot) { row, cell in
            guard let bytes = row.textBytes(cell) else { return }
            present += 1
            length += bytes.count
            values.insert(String(decoding: bytes.prefix(200), as: UTF8.self))
        }
        return (values.count, present > 0 ? Double(length) / Double(present) : 0)
    }

    private func forEach(_ slot: Int, _ body: (any ProjectionCursor, Int) -> Void) throws {
        for ascending in isWhole ? [true] : [true, false] {
            var fetch = FetchSpecification(entity: entity.number)
            fetch.includesSubentities = false
            fetch.sorts = [.init(path: ["self"], ascending: ascending)]
            fetch.limit = isWhole ? 0 : Self.reach
            let path = entity.attributes[slot].name.split(separator: ".").map(String.init)
            let cursor = try store.session.cursor(
                ProjectionSpecification(fetch: fetch, tree: ProjectionTree([.path(path)])))
            while try cursor.next() { body(cursor, 0) }
        }
    }
}
