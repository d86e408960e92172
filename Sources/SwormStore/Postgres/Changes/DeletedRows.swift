#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// The columns of deleted rows of one hierarchy that the history needs: the entity, the preserved values, and the owners whose
/// to-many relationships lose the rows.
struct DeletedRows {
    /// A to-one relationship with a to-many inverse.
    private struct Owner {
        var column: String
        var root: Int
        /// The name of the inverse.
        var name: String
    }

    private let root: CompiledEntity
    private let storedNumber: Int64
    private let owners: [Owner]
    /// The list of the columns in SQL, which follows the key.
    let list: String

    init(_ root: CompiledEntity, in schema: ServerSchema) {
        let model = schema.compiler.model
        self.root = root
        let columns = schema.columns[root.number - 1]
        storedNumber = columns.storedNumber
        owners = root.family.flatMap { number in
            let own = schema.columns[number - 1]
            return own.toOnes.compactMap { toOne -> Owner? in
                let relationship = own.entity.relationships[toOne.slot]
                guard relationship.owner == number, let inverse = model.historyInverse(of: relationship) else {
                    return nil
                }
                return Owner(
                    column: toOne.column, root: model[relationship.destination].root, name: inverse)
            }
        }
        let entity = columns.numbersEntities ? SystemColumns.postgres.entity + "::bigint" : "\(storedNumber)::bigint"
        let tombstone = Tombstones.sql(of: root, schema) ?? "NULL::jsonb"
        list = ([entity, "(\(tombstone))::text"] + owners.map(\.column)).map { ", \($0)" }.joined()
    }

    /// Notes the rows of a result, whose first column is the key.
    func note(_ result: PostgresResult, in notes: ServerHistoryNotes) throws {
        for row in 0..<result.rowCount {
            guard let key = try result.int64(row, column: 0) else { continue }
            let tombstone = try result.string(row, column: 2)
            notes.delete(
                .init(
                    entity: try result.int64(row, column: 1) ?? storedNumber,
                    object: .init(root: root.number, key: key), tombstone: tombstone == "{}" ? nil : tombstone))
            for (index, owner) in owners.enumerated() {
                guard let key = try result.int64(row, column: 3 + index) else { continue }
                notes.change(.init(root: owner.root, key: key), properties: [owner.name])
            }
        }
    }
}

extension CompiledModel {
    /// Returns the name of the to-many relationship that is the inverse of a to-one relationship, and changes along with it.
    func historyInverse(of relationship: CompiledRelationship) -> String? {
        guard let opposite = inverse(of: relationship), opposite.isToMany, !opposite.isTransient else { return nil }
        return opposite.name
    }
}
#endif
