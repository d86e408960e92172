import SwormPredicates
import SwormSQLite

extension StoreCheck {
    /// Compares derived values with the results of their derivations. The time of a save cannot be verified afterwards.
    func checkDerived() throws {
        for derived in DerivedAttribute.all(in: model) {
            guard let sql = DerivationSQL(derived, model: model, layout: layout), let value = sql.value else {
                continue
            }
            let attribute = derived.entity.attributes[derived.slot]
            do {
                try count(
                    "SELECT count(*) FROM \(sql.table) WHERE (\(sql.differs(from: value)))\(sql.restriction)"
                ) {
                    StoreIssue(
                        .derived,
                        "\(derived.entity.name).\(attribute.name): \($0) values differ from \(attribute.derivation ?? "")",
                        entity: derived.entity.name, property: attribute.name, isRuleOfModel: true)
                }
            } catch let error as SQLiteError where error.isSumOverflow {
                // If SQLite cannot compute a sum of integers, the stored one cannot be verified.
            }
        }
    }
}

extension DerivationSQL {
    /// Returns a condition for rows whose value differs from that of the derivation, ignoring differences between
    /// versions of a program: rounding, the sum of no values, and characters whose Unicode mappings have changed.
    func differs(from value: String) -> String {
        if derived.derivation.form != .plain {
            // The mappings of ASCII letters are the same in every version. All further ones are those of Foundation, by which the
            // values are derived, and not those of the tables for conditions.
            return
                "\(column) IS NOT \(value) AND (\(column) IS NULL OR \(value) IS NULL OR (\(column) || \(value)) NOT GLOB '*[^ -~]*' OR SwormCanonical(SwormUpper(\(column))) IS NOT SwormCanonical(SwormUpper(\(value))))"
        }
        var (stored, expected) = (column, value)
        if case .members(let aggregate, _, _) = derived.derivation.source, aggregate == .count || aggregate == .sum {
            (stored, expected) = ("IFNULL(\(column), 0)", "IFNULL(\(value), 0)")
        }
        guard isRounded else { return "\(stored) IS NOT \(expected)" }
        let part = derived.entity.attributes[derived.slot].type == .float ? "1e-6" : "1e-9"
        return
            "(\(stored) IS NULL) <> (\(expected) IS NULL) OR abs(\(stored) - \(expected)) > \(part) * max(abs(\(stored)), abs(\(expected)))"
    }

    /// Whether the value can depend on the order in which numbers were added, or on the precision of a type.
    private var isRounded: Bool {
        func isRounded(_ type: AttributeType) -> Bool { [.double, .float, .decimal].contains(type) }
        if isRounded(derived.entity.attributes[derived.slot].type) { return true }
        switch derived.derivation.source {
        case .now, .members(.count, _, _): return false
        case .members(.average, _, _): return true
        case .value(let path, let attribute):
            return isRounded(Derivation.end(of: path, from: derived.entity, model).attributes[attribute].type)
        case .members(_, let relationship, let attribute):
            let members = model[derived.entity.relationships[relationship].destination]
            return attribute.map { isRounded(members.attributes[$0].type) } ?? false
        }
    }
}
