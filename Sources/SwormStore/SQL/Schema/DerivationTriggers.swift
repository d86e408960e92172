/// The triggers that keep derived attributes up to date, in Core Data's text, so that an application that opens the
/// store has them too.
///
/// This type writes the two forms whose text is known: the count of a to-many relationship that is stored in its
/// inverse, and an attribute at the end of a to-one relationship. ``DerivationUpkeep`` covers the remaining forms.
struct DerivationTriggers {
    let model: CompiledModel
    let layout: StoreLayout

    func statements() -> [String] { DerivedAttribute.all(in: model).flatMap { statements(of: $0) } }

    func statements(of derived: DerivedAttribute) -> [String] {
        guard derived.derivation.form == .plain, derived.cast == nil else { return [] }
        switch derived.derivation.source {
        case .members(.count, let relationship, nil): return count(of: relationship, for: derived)
        case .value(let path, let attribute) where path.count == 1:
            return copy(attribute, through: path[0], for: derived)
        default: return []
        }
    }

    // MARK: The two forms

    private func count(of relationship: Int, for derived: DerivedAttribute) -> [String] {
        let entity = derived.entity
        guard let target = Target(derived, layout: layout),
            let member = table(entity.relationships[relationship].destination),
            case .inverse(let column, _)? = layout.toMany(relationship, in: entity.number)
        else { return [] }
        let (table, value, key) = (target.table, target.column, SQLName.quoted(column))
        let memberTable = SQLName.quoted(member)
        func step(_ role: String, on event: String, of row: String, change: String) -> String {
            let report = target.report(
                by: "NSCoreDataDATriggerUpdatedAffectedObjectValue", where: "Z_PK = \(row).\(key)")
            return target.trigger(
                on: member, role: role, event: "\(event) ON \(memberTable) FOR EACH ROW WHEN (\(row).\(key) NOT NULL)",
                body: "UPDATE \(table) SET \(value) = \(change) WHERE Z_PK = \(row).\(key); \(report);")
        }
        let report = target.report(by: "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", where: "Z_PK = NEW.Z_PK")
        return [
            step("PARAMETER_INSERT", on: "AFTER INSERT", of: "NEW", change: "IFNULL(\(value), 0) + 1"),
            step("PARAMETER_UPDATE_INCREMENT", on: "AFTER UPDATE OF \(key)", of: "NEW", change: "\(value) + 1"),
            step("PARAMETER_UPDATE_DECREMENT", on: "AFTER UPDATE OF \(key)", of: "OLD", change: "\(value) - 1"),
            step("PARAMETER_DELETE", on: "AFTER DELETE", of: "OLD", change: "\(value) - 1"),
            target.trigger(
                on: target.name, role: "SOURCE_INSERT",
                event: "AFTER INSERT ON \(table) FOR EACH ROW\(target.condition)",
                body:
                    "UPDATE \(table) SET \(value) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(memberTable) WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; \(report);"
            ),
        ]
    }

    private func copy(_ attribute: Int, through relationship: Int, for derived: DerivedAttribute) -> [String] {
        let destination = derived.entity.relationships[relationship].destination
        guard let target = Target(derived, layout: layout), let source = table(destination),
            let toOne = layout.toOne(relationship, in: derived.entity.number),
            let column = layout.column(ofAttribute: attribute, in: destination)
        else { return [] }
        let (table, value, key) = (target.table, target.column, SQLName.quoted(toOne.column))
        let (sourceTable, sourceColumn) = (SQLName.quoted(source), SQLName.quoted(column))
        let (insert, update) = (
            "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "NSCoreDataDATriggerUpdatedAffectedObjectValue"
        )
        let own =
            "UPDATE \(table) SET \(value) = (SELECT \(sourceColumn) FROM \(sourceTable) WHERE Z_PK = NEW.\(key)) WHERE Z_PK = NEW.Z_PK"
        let others = "UPDATE \(table) SET \(value) = NEW.\(sourceColumn) WHERE \(key) = NEW.Z_PK"
        return [
            target.trigger(
                on: target.name, role: "SOURCE_INSERT",
                event: "AFTER INSERT ON \(table) FOR EACH ROW\(target.condition)",
                body: "\(own); \(target.report(by: insert, where: "Z_PK = NEW.Z_PK"));"),
            target.trigger(
                on: target.name, role: "SOURCE_UPDATE",
                event: "AFTER UPDATE OF \(key) ON \(table) FOR EACH ROW\(target.condition)",
                body: "\(own); \(target.report(by: update, where: "Z_PK = NEW.Z_PK"));"),
            target.trigger(
                on: source, role: "PARAMETER_INSERT", event: "AFTER INSERT ON \(sourceTable) FOR EACH ROW",
                body: "\(others); \(target.report(by: insert, where: "\(key) = NEW.Z_PK"));"),
            target.trigger(
                on: source, role: "PARAMETER_UPDATE",
                event: "AFTER UPDATE OF \(sourceColumn) ON \(sourceTable) FOR EACH ROW",
                body: "\(others); \(target.report(by: update, where: "\(key) = NEW.Z_PK"));"),
        ]
    }

    private func table(_ entity: Int) -> String? { layout.tables[model[entity].root]?.name }
}

/// The column of a derived attribute, and the parts that the triggers of every form share.
private struct Target {
    let derived: DerivedAttribute
    /// The table's unquoted name.
    let name: String
    let table: String
    let column: String

    init?(_ derived: DerivedAttribute, layout: StoreLayout) {
        guard let name = layout.tables[derived.entity.root]?.name,
            let column = layout.column(ofAttribute: derived.slot, in: derived.entity.number)
        else { return nil }
        self.derived = derived
        self.name = name
        table = SQLName.quoted(name)
        self.column = SQLName.quoted(column)
    }

    /// The condition that restricts a trigger to the rows that have the attribute. Empty for a root entity, because
    /// all rows have it.
    var condition: String {
        guard derived.entity.root != derived.entity.number else { return "" }
        let family = derived.entity.family
        return " WHEN (NEW.Z_ENT BETWEEN \(family.lowerBound) AND \(family.upperBound))"
    }

    func trigger(on: String, role: String, event: String, body: String) -> String {
        let name = SQLName.quoted("Z_DA_\(on)_\(derived.entity.name)_\(derived.name)_\(role)")
        return "CREATE TRIGGER \(name) \(event) BEGIN \(body) END"
    }

    /// Returns the statement by which a trigger reports its changes.
    func report(by function: String, where condition: String) -> String {
        "SELECT \(function)(\(SQLName.literal(name)), Z_ENT, Z_PK, \(SQLName.literal(derived.name)), \(column)) FROM \(table) WHERE \(condition)"
    }
}
