#if PostgreSQL
import Foundation
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

extension SavingRun {
    /// Returns the request with the keys that the rows have in a store.
    func translated(_ request: SaveRequest, for store: Int) -> SaveRequest {
        let names = names[store]
        var request = request
        func translate(_ link: SaveRequest.Link) -> SaveRequest.Link {
            .init(
                owner: names.row(link.owner), relationship: link.relationship, destination: names.row(link.destination))
        }
        for index in request.insertions.indices {
            request.insertions[index].row = names.row(request.insertions[index].row)
            request.insertions[index].toOnes = request.insertions[index].toOnes.map { $0.map(names.row) }
        }
        for index in request.updates.indices {
            request.updates[index].row = names.row(request.updates[index].row)
            request.updates[index].toOnes = request.updates[index].toOnes.map { ($0, $1.map(names.row)) }
        }
        for index in request.deletions.indices {
            request.deletions[index].row = names.row(request.deletions[index].row)
            request.deletions[index].emptied = request.deletions[index].emptied.map {
                .init(relationship: $0.relationship, unlinked: Set($0.unlinked.map { names.keys[$0] ?? $0 }))
            }
        }
        for index in request.expectations.indices {
            request.expectations[index].row = names.row(request.expectations[index].row)
        }
        request.addedLinks = request.addedLinks.map(translate)
        request.removedLinks = request.removedLinks.map(translate)
        request.positions = request.positions.map { .init(link: translate($0.link), orderKey: $0.orderKey) }
        return request
    }

    private func begin(_ store: any ObjectStore) throws -> any StoreTransaction {
        guard way == .view else { return try store.beginTransaction() }
        let session = try store.beginSession()
        _ = try session.count(FetchSpecification(entity: LibraryModel.book))
        return try store.beginTransaction(from: session, nil)
    }

    /// - Parameter undoesFirst: Whether a transaction saves the request twice, and undoes the first time.
    func save(
        _ request: SaveRequest, in index: Int, undoingFirst undoesFirst: Bool
    ) -> (String, SaveResult?) {
        let (store, names) = (stores[index].store, names[index])
        func name(_ row: RowID) -> String {
            let known = names.names[RowID(entity: model[row.entity].root, key: row.key)]
            return "\(model[row.entity].name) \(known ?? row.key)"
        }
        do {
            let result: SaveResult
            if way == .save {
                result = try store.save(request)
            } else {
                let transaction = try begin(store)
                defer { transaction.end() }
                if undoesFirst {
                    let mark = transaction.mark()
                    _ = try transaction.save(request)
                    try transaction.undo(to: mark)
                }
                let mark = transaction.mark()
                result = try transaction.save(request)
                try transaction.release(mark)
                try transaction.commit()
            }
            let rearranged = result.rearranged.map { "\(name($0.owner)) \($0.relationship)" }.sorted()
            let renewed = result.renewedVersions.map { "\(name($0)) \($1)" }.sorted()
            return ("saved: \(result.updatedVersions) \(renewed) \(rearranged)", result)
        } catch let error as SaveConflicts {
            return (
                "conflicts: \(error.conflicts.map { "\(name($0.row)) \($0.expected) \($0.exists)" }.sorted())", nil
            )
        } catch let error as UniquenessConflicts {
            return (
                "unique: \(error.conflicts.map { "\(name($0.row)) \(name($0.existing)) \($0.isInSave)" }.sorted())", nil
            )
        } catch let error as LinkConflicts {
            let links = error.conflicts.map { "\(name($0.row)) \(name($0.destination)) \($0.isDeletion)" }
            let members = error.members.map { "\(name($0.owner)) \(name($0.member))" }
            return ("links: \(links.sorted()) \(members.sorted())", nil)
        } catch let error as CoreDataError {
            return ("error: \(error.errorCode) \(error.entity ?? "") \(error.key ?? "")", nil)
        } catch {
            return ("other: \(error)", nil)
        }
    }

    mutating func note(_ request: SaveRequest, _ result: SaveResult, in index: Int) {
        for insertion in request.insertions {
            guard let key = result.keys[insertion.row.key] else { continue }
            names[index].note(-insertion.row.key, key: key, root: model[insertion.row.entity].root)
        }
    }

    /// Notes the rows as they are after a save.
    mutating func adopt(_ request: SaveRequest, _ result: SaveResult) {
        for insertion in request.insertions {
            let name = abs(insertion.row.key)
            deleted.removeAll { $0.row.key == name }
            let version = result.renewedVersions[names[0].row(insertion.row)] ?? 1
            rows.append((RowID(entity: insertion.row.entity, key: name), version))
        }
        for (update, version) in zip(request.updates, result.updatedVersions) {
            for index in rows.indices where rows[index].row == update.row { rows[index].version = version }
        }
        let gone = Set(request.deletions.map(\.row))
        deleted += rows.filter { gone.contains($0.row) }
        rows.removeAll { gone.contains($0.row) }
    }
}
#endif
