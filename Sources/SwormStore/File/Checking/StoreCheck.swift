import Foundation
import SwormSQLite

/// The check of one store, which collects its findings in the order of the model.
final class StoreCheck {
    let connection: StoreConnection
    let model: CompiledModel
    let layout: StoreLayout
    let columns: [EntityColumns]
    let files: StoreFiles
    var issues: [StoreIssue] = []
    /// The external files that rows reference.
    var referenced: Set<UUID> = []
    private var seen: Set<String> = []

    /// Creates a check of a store.
    ///
    /// - Parameter files: The store's files, which determine the location of its external data.
    init(connection: StoreConnection, model: CompiledModel, layout: StoreLayout, files: StoreFiles) {
        self.connection = connection
        self.model = model
        self.layout = layout
        columns = model.entities.map { EntityColumns(entity: $0, model: model, layout: layout) }
        self.files = files
    }

    func run(_ metadata: StoreMetadata, progress: ((Int, Int) throws -> Void)?) throws {
        let total = model.entities.count + 1
        try progress?(0, total)
        try DecimalAggregates.registerTest(on: connection.base)
        var messages: [String] = []
        try connection.rows("PRAGMA integrity_check") { messages.append($0.text(0) ?? "") }
        if messages != ["ok"] { issues += messages.map { StoreIssue(.integrity, $0) } }
        try checkMetadata(metadata)
        for entity in model.entities where entity.root == entity.number { try checkTable(of: entity) }
        for entity in model.entities {
            try progress?(entity.number, total)
            for slot in entity.relationships.indices { try checkRelationship(slot, of: entity) }
            try checkValues(of: entity)
            try checkConstraints(of: entity)
            for slot in entity.attributes.indices where entity.attributes[slot].allowsExternalStorage {
                try checkExternal(slot, of: entity)
            }
        }
        try checkDerived()
        checkOrphans()
        try progress?(total, total)
    }

    /// Reports an issue if rows violate a rule, with their number.
    func count(_ sql: String, _ issue: (Int64) -> StoreIssue) throws {
        // Inherited properties occur in every descendant; the same query is run only once.
        guard seen.insert(sql).inserted else { return }
        if let count = try connection.integer(sql), count > 0 { issues.append(issue(count)) }
    }

    /// Returns whether a query has not been run before.
    func isNew(_ question: String) -> Bool { seen.insert(question).inserted }

    func table(_ entity: Int) -> String { SQLName.quoted(layout.table(of: model[entity])) }

    private func checkTable(of root: CompiledEntity) throws {
        let table = table(root.number)
        let name = root.name
        let highest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        let recorded = try connection.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", binding: [.integer(Int64(root.number))])
        if recorded ?? -1 < highest {
            issues.append(
                StoreIssue(
                    .keyBehind,
                    "\(name): Z_MAX is \(recorded.map(String.init) ?? "missing"), the highest key is \(highest)",
                    entity: name))
        }
        // The keys of a hierarchy are counted only in the record of its root.
        try count(
            "SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(root.family.lowerBound + 1) AND \(root.family.upperBound) AND Z_MAX <> 0"
        ) { StoreIssue(.keyRecord, "\(name): \($0) sub-entities have a Z_MAX of their own", entity: name) }
        try count("SELECT count(*) FROM \(table) WHERE Z_PK < 1") {
            StoreIssue(.key, "\(name): \($0) rows with a key below 1", entity: name)
        }
        try count("SELECT count(*) FROM \(table) WHERE typeof(Z_OPT) <> 'integer' OR Z_OPT < 1") {
            StoreIssue(.version, "\(name): \($0) rows without a version", entity: name)
        }
        try count(
            "SELECT count(*) FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT BETWEEN \(root.family.lowerBound) AND \(root.family.upperBound)"
        ) { StoreIssue(.rowEntity, "\(name): \($0) rows of another entity", entity: name) }
        for number in root.family where model[number].isAbstract {
            try count("SELECT count(*) FROM \(table) WHERE Z_ENT = \(number)") {
                StoreIssue(
                    .abstractRow, "\(model[number].name): \($0) rows, but the entity is abstract",
                    entity: model[number].name)
            }
        }
    }
}
