import SwormPredicates

#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// The rows of a fetch whose objects are made when they are needed.
extension Engine {
    #if canImport(CoreData)
    /// Core Data has no rows without objects: a fetch gives nil for these, and handles hold their objects.
    struct Rows {
        fileprivate let objects: [NSManagedObject]
    }

    /// The members of one object among rows.
    struct RowMembers {
        let count: Int
        func row(_ place: Int) -> Int { place }
    }

    static func fetchRows(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Rows? { nil }

    static func count(_ rows: Rows) -> Int { rows.objects.count }

    static func areSame(_ rows: Rows, _ others: Rows) -> Bool { rows.objects == others.objects }

    static func id(_ rows: Rows, _ row: Int) -> NSManagedObjectID { rows.objects[row].objectID }

    static func object(_ rows: Rows, _ row: Int) -> NSManagedObject { rows.objects[row] }

    static func neededObject(_ rows: Rows, _ row: Int) -> NSManagedObject? { rows.objects[row] }

    static func value<T>(_ rows: Rows, _ row: Int, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue {
        try value(rows.objects[row], index, binding)
    }

    static func members<T>(
        _ rows: Rows, _ row: Int, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> (rows: Rows, members: RowMembers)? { nil }
    #else
    typealias Rows = FetchedRows
    typealias RowMembers = MembersReadAhead

    /// The rows that a query finds; nil where it must be answered with objects.
    static func fetchRows(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Rows? {
        try context.fetchRows(specification(query))
    }

    static func count(_ rows: Rows) -> Int { rows.count }

    static func areSame(_ rows: Rows, _ others: Rows) -> Bool { rows === others }

    static func id(_ rows: Rows, _ row: Int) -> NSManagedObjectID { rows.id(row) }

    static func object(_ rows: Rows, _ row: Int) -> NSManagedObject { rows.object(row) }

    static func neededObject(_ rows: Rows, _ row: Int) -> NSManagedObject? { rows.neededObject(row) }

    static func value<T>(_ rows: Rows, _ row: Int, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue {
        guard binding.composites.isEmpty || binding.composites[index] == nil else {
            return try value(rows.object(row), index, binding)
        }
        return try rows.value(row, binding.attributes[index])
    }

    /// The members of a row's object at the end of a relation, as rows; nil where they have to be objects.
    static func members<T>(
        _ rows: Rows, _ row: Int, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> (rows: Rows, members: RowMembers)? {
        guard let slot = binding.relations[relation] else { return nil }
        return try rows.members(row, slot)
    }
    #endif
}
