import SwormPredicates

extension StoreLayout {
    /// Creates the layout of an existing file: the one that the model implies, with the names that the file uses.
    ///
    /// The names in a migrated file can contain older entity numbers, and a many-to-many relationship can be stored
    /// under the name of either side. Tables and columns that are unknown to the model are ignored.
    ///
    /// - Throws: A ``CoreDataError`` that lists every table and column that the model needs and the file lacks.
    package init(model: CompiledModel, existing: ExistingSchema) throws {
        self.init(model: model)
        var matcher = LayoutMatcher(model: model, existing: existing, layout: self)
        matcher.matchTables()
        matcher.matchJoins()
        guard matcher.issues.isEmpty else {
            let list = matcher.issues.map(\.message).joined(separator: "; ")
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The file does not match the model: \(list). Open it with the model that it was written with,"
                    + " or migrate it.",
                details: matcher.issues)
        }
        self = matcher.layout
    }
}

/// A matcher that finds the names of a layout in an existing file.
struct LayoutMatcher {
    let model: CompiledModel
    let existing: ExistingSchema
    private(set) var layout: StoreLayout
    private(set) var issues: [CoreDataError] = []

    init(model: CompiledModel, existing: ExistingSchema, layout: StoreLayout) {
        self.model = model
        self.existing = existing
        self.layout = layout
    }

    // MARK: Tables of entities

    mutating func matchTables() {
        var names: [Int: [String: String]] = [:]
        for (root, table) in layout.tables.sorted(by: { $0.key < $1.key }) {
            guard let present = existing.tables[table.name] else {
                issues.append(
                    CoreDataError(
                        NSPersistentStoreIncompatibleSchemaError,
                        "there is no table '\(table.name)' for the entity '\(model[root].name)'",
                        entity: model[root].name))
                continue
            }
            let matches = match(table, with: present)
            names[root] = matches
            for column in table.columns where matches[column.name] == nil {
                reportMissing(column.name, in: table.name, root: root)
            }
        }
        for (root, matches) in names { rename(matches, root: root) }
    }

    /// Returns the file's name for each column that the file has.
    private func match(_ table: StoreLayout.Table, with present: [String]) -> [String: String] {
        let expected = Set(table.columns.map(\.name))
        let spare = present.filter { !expected.contains($0) }
        var result: [String: String] = [:]
        for column in table.columns {
            if present.contains(column.name) {
                result[column.name] = column.name
            } else if let numbered = NumberedName(column.name) {
                let candidates = spare.filter { name in
                    guard let candidate = NumberedName(name) else { return false }
                    return candidate.prefix == numbered.prefix && candidate.rest == numbered.rest
                }
                if candidates.count == 1 { result[column.name] = candidates[0] }
            }
        }
        return result
    }

    private mutating func reportMissing(_ column: String, in table: String, root: Int) {
        for number in model[root].family {
            let entity = model[number]
            let attribute = model.ownAttributes(of: entity).first {
                layout.column(ofAttribute: $0, in: number) == column
            }
            let toOne = model.ownRelationships(of: entity).first { slot in
                let toOne = layout.toOne(slot, in: number)
                return toOne?.column == column || toOne?.entityColumn == column
            }
            guard
                let name = attribute.map({ entity.attributes[$0].name }) ?? toOne.map({ entity.relationships[$0].name })
            else { continue }
            issues.append(
                Self.missing(column, in: table, property: "\(entity.name).\(name)", entity: entity.name, key: name))
            return
        }
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                switch layout.toMany(slot, in: entity.number) {
                case .inverse(_, let order) where order == column, .oneWay(_, let order) where order == column: break
                case .oneWay(let name, _) where name == column: break
                default: continue
                }
                let name = entity.relationships[slot].name
                guard model[entity.relationships[slot].destination].root == root else { continue }
                issues.append(
                    Self.missing(column, in: table, property: "\(entity.name).\(name)", entity: entity.name, key: name))
                return
            }
        }
        issues.append(Self.missing(column, in: table, property: model[root].name, entity: model[root].name, key: nil))
    }

    private static func missing(
        _ column: String, in table: String, property: String, entity: String, key: String?
    ) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreIncompatibleSchemaError, "table '\(table)' has no column '\(column)' for '\(property)'",
            entity: entity, key: key)
    }

    private mutating func rename(_ names: [String: String], root: Int) {
        guard names.contains(where: { $0.key != $0.value }) else { return }
        let columns = layout.tables[root]?.columns ?? []
        layout.tables[root]?.columns = columns.map { column in
            StoreLayout.Column(name: names[column.name] ?? column.name, declaredType: column.declaredType)
        }
        for number in model[root].family {
            layout.toOnes[number - 1] = layout.toOnes[number - 1].map { toOne in
                toOne.map { toOne in
                    StoreLayout.ToOne(
                        column: names[toOne.column] ?? toOne.column,
                        entityColumn: toOne.entityColumn.map { names[$0] ?? $0 })
                }
            }
        }
        for entity in model.entities {
            for slot in entity.relationships.indices where model[entity.relationships[slot].destination].root == root {
                switch layout.toMany(slot, in: entity.number) {
                case .inverse(let column, let order):
                    layout.toManys[entity.number - 1][slot] = .inverse(
                        column: names[column] ?? column, orderColumn: order.map { names[$0] ?? $0 })
                case .oneWay(let column, let order):
                    layout.toManys[entity.number - 1][slot] = .oneWay(
                        column: names[column] ?? column, orderColumn: order.map { names[$0] ?? $0 })
                case .join, nil: continue
                }
            }
        }
    }

    // MARK: Join tables

    mutating func matchJoins() {
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                guard case .join(let join) = layout.toMany(slot, in: entity.number), join.isOwner else { continue }
                let relationship = entity.relationships[slot]
                let search = JoinSearch(
                    relationship: relationship, inverse: model.inverse(of: relationship), join: join)
                guard let found = search.find(in: existing) else {
                    issues.append(
                        CoreDataError(
                            NSPersistentStoreIncompatibleSchemaError,
                            "there is no table '\(join.table)', under that name or that of the inverse, with the columns"
                                + " \(search.neededColumns) for '\(entity.name).\(relationship.name)'",
                            entity: entity.name, key: relationship.name))
                    continue
                }
                layout.toManys[entity.number - 1][slot] = .join(found)
                if !join.isReflexive, let inverse = model.inverse(of: relationship),
                    let inverseSlot = relationship.inverse
                {
                    layout.toManys[inverse.owner - 1][inverseSlot] = .join(found.flipped)
                }
            }
        }
        layout.inherit(in: model)
    }
}
