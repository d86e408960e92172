import SwormPredicates
import SwormSQLite
import SwormStore

// Fetches that read only identities at first, and read the rows in batches later.
extension NSManagedObjectContext {
    /// Returns the objects that a request finds, without their rows: these are read in batches.
    final func faults(
        _ specification: FetchSpecification, in origin: ObjectOrigin, reading: FetchReading
    ) throws -> [NSManagedObject] {
        let found = try identities(specification, in: origin)
        let keys = MemberKeys(keys: found.map(\.key), entity: specification.entity, reading: reading)
        return found.enumerated().map { place, row in
            let hint = keys.hint(at: place)
            let object = self.object(for: row, origin: origin, hint: hint)
            if object.snapshot.isUnread {
                // A registered fault reads its batch, too. A row that was not found earlier exists now.
                object.snapshot = .fault(hint)
                object.status.remove(.inaccessible)
            }
            return object
        }
    }

    /// Returns the identities of the rows that a request finds. Each has an entity that the request can find.
    final func identities(_ specification: FetchSpecification, in origin: ObjectOrigin) throws -> [RowID] {
        let found = try withSession(of: origin) { try $0.identities(specification) }
        let entity = origin.compiled[specification.entity]
        for row in found where !entity.family.contains(row.entity) {
            throw CoreDataError.wrongEntity(ofRow: row.key, number: Int64(row.entity), in: entity.name)
        }
        return found
    }
}
