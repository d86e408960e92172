#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// Coordinators with one store in a file or on a server.
final class ContextStores {
    private let folder: StoreFolder?
    private let options: PostgresOptions?
    private let model: NSManagedObjectModel

    init(_ kind: SavingStore.Kind, _ model: NSManagedObjectModel) throws {
        self.model = model
        folder = kind == .file ? try StoreFolder() : nil
        options = kind == .server ? try PostgresStores.options() : nil
    }

    func coordinator() throws -> NSPersistentStoreCoordinator {
        if let folder { return try GraphLibrary.coordinator(at: folder.url(), model: model) }
        return try PostgresStores.coordinator(of: model, at: options)
    }
}

/// A look at the rows on a server for what no save may leave there.
struct ServerSoundness {
    private let schema: ServerSchema
    private let model: CompiledModel
    private let connection: PostgresConnection

    init(_ options: PostgresOptions, _ model: NSManagedObjectModel) throws {
        self.model = try model.compiled()
        connection = try PostgresConnection.open(options.address)
        let layout = StoreLayout(postgres: self.model, schema: options.schema)
        schema = ServerSchema(model: self.model, layout: layout, names: PostgresNames(), identifier: "")
    }

    func issues() throws -> [String] {
        var queries: [(String, String)] = []
        for entity in model.entities {
            let columns = schema.columns[entity.number - 1]
            for (slot, relationship) in entity.relationships.enumerated() {
                let destination = schema.columns[relationship.destination - 1]
                let name = "\(entity.name).\(relationship.name)"
                if let toOne = columns.toOne(slot) {
                    queries.append(
                        (
                            "dangling \(name)",
                            "SELECT t.\"_key\"::text FROM \(columns.table) AS t WHERE t.\(toOne.column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.table) AS d WHERE d.\"_key\" = t.\(toOne.column))"
                        ))
                    if let partners = toOne.partners {
                        queries.append(
                            (
                                "one-sided \(name)",
                                "SELECT t.\"_key\"::text FROM \(columns.table) AS t WHERE t.\(toOne.column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(partners.table) AS d WHERE d.\"_key\" = t.\(toOne.column) AND d.\(partners.column) = t.\"_key\")"
                            ))
                    }
                    if !relationship.isOptional {
                        let test = columns.entityTest("t.")
                        queries.append(
                            (
                                "missing \(name)",
                                "SELECT t.\"_key\"::text FROM \(columns.table) AS t WHERE t.\(toOne.column) IS NULL\(test)"
                            ))
                    }
                }
                switch schema.layout.toMany(slot, in: entity.number) {
                case .inverse(let column, let order?)?, .oneWay(let column, let order?)?:
                    queries.append(
                        (
                            "unplaced \(name)",
                            "SELECT \"_key\"::text FROM \(destination.table) WHERE (\"\(column)\" IS NULL) <> (\"\(order)\" IS NULL)"
                        ))
                case .join(let join)?:
                    let pairs = ServerDerivations.Join(join, schema.layout)
                    queries.append(
                        (
                            "dangling \(name)",
                            "SELECT j.\(pairs.own)::text FROM \(pairs.table) AS j WHERE NOT EXISTS (SELECT 1 FROM \(destination.table) AS d WHERE d.\"_key\" = j.\(pairs.other)) OR NOT EXISTS (SELECT 1 FROM \(columns.table) AS o WHERE o.\"_key\" = j.\(pairs.own))"
                        ))
                    if let order = join.orderColumn {
                        queries.append(
                            (
                                "unplaced \(name)",
                                "SELECT j.\(pairs.own)::text FROM \(pairs.table) AS j WHERE j.\"\(order)\" IS NULL"
                            ))
                    }
                default: break
                }
            }
        }
        let results = try connection.run(queries.map { SQLStatement($0.1) })
        return try zip(queries, results).compactMap { query, result in
            let found = try (0..<result.rowCount).map { try result.string($0, column: 0) ?? "" }
            return found.isEmpty ? nil : "\(query.0): \(found)"
        }
    }
}
#endif
