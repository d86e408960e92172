import Foundation
import SwormPredicates

/// A builder of one statement.
final class QueryBuilder: StatementContext {
    let compiler: SQLCompiler
    let alias = "t0"
    /// The time that `now()` returns throughout the statement.
    let now = Date()
    private let scope = QueryScope()
    let root: QueryObject
    private var bindings: [SQLBinding] = []
    private var aliasCount = 1
    private var depth = 0
    var conditions: [QueryCondition] = []
    var orderings: [String] = []
    var groups: [String] = []
    var having: QueryCondition?
    var isDistinct = false
    /// Whether an aggregate over rows is allowed at the current position.
    var allowsAggregates = false
    /// Whether the statement is compiled only to find the errors of a request. It can have any number of parameters
    /// then.
    var isCheck = false
    /// Whether totals of decimal members keep all digits, as in columns. Conditions add decimals as reals.
    var isExact = false
    /// The expressions that have the same text wherever they occur, with their operands, or nil.
    private(set) var sharedOperands: [ExpressionTree: QueryOperand]?
    private var limit: (count: String, offset: String?)?

    init(_ compiler: SQLCompiler, entity number: Int) {
        self.compiler = compiler
        scope.add("\(compiler.table(of: number)) t0")
        root = QueryObject(entity: number, key: compiler.rootKey, alias: "t0", scope: scope, path: "SELF")
    }

    /// Creates a builder whose first table is joined to another one.
    ///
    /// - Parameter clause: Returns the FROM clause with the first table, which is passed to it, and adds the values of
    ///   the parameters in it.
    init(_ compiler: SQLCompiler, entity number: Int, from clause: (QueryBuilder, _ table: String) -> String) {
        self.compiler = compiler
        root = QueryObject(entity: number, key: compiler.rootKey, alias: "t0", scope: scope, path: "SELF")
        scope.add(clause(self, "\(compiler.table(of: number)) t0"))
    }

    var model: CompiledModel { compiler.model }
    var layout: StoreLayout { compiler.layout }
    var dialect: SQLDialect { compiler.dialect }
    var schema: String { compiler.schema }
    var freeParameters: Int { isCheck ? .max : SQLDialect.parameterLimit - bindings.count }

    // MARK: Parts

    /// Applies all parts of a request except its columns.
    func restrict(to request: FetchSpecification, sorted: Bool = true) throws {
        let entity = model[request.entity]
        if let text = compiler.entityRestriction(of: entity, including: request.includesSubentities, alias: alias) {
            conditions.append(.atom(text))
        }
        if let predicate = request.predicate {
            conditions.append(try condition(predicate, in: QueryContext(object: root), exact: false))
        }
        if sorted { orderings = try self.orderings(for: request.sorts, from: root) }
        if request.limit > 0 || request.offset > 0 {
            limit = (
                request.limit > 0 ? bind(.int64(Int64(request.limit))) : dialect.unlimited(in: self),
                request.offset > 0 ? bind(.int64(Int64(request.offset))) : nil
            )
        }
    }

    func bind(_ binding: SQLBinding) -> String {
        if !dialect.bindsNull, case .null = binding { return "NULL" }
        bindings.append(binding)
        return dialect.parameter(bindings.count)
    }

    /// Compiles expressions that have the same text wherever they occur in the statement.
    func share(_ expressions: [ExpressionTree]) throws {
        var operands = sharedOperands ?? [:]
        for expression in expressions {
            let operand = try operand(expression, in: QueryContext(object: root))
            switch operand {
            case .constant(.null), .constant(.object): operands[expression] = operand
            // Constants, counts and aggregates have a new text each time that they are used as a value, and some values
            // have another one as a column.
            case .constant, .count, .aggregate, .scalar:
                var value = try scalar(operand)
                try dialect.makeColumn(&value)
                // A group has no other column of its rows.
                value.searchColumn = nil
                operands[expression] = .scalar(value)
            default: operands[expression] = operand
            }
        }
        sharedOperands = operands
    }

    /// Adds a join to the FROM clause.
    func join(_ text: String) { scope.add(text) }

    func nextAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    /// Compiles one level of a nested predicate or expression.
    func descend<Result>(_ body: () throws -> Result) throws -> Result {
        guard depth < PredicateLimits.treeDepth else {
            throw QueryError(.limit, "The predicate is nested too deeply. Make it flatter, or split it.")
        }
        depth += 1
        defer { depth -= 1 }
        return try body()
    }

    // MARK: The statement

    func statement(selecting columns: String, ordered: Bool = true) -> CompiledStatement {
        renumbered(text(selecting: columns, ordered: ordered))
    }

    /// Returns a statement that changes or deletes the requested rows.
    ///
    /// - Parameters:
    ///   - head: The text before the condition; the table in it has the alias `t0`.
    ///   - test: A further condition on each row of the changed table.
    func statement(changing head: String, where test: String? = nil) -> CompiledStatement {
        // Some versions of SQLite change rows while a condition with a subquery still reads them for other rows.
        let readsOtherRows = dialect == .sqlite && aliasCount > 1
        if scope.hasJoins || limit != nil || readsOtherRows {
            let rows = text(selecting: root.key, ordered: limit != nil)
            return renumbered("\(head) WHERE \(root.key) IN (\(rows))\(test.map { " AND " + $0 } ?? "")")
        }
        let condition = QueryCondition.and(conditions + (test.map { [.atom($0)] } ?? []))
        if case .constant(true) = condition { return renumbered(head) }
        return renumbered("\(head) WHERE \(condition.text(in: dialect))")
    }

    private func text(selecting columns: String, ordered: Bool) -> String {
        var sql = "SELECT \(isDistinct ? "DISTINCT " : "")\(columns) FROM \(scope.text)"
        switch QueryCondition.and(conditions) {
        case .constant(true): break
        case let condition: sql += " WHERE \(condition.text(in: dialect))"
        }
        if !groups.isEmpty { sql += " GROUP BY " + groups.joined(separator: ", ") }
        if let having { sql += " HAVING " + having.text(in: dialect) }
        if ordered, !orderings.isEmpty { sql += " ORDER BY " + orderings.joined(separator: ", ") }
        if let limit {
            sql += " LIMIT \(limit.count)"
            if let offset = limit.offset { sql += " OFFSET \(offset)" }
        }
        return sql
    }

    /// Embeds a complete statement in this one, and returns its text.
    func embed(_ statement: CompiledStatement) -> String {
        let first = bindings.count
        bindings += statement.bindings
        return Self.renumbering(statement.sql, sign: dialect.parameterSign) { first + $0 }
    }

    /// Numbers the parameters in the order of the text. Constant folding may have added values that the text does not
    /// use.
    private func renumbered(_ sql: String) -> CompiledStatement {
        var used: [SQLBinding] = []
        var numbers: [Int: Int] = [:]
        let text = Self.renumbering(sql, sign: dialect.parameterSign) { old in
            if let number = numbers[old] { return number }
            used.append(bindings[old - 1])
            numbers[old] = used.count
            return used.count
        }
        return CompiledStatement(sql: text, bindings: used)
    }

    private static func renumbering(_ sql: String, sign: UInt8, number: (Int) -> Int) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(sql.utf8.count)
        var quote: UInt8?
        var bytes = Substring(sql).utf8
        while let byte = bytes.popFirst() {
            text.append(byte)
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == sign {
                var old = 0
                while let digit = bytes.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
                    old = old * 10 + Int(digit - UInt8(ascii: "0"))
                    bytes.removeFirst()
                }
                text.append(contentsOf: String(number(old)).utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Order

    private func orderings(for sorts: [FetchSpecification.Sort], from root: QueryObject) throws -> [String] {
        var result: [String] = []
        for sort in sorts {
            var operand = QueryOperand.object(root)
            for key in sort.path { operand = try step(operand, to: key) }
            let text = try orderingText(of: operand, options: sort.options)
            result.append(dialect.ordering(text, ascending: sort.ascending, key: root.key))
        }
        let key = root.key
        if !result.contains(key), !result.contains(key + " DESC") { result.append(key) }
        return result
    }

    func orderingText(of operand: QueryOperand, options: ComparisonOptions) throws -> String {
        switch operand {
        case .object(let object): return object.key
        case .scalar(let scalar):
            guard let kind = scalar.kind else {
                throw QueryError.unsupported(
                    "is \(scalar.opaqueName) and has no order", path: scalar.path, entity: scalar.entity)
            }
            if kind.isText { return try dialect.sortKey(of: scalar, options: options, in: self) }
            return try dialect.sortKey(ofNumber: scalar)
        case .collection(let collection):
            throw QueryError.toManyNotAllowed(path: collection.path, entity: collection.entity)
        case .count(let collection): return try count(of: collection).sql
        default:
            throw QueryError.unsupported(
                "A sort key must be an attribute, a to-one relationship, or the count of a to-many one.")
        }
    }
}
