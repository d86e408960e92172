import Foundation
import SwormPredicates

// Lists of values in SQLite.
extension SQLDialect {
    func listInFile(
        of element: QueryScalar, among values: [AttributeValue], and computed: [QueryScalar],
        options: ComparisonOptions, in context: some StatementContext
    ) throws -> [QueryCondition] {
        let flags = options.foldingFlags
        let text = Self.folded(element.sql, flags: flags)
        var constants: [SQLBinding] = []
        for value in values {
            guard let binding = SQLBinding(value) else {
                throw QueryError.objectAndValue(path: element.path, entity: element.entity)
            }
            constants.append(binding)
        }
        var conditions: [QueryCondition] = []
        if constants.count > boundListLimit {
            conditions += packed(&constants, isUUID: element.kind == .uuid, flags: flags, in: context).map {
                .atom("\(text) IN (\($0))", needs: element.neededRows)
            }
        }
        try requireParameters(constants.count, comparing: element, in: context)
        let list =
            constants.map { Self.folded(context.bind($0), flags: flags) }
            + computed.map { Self.folded($0.sql, flags: flags) }
        for start in stride(from: 0, to: list.count, by: boundListLimit) {
            let chunk = list[start..<min(start + boundListLimit, list.count)]
            conditions.append(.atom("\(text) IN (\(chunk.joined(separator: ", ")))", needs: element.neededRows))
        }
        return conditions
    }

    /// Returns SELECT statements that pass many constants in one parameter each, and removes these values from
    /// `constants`.
    private func packed(
        _ constants: inout [SQLBinding], isUUID: Bool, flags: UInt8, in context: some StatementContext
    ) -> [String] {
        var integers: [Int64] = []
        var texts: [String] = []
        var identifiers = Data()
        var rest: [SQLBinding] = []
        for constant in constants {
            switch constant {
            case .int64(let value): integers.append(value)
            // Whole numbers are exact in JSON, and SQLite compares them with reals by value.
            case .double(let value) where abs(value) < 9e15 && value == value.rounded(): integers.append(Int64(value))
            case .text(let value) where !value.utf8.contains(0): texts.append(value)
            case .blob(let value) where isUUID && value.count == 16: identifiers.append(value)
            default: rest.append(constant)
            }
        }
        constants = rest
        var selects: [String] = []
        if !integers.isEmpty {
            selects.append("SELECT value FROM json_each(\(context.bind(.text(JSONText.array(of: integers)))))")
        }
        if !texts.isEmpty {
            let value = Self.folded("value", flags: flags)
            selects.append("SELECT \(value) FROM json_each(\(context.bind(.text(JSONText.array(of: texts)))))")
        }
        if !identifiers.isEmpty {
            let parameter = context.bind(.blob(identifiers))
            selects.append(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 16 FROM n WHERE i + 16 <= length(\(parameter)))"
                    + " SELECT substr(\(parameter), i, 16) FROM n")
        }
        return selects
    }
}
