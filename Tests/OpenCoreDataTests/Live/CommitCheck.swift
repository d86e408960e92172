import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// A comparison of the changes that a commit announces with the rows before and after it, and with the history.
struct CommitCheck {
    let model: CompiledModel
    let layout: StoreLayout
    let before: StoreRows
    let after: StoreRows
    /// The announced changes; nil if nothing was announced.
    let changes: CommittedChanges?
    private let meanings: ColumnMeanings

    init(
        _ model: CompiledModel, _ layout: StoreLayout, before: StoreRows, after: StoreRows, changes: CommittedChanges?
    ) {
        (self.model, self.layout, self.before, self.after) = (model, layout, before, after)
        self.changes = changes
        meanings = ColumnMeanings(model, layout)
    }

    // MARK: Rows

    /// Returns the changes of rows, links and values that were not announced, and the announced ones that were not made.
    func faults() -> [String] {
        guard let changes else { return before == after ? [] : ["a commit was not announced"] }
        var faults: [String] = []
        for (root, now) in after.rows {
            let (old, name) = (before.rows[root] ?? [:], model[root].name)
            let announced = changes.rows[name] ?? CommittedChanges.Rows()
            let isUnknown = changes.unknownRows.contains(name)
            func require(_ isAnnounced: Bool, _ word: String, _ key: Int64) {
                if !isAnnounced, !isUnknown { faults.append("\(name) \(key) was \(word), and this is not announced") }
            }
            for (key, row) in now {
                guard let former = old[key] else {
                    require(announced.inserted.contains(key), "inserted", key)
                    faults += unnoted(links(of: row), in: row)
                    continue
                }
                let columns = changedColumns(from: former, to: row)
                if columns.isEmpty { continue }
                let isRecreated = announced.inserted.contains(key) && announced.deleted.contains(key)
                require(announced.updated.contains(key) || isRecreated, "updated", key)
                faults += unnoted(columns, in: row)
            }
            for (key, row) in old where now[key] == nil {
                require(announced.deleted.contains(key), "deleted", key)
                faults += unnoted(links(of: row), in: row)
            }
            for key in announced.inserted where now[key] == nil { faults.append("\(name) \(key) was not inserted") }
            for key in announced.deleted where old[key] == nil { faults.append("\(name) \(key) did not exist") }
            for key in announced.updated where old[key] == nil || now[key] == nil {
                faults.append("\(name) \(key) was not updated")
            }
        }
        for (table, links) in after.links where links != before.links[table] {
            faults += unnoted(meanings.properties(of: ReadColumn(table: table, column: "")) ?? [], of: table)
        }
        return faults
    }

    private func changedColumns(from old: StoreRows.Row, to new: StoreRows.Row) -> [String] {
        new.values.filter { old.values[$0.key] != $0.value }.map(\.key)
    }

    /// Returns the columns of a row that refer to other rows.
    private func links(of row: StoreRows.Row) -> [String] {
        let entity = model[row.entity]
        let columns = entity.relationships.indices.compactMap { layout.toOne($0, in: entity.number)?.column }
        return columns.filter { row.values[$0] != "NULL" }
    }

    /// Returns the properties that changed columns of a row hold and that are not announced.
    private func unnoted(_ columns: [String], in row: StoreRows.Row) -> [String] {
        let table = layout.table(of: model[row.entity])
        return columns.flatMap { column -> [String] in
            guard let properties = meanings.properties(of: ReadColumn(table: table, column: column)) else {
                return ["\(table).\(column) holds no property"]
            }
            let own = properties.filter { $0.entity == row.entity && !isToMany($0) && !isNoted($0) }
            return own.map { "\(model[$0.entity].name).\($0.name) was changed, and this is not announced" }
                + unnoted(properties, of: table)
        }
    }

    /// Returns the properties of which no entity is announced. A link is announced at both of its ends.
    private func unnoted(_ properties: Set<ColumnMeanings.Property>, of table: String) -> [String] {
        let noted = properties.filter { property in
            model[property.entity].family.contains {
                isNoted(ColumnMeanings.Property(entity: $0, name: property.name))
            }
        }
        return Set(properties.map(\.name)).subtracting(noted.map(\.name))
            .map { "\($0) in \(table) was changed, and this is not announced" }
    }

    /// Returns whether a property is a relationship whose links are stored in the rows of its members.
    private func isToMany(_ property: ColumnMeanings.Property) -> Bool {
        let entity = model[property.entity]
        guard case .relationship(let slot)? = entity.slot(named: property.name) else { return false }
        return entity.relationships[slot].isToMany
    }

    private func isNoted(_ property: ColumnMeanings.Property) -> Bool {
        changes?.properties[model[property.entity].name]?.contains(property.name) ?? false
    }

    // MARK: History

    /// Returns the differences between the announced changes and those that the history has recorded.
    func faults(in history: [StoredChange]) -> [String] {
        guard let changes else { return history.isEmpty ? [] : ["the history has changes that are not announced"] }
        var recorded = CommittedChanges()
        var faults: [String] = []
        // The rows of which an attribute or a relationship that their own row stores was updated.
        var stored: [String: Set<Int64>] = [:]
        for change in history {
            let (entity, key) = (model[change.row.entity], change.row.key)
            let root = model[entity.root].name
            recorded.note(CommittedChanges.Kind(change.type), of: key, root: root)
            for name in change.properties ?? [] {
                if !isNoted(ColumnMeanings.Property(entity: entity.number, name: name)) {
                    faults.append("\(entity.name).\(name) is in the history, and is not announced")
                }
                if isStored(property: name, in: entity) { stored[root, default: []].insert(key) }
            }
        }
        for (root, now) in after.rows {
            let name = model[root].name
            guard !changes.unknownRows.contains(name) else { continue }
            let (announced, noted) = (
                changes.rows[name] ?? CommittedChanges.Rows(), recorded.rows[name] ?? CommittedChanges.Rows()
            )
            func compare(_ word: String, _ rows: Set<Int64>, _ others: Set<Int64>) {
                if rows == others { return }
                faults.append("\(name) \(word) \(rows.sorted()), in the history \(others.sorted())")
            }
            compare("inserted", announced.inserted, noted.inserted)
            compare("deleted", announced.deleted, noted.deleted)
            let lost = (stored[name] ?? []).intersection(noted.updated).subtracting(announced.updated)
            if !lost.isEmpty { faults.append("\(name) \(lost.sorted()) are updated in the history only") }
            for key in announced.updated.subtracting(noted.updated) {
                guard let old = before.rows[root]?[key], let row = now[key] else { continue }
                let missing = changedColumns(from: old, to: row).filter { isStored($0, in: model[row.entity]) }
                if !missing.isEmpty { faults.append("\(name) \(key) is not in the history, with \(missing)") }
            }
        }
        return faults
    }

    /// Returns whether the row of an object stores a property that is set. The values of derived attributes are left out.
    private func isStored(property name: String, in entity: CompiledEntity) -> Bool {
        storedColumns(of: entity).contains { $0.property == name }
    }

    /// Returns whether a column of the row of an object holds a property that is set, and not the position in an ordered
    /// relationship, which belongs to the owner of that.
    private func isStored(_ column: String, in entity: CompiledEntity) -> Bool {
        storedColumns(of: entity).contains { $0.column == column }
    }

    private func storedColumns(of entity: CompiledEntity) -> [(column: String, property: String)] {
        var columns: [(column: String, property: String)] = []
        for (slot, attribute) in entity.attributes.enumerated() where attribute.derivation == nil {
            guard let column = layout.column(ofAttribute: slot, in: entity.number) else { continue }
            columns.append((column, String(attribute.name.prefix { $0 != "." })))
        }
        for (slot, relationship) in entity.relationships.enumerated() {
            if let toOne = layout.toOne(slot, in: entity.number) { columns.append((toOne.column, relationship.name)) }
        }
        return columns
    }
}

extension CommittedChanges.Kind {
    fileprivate init(_ type: NSPersistentHistoryChangeType) {
        switch type {
        case .insert: self = .insertion
        case .update: self = .update
        case .delete: self = .deletion
        }
    }
}
