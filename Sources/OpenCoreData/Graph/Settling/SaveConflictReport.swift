import Foundation
import SwormPredicates
import SwormStore

/// The conflicts of a save that its policy does not settle, as values.
///
/// The user information of the error has them as objects, which refer to the objects of the context.
struct SaveConflictReport: ErrorAttachment {
    let origin: ObjectOrigin
    var changes: [MergeConflict] = []
    var constraints: [ConstraintConflict] = []

    func userInfo(findingObjectsIn finder: (any ErrorObjectFinder)?) -> [String: Any] {
        var info: [String: Any] = [:]
        if let store = origin.store { info[NSAffectedStoresErrorKey] = [store] }
        func object(_ row: RowID) -> NSManagedObject? {
            finder?.object(of: origin.reference(of: row)) as? NSManagedObject
        }
        let changes = changes.compactMap { conflict in
            object(conflict.sourceObject).map { NSMergeConflict(conflict, of: $0, origin) }
        }
        let constraints = constraints.compactMap { conflict in
            NSConstraintConflict(
                conflict, of: conflict.conflictingObjects.compactMap(object),
                database: conflict.databaseObject.flatMap(object), origin)
        }
        if !changes.isEmpty { info[NSPersistentStoreSaveConflictsErrorKey] = changes }
        if !constraints.isEmpty { info[NSPersistentStoreSaveConflictsErrorKey] = constraints }
        return info
    }
}

extension ConflictResolver {
    /// Returns the error that lists conflicts which the policy does not settle.
    ///
    /// - Parameter rows: The rows around the conflicts; nil to read them. If they cannot be read, the error has no values
    ///   of the store.
    func error(
        of conflicts: MetConflicts, in builder: SaveRequestBuilder, reading rows: RowsReadAnew? = nil
    ) -> CoreDataError {
        var error = conflicts.listing(in: builder, of: context, origin)
        let rows = rows ?? (try? self.rows(around: conflicts, in: builder)) ?? RowsReadAnew(model: origin.compiled)
        error.attachment = report(conflicts, in: builder, reading: rows)
        return error
    }

    private func report(
        _ conflicts: MetConflicts, in builder: SaveRequestBuilder, reading rows: RowsReadAnew
    ) -> SaveConflictReport {
        var report = SaveConflictReport(origin: origin)
        switch conflicts {
        case .rows(let met):
            let read = Set(rows.conflicts.map(\.sourceObject))
            report.changes = rows.conflicts
            report.changes += met.conflicts.filter { !read.contains($0.row) }.map {
                MergeConflict(sourceObject: $0.row, oldVersionNumber: $0.expected)
            }
        case .links(let met):
            // The row that the save writes. It may be unchanged itself.
            let written = met.conflicts.map { $0.isDeletion ? $0.destination : $0.row } + met.members.map(\.owner)
            var seen: Set<RowID> = []
            for row in written where seen.insert(origin.compiled.identity(of: row)).inserted {
                let cached = registered(row).flatMap { try? $0.snapshot.rowSnapshot(of: $0) }
                report.changes.append(
                    MergeConflict(
                        sourceObject: row, oldVersionNumber: cached?.version ?? 0, cachedSnapshot: cached,
                        persistedSnapshot: rows.values[row]))
            }
        case .constraints(let met):
            report.constraints = (try? constraintConflicts(met, in: builder, reading: rows.values)) ?? []
        }
        return report
    }
}

extension ObjectOrigin {
    /// Returns the identity of the object of a row of this store, or of an inserted object.
    fileprivate func reference(of row: RowID) -> ObjectReference {
        ObjectReference(
            storeIdentifier: row.key < 0 ? nil : storeIdentifier, entityName: compiled[row.entity].name, key: row.key)
    }
}
