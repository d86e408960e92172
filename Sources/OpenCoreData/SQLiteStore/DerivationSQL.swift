import SwormPredicates

/// What a derived attribute is worked out from, as SQL, and the temporary triggers that keep it right.
struct DerivationSQL {
    typealias Trigger = (event: String, table: String, condition: String)

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

    func triggers(number: Int) -> [String] {
        guard let (value, triggers) = parts else { return [] }
        return triggers.enumerated().map { index, trigger in
            let rows = "\(trigger.condition)\(restriction)"
            let told =
                "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue(\(SQLName.literal(table)), Z_ENT, Z_PK, \(SQLName.literal(derived.name)), \(column)) FROM \(table) WHERE \(rows)"
            return
                "CREATE TEMP TRIGGER SwormDerived_\(number)_\(index) AFTER \(trigger.event) ON main.\(trigger.table) FOR EACH ROW BEGIN UPDATE \(table) SET \(column) = \(formed(value)) WHERE \(rows); \(told); END"
        }
    }

    /// The value before it is given its form, and what changes it.
    private var parts: (value: String, triggers: [Trigger])? {
        switch derived.derivation.source {
        case .now:
            // Every save of an object gives its row another version; what triggers change is none of its own doing.
            ("SwormNow()", [own("INSERT"), own("UPDATE OF Z_OPT")])
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
        (event, table, "Z_PK = NEW.Z_PK")
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

    // MARK: Along a path

    private func copy(_ path: [Int], _ attribute: Int) -> (String, [Trigger])? {
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
        var triggers: [Trigger] = [own("INSERT"), own("UPDATE OF \(read(0))")]
        for index in hops.indices {
            var condition = "\(hops[index].key) = NEW.Z_PK"
            for before in (0..<index).reversed() {
                condition = "\(hops[before].key) IN (SELECT Z_PK FROM \(hops[before].table) WHERE \(condition))"
            }
            // A destination may be inserted after what leads to it.
            for event in ["INSERT", "UPDATE OF \(read(index + 1))"] {
                triggers.append((event, hops[index].table, condition))
            }
        }
        return (value, triggers)
    }

    // MARK: Over members

    private func members(
        _ aggregate: Derivation.Aggregate, _ relationship: Int, _ attribute: Int?
    ) -> (String, [Trigger])? {
        let destination = model[derived.entity.relationships[relationship].destination]
        let members = SQLName.quoted(layout.table(of: destination))
        var column: String?
        if let attribute {
            column = layout.column(ofAttribute: attribute, in: destination.number).map { SQLName.quoted($0) }
            if column == nil { return nil }
        }
        let result = column.map { "\(aggregate.rawValue)(D1.\($0))" } ?? "count(*)"
        // No members have the sum 0, and no smallest one.
        let total = aggregate == .sum ? "IFNULL(\(result), 0)" : result
        switch layout.toMany(relationship, in: derived.entity.number) {
        case .inverse(let name, _)?, .oneWay(let name, _)?:
            let key = SQLName.quoted(name)
            let columns = [key] + (column.map { [$0] } ?? [])
            return (
                "(SELECT \(total) FROM \(members) AS D1 WHERE D1.\(key) = \(table).Z_PK)",
                [
                    own("INSERT"), ("INSERT", members, "Z_PK = NEW.\(key)"), ("DELETE", members, "Z_PK = OLD.\(key)"),
                    ("UPDATE OF \(columns.joined(separator: ", "))", members, "Z_PK IN (OLD.\(key), NEW.\(key))"),
                ]
            )
        case .join(let join)?:
            let (own, other) = (SQLName.quoted(join.ownColumn), SQLName.quoted(join.otherColumn))
            let list = SQLName.quoted(join.table)
            func rows(_ row: String) -> String {
                join.isReflexive ? "Z_PK IN (\(row).\(own), \(row).\(other))" : "Z_PK = \(row).\(own)"
            }
            let source = column == nil ? "" : " JOIN \(members) AS D1 ON D1.Z_PK = D2.\(other)"
            var triggers: [Trigger] = [
                self.own("INSERT"), ("INSERT", list, rows("NEW")), ("DELETE", list, rows("OLD")),
            ]
            if let column {
                let owners = "Z_PK IN (SELECT \(own) FROM \(join.source) WHERE \(other) = NEW.Z_PK)"
                triggers += [("INSERT", members, owners), ("UPDATE OF \(column)", members, owners)]
            }
            return (
                "(SELECT \(total) FROM \(join.source) AS D2\(source) WHERE D2.\(own) = \(table).Z_PK)", triggers
            )
        case nil: return nil
        }
    }
}
