import SwormPredicates

/// What a derived attribute is worked out from, as SQL, and the temporary triggers that note the rows to work it out for.
struct DerivationSQL: Sendable {
    /// A change after which some rows may have another value.
    struct Trigger {
        var event: String
        var table: String
        /// What holds for those rows.
        var condition: String
        /// The columns of which one must have another value; empty where the event is enough.
        var compared: [String] = []
    }

    private struct Parts {
        /// The value before it is given its form.
        var value: String
        var triggers: [Trigger]
        /// The column from which the value is taken; nil where it is no attribute.
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

    /// The value that a row should have, as SQL in which the row's table has its own name; nil for a time.
    var value: String? {
        guard derived.derivation.source != .now else { return nil }
        return parts.map { formed($0.value) }
    }

    /// The column, with its table.
    var place: String { "\(table).\(column)" }

    /// The column from which the value is taken, with its table.
    var source: String? { parts?.source }

    /// Gives one row its value.
    var update: String? {
        parts.map { "UPDATE \(table) SET \(column) = \(formed($0.value)) WHERE Z_PK = ?1\(restriction)" }
    }

    /// Reads the entity and the value of one row.
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
            // Every save of an object gives its row another version; what triggers change is none of its own doing.
            Parts(value: "SwormNow()", triggers: [own("INSERT"), own("UPDATE OF Z_OPT")])
        case .value(let path, let attribute): copy(path, attribute)
        case .members(let aggregate, let relationship, let attribute): members(aggregate, relationship, attribute)
        }
    }

    /// Only the rows that have the attribute are written.
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
        case .canonical:
            "SwormFold(\(value), \(ComparisonOptions([.caseInsensitive, .diacriticInsensitive]).rawValue))"
        }
    }

    /// The change of columns of a table. A derived value that is worked out anew and stays what it was changes nothing;
    /// any other is taken for a change whenever it is written.
    private func writing(
        of columns: [String], in table: String, _ condition: String, from attribute: CompiledAttribute?
    ) -> Trigger {
        Trigger(
            event: "UPDATE OF \(columns.joined(separator: ", "))", table: table, condition: condition,
            compared: attribute?.derivation == nil ? [] : columns)
    }

    // MARK: Along a path

    private func copy(_ path: [Int], _ attribute: Int) -> Parts? {
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
        /// What is read in each table: the key of the next, and of the last one the value.
        func read(_ index: Int) -> String { index < hops.count ? hops[index].key : last }
        var value = "D\(hops.count).\(last)"
        for (index, hop) in hops.enumerated().reversed() {
            let from = index == 0 ? table : "D\(index)"
            value =
                "(SELECT \(value) FROM \(hop.table) AS D\(index + 1) WHERE D\(index + 1).Z_PK = \(from).\(hop.key))"
        }
        if hops.isEmpty { value = last }
        let end = entity.attributes[attribute]
        func change(_ index: Int, _ table: String, _ condition: String) -> Trigger {
            writing(of: [read(index)], in: table, condition, from: index == hops.count ? end : nil)
        }
        var triggers: [Trigger] = [own("INSERT"), change(0, table, "Z_PK = NEW.Z_PK")]
        for index in hops.indices {
            var condition = "\(hops[index].key) = NEW.Z_PK"
            for before in (0..<index).reversed() {
                condition = "\(hops[before].key) IN (SELECT Z_PK FROM \(hops[before].table) WHERE \(condition))"
            }
            // A destination may be inserted after what leads to it.
            triggers.append(Trigger(event: "INSERT", table: hops[index].table, condition: condition))
            triggers.append(change(index + 1, hops[index].table, condition))
        }
        return Parts(value: value, triggers: triggers, source: "\(hops.last?.table ?? table).\(last)")
    }

    // MARK: Over members

    private func members(_ aggregate: Derivation.Aggregate, _ relationship: Int, _ attribute: Int?) -> Parts? {
        let destination = model[derived.entity.relationships[relationship].destination]
        let members = SQLName.quoted(layout.table(of: destination))
        let source = attribute.map { destination.attributes[$0] }
        var column: String?
        if let attribute {
            column = layout.column(ofAttribute: attribute, in: destination.number).map { SQLName.quoted($0) }
            if column == nil { return nil }
        }
        var result = "count(*)"
        if let column, let source { result = taken(aggregate, "D1.\(column)", source.type) }
        // No members have the sum 0, and no smallest one.
        let total = aggregate == .sum ? "IFNULL(\(result), 0)" : result
        var parts = Parts(value: "", triggers: [own("INSERT")], source: column.map { "\(members).\($0)" })
        func note(_ event: String, _ table: String, _ condition: String) {
            parts.triggers.append(Trigger(event: event, table: table, condition: condition))
        }
        switch layout.toMany(relationship, in: derived.entity.number) {
        case .inverse(let name, _)?, .oneWay(let name, _)?:
            let key = SQLName.quoted(name)
            parts.value = "(SELECT \(total) FROM \(members) AS D1 WHERE D1.\(key) = \(table).Z_PK)"
            note("INSERT", members, "Z_PK = NEW.\(key)")
            note("DELETE", members, "Z_PK = OLD.\(key)")
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
            note("INSERT", list, rows("NEW"))
            note("DELETE", list, rows("OLD"))
            if let column {
                let owners = "Z_PK IN (SELECT \(own) FROM \(join.source) WHERE \(other) = NEW.Z_PK)"
                note("INSERT", members, owners)
                parts.triggers.append(writing(of: [column], in: members, owners, from: source))
            }
        case nil: return nil
        }
        return parts
    }

    /// One value of all members. Sums leave the integers of SQLite as soon as the derived attribute can hold more.
    private func taken(_ aggregate: Derivation.Aggregate, _ value: String, _ type: AttributeType) -> String {
        switch (aggregate, type, derived.entity.attributes[derived.slot].type) {
        case (.sum, .decimal, _), (.sum, _, .decimal): "\(DecimalFunction.sum)(\(value))"
        case (.min, .decimal, _): "\(DecimalFunction.minimum)(\(value))"
        case (.max, .decimal, _): "\(DecimalFunction.maximum)(\(value))"
        case (.sum, _, .double), (.sum, _, .float): "sum(CAST(\(value) AS REAL))"
        default: "\(aggregate.rawValue)(\(value))"
        }
    }
}
