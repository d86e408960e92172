import SwormPredicates

/// The SQL that computes a derived attribute, and the temporary triggers that note the rows to compute it for.
struct DerivationSQL: Sendable {
    /// A change that may affect the values of some rows.
    struct Trigger {
        var event: String
        var table: String
        /// The condition that selects those rows.
        var condition: String
        /// The columns at least one of which must have changed; empty if the event is sufficient.
        var compared: [String] = []
    }

    private struct Parts {
        /// The value before its form is applied.
        var value: String
        var triggers: [Trigger]
        /// The column that the value is computed from; nil if it is not an attribute.
        var source: String?
    }

    let derived: DerivedAttribute
    let model: CompiledModel
    let layout: StoreLayout
    let table: String
    let column: String

    init?(_ derived: DerivedAttribute, model: CompiledModel, layout: StoreLayout) {
        guard let column = layout.column(ofAttribute: derived.slot, in: derived.entity.number) else { return nil }
        self.derived = derived
        self.model = model
        self.layout = layout
        table = SQLName.quoted(layout.table(of: derived.entity))
        self.column = SQLName.quoted(column)
    }

    /// The expected value of a row, as SQL that refers to the row's table by its own name; nil for a time.
    var value: String? {
        guard derived.derivation.source != .now else { return nil }
        return parts.map { formed($0.value) }
    }

    /// The column, qualified with its table.
    var place: String { "\(table).\(column)" }

    /// The column that the value is computed from, qualified with its table.
    var source: String? { parts?.source }

    /// The statement that updates the value of one row.
    var update: String? {
        parts.map { "UPDATE \(table) SET \(column) = \(formed($0.value)) WHERE Z_PK = ?1\(restriction)" }
    }

    /// The query for the entity and the value of one row.
    var read: String { "SELECT Z_ENT, \(column) FROM \(table) WHERE Z_PK = ?1\(restriction)" }

    func triggers(number: Int) -> [String] {
        (parts?.triggers ?? []).enumerated().map { index, trigger in
            let changed = trigger.compared.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
            let condition = changed.isEmpty ? "" : " WHEN (\(changed))"
            return
                "CREATE TEMP TRIGGER IF NOT EXISTS SwormDerived_\(number)_\(index) AFTER \(trigger.event) ON main.\(trigger.table) FOR EACH ROW\(condition) BEGIN SELECT SwormNoteRow(\(number), Z_PK) FROM \(table) WHERE \(trigger.condition)\(restriction); END"
        }
    }

    private var parts: Parts? {
        switch derived.derivation.source {
        case .now:
            // Every save of an object changes the version of its row. A change that only a trigger makes is not a save
            // of the object.
            Parts(value: "SwormNow()", triggers: [own("INSERT"), own("UPDATE OF Z_OPT")])
        case .value(let path, let attribute): copy(path: path, attribute: attribute)
        case .members(let aggregate, let relationship, let attribute):
            members(aggregate, relationship: relationship, attribute: attribute)
        }
    }

    /// A condition that restricts a statement to the rows that have the attribute.
    var restriction: String {
        guard derived.entity.root != derived.entity.number else { return "" }
        let family = derived.entity.family
        return " AND Z_ENT BETWEEN \(family.lowerBound) AND \(family.upperBound)"
    }

    private func own(_ event: String) -> Trigger {
        Trigger(event: event, table: table, condition: "Z_PK = NEW.Z_PK")
    }

    private func formed(_ value: String) -> String {
        switch derived.derivation.form {
        case .plain: derived.cast.map { "CAST(\(value) AS \($0))" } ?? value
        case .uppercase: "SwormUpper(\(value))"
        case .lowercase: "SwormLower(\(value))"
        case .canonical: "SwormCanonical(\(value))"
        }
    }

    /// Returns a trigger for a change of columns of a table. If the source is a derived value that is recomputed
    /// without a change, the trigger does not fire; for any other source every write counts as a change.
    private func writing(
        of columns: [String], in table: String, _ condition: String, from attribute: CompiledAttribute?
    ) -> Trigger {
        Trigger(
            event: "UPDATE OF \(columns.joined(separator: ", "))", table: table, condition: condition,
            compared: attribute?.derivation == nil ? [] : columns)
    }

    // MARK: Along a path

    private func copy(path: [Int], attribute: Int) -> Parts? {
        var hops: [(key: String, table: String)] = []
        var entity = derived.entity
        for slot in path {
            guard let toOne = layout.toOne(slot, in: entity.number) else { return nil }
            entity = model[entity.relationships[slot].destination]
            hops.append((SQLName.quoted(toOne.column), SQLName.quoted(layout.table(of: entity))))
        }
        guard let last = layout.column(ofAttribute: attribute, in: entity.number).map({ SQLName.quoted($0) }) else {
            return nil
        }
        /// Returns the column that is read in each table: the key of the next table, or the value in the last one.
        func read(_ index: Int) -> String { index < hops.count ? hops[index].key : last }
        var value = "D\(hops.count).\(last)"
        for (index, hop) in hops.enumerated().reversed() {
            let from = index == 0 ? table : "D\(index)"
            value =
                "(SELECT \(value) FROM \(hop.table) AS D\(index + 1) WHERE D\(index + 1).Z_PK = \(from).\(hop.key))"
        }
        if hops.isEmpty { value = last }
        let end = entity.attributes[attribute]
        func change(_ index: Int, of table: String, where condition: String) -> Trigger {
            writing(of: [read(index)], in: table, condition, from: index == hops.count ? end : nil)
        }
        var triggers: [Trigger] = [own("INSERT"), change(0, of: table, where: "Z_PK = NEW.Z_PK")]
        for index in hops.indices {
            var condition = "\(hops[index].key) = NEW.Z_PK"
            for before in (0..<index).reversed() {
                condition = "\(hops[before].key) IN (SELECT Z_PK FROM \(hops[before].table) WHERE \(condition))"
            }
            // A destination may be inserted after the rows that refer to it.
            triggers.append(Trigger(event: "INSERT", table: hops[index].table, condition: condition))
            triggers.append(change(index + 1, of: hops[index].table, where: condition))
        }
        return Parts(value: value, triggers: triggers, source: "\(hops.last?.table ?? table).\(last)")
    }

    // MARK: Over members

    private func members(_ aggregate: Derivation.Aggregate, relationship: Int, attribute: Int?) -> Parts? {
        let destination = model[derived.entity.relationships[relationship].destination]
        let members = SQLName.quoted(layout.table(of: destination))
        let source = attribute.map { destination.attributes[$0] }
        var column: String?
        if let attribute {
            column = layout.column(ofAttribute: attribute, in: destination.number).map { SQLName.quoted($0) }
            if column == nil { return nil }
        }
        var result = "count(*)"
        if let column, let source { result = taken(aggregate, of: "D1.\(column)", type: source.type) }
        // Without members the sum is 0, and there is no minimum or maximum.
        let total = aggregate == .sum ? "IFNULL(\(result), 0)" : result
        var parts = Parts(value: "", triggers: [own("INSERT")], source: column.map { "\(members).\($0)" })
        func note(_ event: String, of table: String, where condition: String) {
            parts.triggers.append(Trigger(event: event, table: table, condition: condition))
        }
        switch layout.toMany(relationship, in: derived.entity.number) {
        case .inverse(let name, _)?, .oneWay(let name, _)?:
            let key = SQLName.quoted(name)
            parts.value = "(SELECT \(total) FROM \(members) AS D1 WHERE D1.\(key) = \(table).Z_PK)"
            note("INSERT", of: members, where: "Z_PK = NEW.\(key)")
            note("DELETE", of: members, where: "Z_PK = OLD.\(key)")
            let columns = [key] + (column.map { [$0] } ?? [])
            parts.triggers.append(
                writing(of: columns, in: members, "Z_PK IN (OLD.\(key), NEW.\(key))", from: source))
        case .join(let join)?:
            let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
            let list = SQLName.quoted(join.table)
            func rows(_ row: String) -> String {
                join.isReflexive ? "Z_PK IN (\(row).\(own), \(row).\(other))" : "Z_PK = \(row).\(own)"
            }
            let joined = column == nil ? "" : " JOIN \(members) AS D1 ON D1.Z_PK = D2.\(other)"
            parts.value = "(SELECT \(total) FROM \(join.source) AS D2\(joined) WHERE D2.\(own) = \(table).Z_PK)"
            note("INSERT", of: list, where: rows("NEW"))
            note("DELETE", of: list, where: rows("OLD"))
            if let column {
                let owners = "Z_PK IN (SELECT \(own) FROM \(join.source) WHERE \(other) = NEW.Z_PK)"
                note("INSERT", of: members, where: owners)
                parts.triggers.append(writing(of: [column], in: members, owners, from: source))
            }
        case nil: return nil
        }
        return parts
    }

    /// Returns the aggregate of the values of all members. Sums do not use SQLite's integers if the derived attribute
    /// can hold larger values.
    private func taken(_ aggregate: Derivation.Aggregate, of value: String, type: AttributeType) -> String {
        switch (aggregate, type, derived.entity.attributes[derived.slot].type) {
        case (.sum, .decimal, _), (.sum, _, .decimal): "\(DecimalFunction.sum)(\(value))"
        case (.min, .decimal, _): "\(DecimalFunction.minimum)(\(value))"
        case (.max, .decimal, _): "\(DecimalFunction.maximum)(\(value))"
        case (.sum, _, .double), (.sum, _, .float): "sum(CAST(\(value) AS REAL))"
        default: "\(aggregate.rawValue)(\(value))"
        }
    }
}
