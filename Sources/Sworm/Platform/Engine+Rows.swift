import SwormPredicates

#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// The rows of a fetch whose objects are created lazily.
extension Engine {
    #if canImport(CoreData)
    typealias Rows = ObjectBatches

    /// Returns nil unless the query has a batch size: Core Data has no rows without objects, so that handles otherwise
    /// hold their objects.
    static func fetchRows(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Rows? {
        query.batchSize > 0 ? try ObjectBatches(query, in: context) : nil
    }

    /// The members of one object among rows.
    struct RowMembers {
        let count: Int
        func row(_ place: Int) -> Int { place }
    }

    static func count(_ rows: Rows) -> Int { rows.ids.count }

    static func id(_ rows: Rows, _ row: Int) -> NSManagedObjectID { rows.ids[row] }

    typealias ObjectKey = NSManagedObjectID

    static func key(_ id: NSManagedObjectID) -> ObjectKey { id }

    static func key(_ rows: Rows, _ row: Int) -> ObjectKey { rows.ids[row] }

    static func mayHaveNamedObjects(_ rows: Rows) -> Bool { false }

    static func namedObject(_ rows: Rows, _ row: Int) -> NSManagedObject? { nil }

    /// Whether the object has a temporary id now: Core Data does not report whether it had one before.
    static func hasHadTemporaryID(_ object: NSManagedObject) -> Bool { object.objectID.isTemporaryID }

    static func areSame(_ rows: Rows, _ others: Rows) -> Bool { rows === others }

    static func object(_ rows: Rows, _ row: Int) -> NSManagedObject { rows.object(row) }

    static func neededObject(_ rows: Rows, _ row: Int) -> NSManagedObject? { rows.object(row) }

    /// Whether a handle may release an object that it needed: the object's batch holds it as long as it is used.
    static var rowsHoldObjects: Bool { true }

    static func value<T>(_ rows: Rows, _ row: Int, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue {
        try value(rows.object(row), index, binding)
    }

    static func members<T>(
        _ rows: Rows, _ row: Int, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> (rows: Rows, members: RowMembers)? { nil }

    static func destination<T>(
        _ rows: Rows, _ row: Int, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> RowDestination? { nil }
    #else
    typealias Rows = FetchedRows
    typealias RowMembers = MembersReadAhead

    /// Returns the rows that a query finds; nil if the query must be answered with objects.
    static func fetchRows(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Rows? {
        try context.fetchRows(specification(query), reading: try reading(query, in: context))
    }

    static func count(_ rows: Rows) -> Int { rows.count }

    static func areSame(_ rows: Rows, _ others: Rows) -> Bool { rows === others }

    static func id(_ rows: Rows, _ row: Int) -> NSManagedObjectID { rows.id(row) }

    typealias ObjectKey = OpenCoreData.ObjectKey

    /// Returns the identity of an object that has a row, for comparisons on any thread.
    static func key(_ id: NSManagedObjectID) -> ObjectKey { id.objectKey }

    static func key(_ rows: Rows, _ row: Int) -> ObjectKey { rows.objectKey(row) }

    /// Whether some of the rows may belong to objects that were inserted in the context.
    static func mayHaveNamedObjects(_ rows: Rows) -> Bool { rows.mayHaveNamedObjects }

    /// Returns the object of a row, if it was inserted in the context and has received its row since.
    static func namedObject(_ rows: Rows, _ row: Int) -> NSManagedObject? { rows.namedObject(row) }

    /// Whether the object has had a temporary id, so that its ids over time differ although it is the same object.
    static func hasHadTemporaryID(_ object: NSManagedObject) -> Bool { object.hasHadTemporaryID }

    static func object(_ rows: Rows, _ row: Int) -> NSManagedObject { rows.object(row) }

    static func neededObject(_ rows: Rows, _ row: Int) -> NSManagedObject? { rows.neededObject(row) }

    /// Whether a handle may release an object that it needed.
    static var rowsHoldObjects: Bool { false }

    static func value<T>(_ rows: Rows, _ row: Int, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue {
        guard binding.composites.isEmpty || binding.composites[index] == nil else {
            return try value(rows.object(row), index, binding)
        }
        return try rows.value(row: row, slot: binding.attributes[index])
    }

    /// Returns the members of a relation of a row's object, as rows; nil if they have to be objects.
    static func members<T>(
        _ rows: Rows, _ row: Int, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> (rows: Rows, members: RowMembers)? {
        guard let slot = binding.relations[relation] else { return nil }
        return try rows.members(row: row, slot: slot)
    }

    /// Returns the destination of a relation of a row's object, as a row or as `none`; nil if it has to be an object.
    static func destination<T>(
        _ rows: Rows, _ row: Int, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> RowDestination? {
        guard let slot = binding.relations[relation] else { return nil }
        return switch try rows.destination(row: row, slot: slot) {
        case nil: nil
        case .some(.none): RowDestination.none
        case .row(let rows, let row): .row(rows, row)
        }
    }
    #endif

    /// The destination of a to-one relation of a row.
    enum RowDestination {
        case none
        case row(Rows, Int)
    }
}
