import Foundation
import SwormPredicates

// Lists of constants.
extension SQLDialect {
    /// The maximum number of values of a list that are bound one by one. SQLite's statements have a text for each
    /// number of values up to this one.
    var boundListLimit: Int {
        switch self {
        case .sqlite: 200
        case .postgres: 20
        }
    }

    /// Returns the condition that a column of keys has one of some values.
    func isKey(_ column: String, among keys: [Int64], in context: some StatementContext) -> String {
        guard keys.count > boundListLimit else {
            return "\(column) IN (\(keys.map { context.bind(.int64($0)) }.joined(separator: ", ")))"
        }
        return isKey(column, inArray: keys, in: context)
    }

    /// Returns the same condition with one parameter, so that the text is the same for any number of keys.
    func isKey(_ column: String, inArray keys: [Int64], in context: some StatementContext) -> String {
        switch self {
        case .sqlite: "\(column) IN (SELECT value FROM json_each(\(context.bind(.text(JSONText.array(of: keys))))))"
        case .postgres: "\(column) = ANY(\(context.bind(.integers(keys))))"
        }
    }

    /// Returns the same condition for a statement in which it has the first parameter.
    func keyTest(_ column: String, among keys: [Int64]) -> (String, SQLBinding) {
        switch self {
        case .sqlite where keys.count == 1: ("\(column) = ?1", .int64(keys[0]))
        case .sqlite: ("\(column) IN (SELECT value FROM json_each(?1))", .text(JSONText.array(of: keys)))
        case .postgres where keys.count == 1: ("\(column) = $1", .int64(keys[0]))
        case .postgres: ("\(column) = ANY($1)", .integers(keys))
        }
    }

    /// Returns a table `o` of keys for a FROM clause. It has their positions as `o.key`, and the keys as `o.value`.
    func table(ofKeys keys: [Int64], in context: some StatementContext) -> String {
        switch self {
        case .sqlite: "json_each(\(context.bind(.text(JSONText.array(of: keys))))) o"
        case .postgres: "unnest(\(context.bind(.integers(keys)))) WITH ORDINALITY AS o(value, key)"
        }
    }

    /// Returns a FROM clause of the table of keys and the rows of a table, in the order of the keys.
    func join(_ keys: String, to table: String, on condition: String) -> String {
        switch self {
        case .sqlite: "\(keys) CROSS JOIN \(table) ON \(condition)"
        case .postgres: "\(keys) JOIN \(table) ON \(condition)"
        }
    }

    /// Returns a FROM clause of the table of owners, and the rows that a search finds for each of them.
    ///
    /// - Parameters:
    ///   - table: The table with the alias `t0`.
    ///   - key: The column of the primary key.
    ///   - search: A SELECT of the keys of the rows of the owner `o.value`.
    func join(_ owners: String, to table: String, key: String, found search: String) -> String {
        switch self {
        case .sqlite: "\(owners) JOIN \(table) ON t0.\(key) IN (\(search))"
        // An IN with a search for each owner would try each row of the table for each owner.
        case .postgres: "\(owners) CROSS JOIN LATERAL (\(search)) f JOIN \(table) ON t0.\(key) = f.\(key)"
        }
    }

    /// Whether all rows of a table are read at once if most of them are needed, instead of searching for each. A server
    /// decides that itself.
    var readsTablesAsTheyLie: Bool { self == .sqlite }

    /// Returns the conditions, any of which is sufficient, that a value is equal to one of some values.
    ///
    /// - Parameters:
    ///   - constants: The constants among the values.
    ///   - computed: The values that are computed for each row.
    ///   - options: The options of the operator, for strings only.
    func membership(
        of element: QueryScalar, among constants: [AttributeValue], and computed: [QueryScalar],
        options: ComparisonOptions, in context: some StatementContext
    ) throws -> [QueryCondition] {
        switch self {
        case .sqlite:
            return try listInFile(of: element, among: constants, and: computed, options: options, in: context)
        case .postgres:
            return try listOnServer(of: element, among: constants, options: options, in: context)
                + computed.map {
                    try compare(
                        element, by: .equal, sign: "=", with: $0, options: options, exact: false, in: context)
                }
        }
    }

    /// A number of parameters that servers and all supported versions of SQLite accept, less some for the rest of the
    /// statement.
    static let parameterLimit = 30_000

    func requireParameters(_ count: Int, comparing element: QueryScalar, in context: some StatementContext) throws {
        guard count > context.freeParameters else { return }
        throw QueryError(
            .unsupported,
            "\(element.path) of \(element.entity) is compared with \(count) values, which is more than a query can have; split the values over several fetches"
        )
    }

    // MARK: PostgreSQL

    /// The constants of a list by their types: a list in SQL has one type only.
    private func listOnServer(
        of element: QueryScalar, among constants: [AttributeValue], options: ComparisonOptions,
        in context: some StatementContext
    ) throws -> [QueryCondition] {
        var lists: [(text: String, values: [SQLBinding])] = []
        let whole = element.kind?.isText == true ? try folded(element, options: options, in: context) : nil
        for constant in constants {
            var (text, value) = try compared(element, with: constant)
            if let whole { text = whole }
            if case .text(let string) = value {
                value = .text(SwormPredicates.folded(string, options: options))
            }
            if let index = lists.firstIndex(where: { $0.text == text && $0.values[0].isLike(value) }) {
                lists[index].values.append(value)
            } else {
                lists.append((text, [value]))
            }
        }
        return try lists.map { text, values in
            if values.count == 1 { return .atom("\(text) = \(context.bind(values[0]))", needs: element.neededRows) }
            if values.count > boundListLimit, let array = SQLBinding(arrayOf: values) {
                return .atom("\(text) = ANY(\(context.bind(array)))", needs: element.neededRows)
            }
            try requireParameters(values.count, comparing: element, in: context)
            return .atom(
                "\(text) IN (\(values.map { context.bind($0) }.joined(separator: ", ")))", needs: element.neededRows)
        }
    }
}

extension SQLBinding {
    /// Returns whether two values have the same type.
    func isLike(_ other: SQLBinding) -> Bool {
        switch (self, other) {
        case (.int64, .int64), (.double, .double), (.text, .text), (.blob, .blob), (.bool, .bool), (.uuid, .uuid),
            (.date, .date), (.decimal, .decimal), (.null, .null):
            true
        default: false
        }
    }

    /// Creates one parameter for many values of one type; nil for a type without arrays.
    fileprivate init?(arrayOf values: [SQLBinding]) {
        switch values[0] {
        case .int64: self = .integers(values.compactMap { if case .int64(let value) = $0 { value } else { nil } })
        case .double: self = .doubles(values.compactMap { if case .double(let value) = $0 { value } else { nil } })
        case .text: self = .texts(values.compactMap { if case .text(let value) = $0 { value } else { nil } })
        case .uuid: self = .uuids(values.compactMap { if case .uuid(let value) = $0 { value } else { nil } })
        case .date: self = .dates(values.compactMap { if case .date(let value) = $0 { value } else { nil } })
        case .decimal: self = .decimals(values.compactMap { if case .decimal(let value) = $0 { value } else { nil } })
        case .blob: self = .blobs(values.compactMap { if case .blob(let value) = $0 { value } else { nil } })
        default: return nil
        }
    }
}
