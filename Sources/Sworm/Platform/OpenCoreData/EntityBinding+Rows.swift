#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates

/// The members of one object among rows.
typealias RowMembers = MembersReadAhead

extension EntityBinding {
    /// Returns the value of an attribute of a row's object.
    func value(in rows: FetchedRows, row: Int, at index: Int) throws -> AttributeValue {
        guard composites.isEmpty || composites[index] == nil else {
            return try value(of: rows.object(row), at: index)
        }
        return try rows.value(row: row, slot: attributes[index])
    }

    /// Returns the members of a relation of a row's object, as rows; nil if they have to be objects.
    func members(
        in rows: FetchedRows, row: Int, along relation: String
    ) throws -> (rows: FetchedRows, members: RowMembers)? {
        guard let slot = relations[relation] else { return nil }
        return try rows.members(row: row, slot: slot)
    }

    /// Returns the destination of a relation of a row's object, as a row or as `none`; nil if it has to be an object.
    func destination(in rows: FetchedRows, row: Int, along relation: String) throws -> FetchedDestination? {
        guard let slot = relations[relation] else { return nil }
        return try rows.destination(row: row, slot: slot)
    }
}

extension FetchedRows {
    /// Whether a handle may release an object that it needed.
    static var holdObjects: Bool { false }
}
#endif
