import Foundation
import SwormPredicates

extension QueryBuilder {
    /// Compiles an expression to an operand.
    func operand(_ expression: ExpressionTree, in context: QueryContext) throws -> QueryOperand {
        if sharedOperands != nil, let shared = sharedOperands?[expression] { return shared }
        return try descend {
            switch expression {
            case .value(let value): return .constant(value)
            case .list(let items): return .list(try items.map { try operand($0, in: context) })
            case .evaluatedObject: return .object(context.object)
            case .variable(let name):
                guard let value = context.variables[name] else {
                    throw QueryError(
                        .variable, "The variable $\(name) has no value. Substitute it before the fetch.")
                }
                return value
            case .key(let base, let key): return try step(try operand(base, in: context), to: key)
            case .index(let base, let part): return try index(try operand(base, in: context), at: part)
            case .binary(let sign, let left, let right):
                return .scalar(
                    try arithmetic(sign, of: try operand(left, in: context), and: try operand(right, in: context)))
            case .negate(let inner): return try negate(try operand(inner, in: context))
            case .function(let name, let arguments):
                if let (aggregate, operand) = expression.rowAggregate {
                    return .scalar(try self.aggregate(aggregate, over: operand, in: context))
                }
                return try function(name, arguments: try arguments.map { try operand($0, in: context) })
            case .cast(let inner, let type): return try cast(try operand(inner, in: context), to: type)
            case .subquery(let base, let variable, let predicate):
                guard case .collection(let collection) = try operand(base, in: context) else {
                    throw QueryError.unsupported("SUBQUERY needs a to-many relationship.")
                }
                return .collection(
                    collection.adding(.filter(variable: variable, predicate: predicate, context: context)))
            case .conditional(let test, let yes, let no): return try conditional(test, then: yes, else: no, in: context)
            case .set(let word, _, _):
                throw QueryError.unsupported("\(word.rawValue) of collections is not supported in a fetch.")
            }
        }
    }

    private func index(_ base: QueryOperand, at part: Subscript) throws -> QueryOperand {
        guard case .collection(let collection) = base else {
            let (path, entity) = describe(base)
            throw QueryError.unsupported(
                "is accessed by index, which needs a to-many relationship", path: path, entity: entity)
        }
        switch part {
        case .size: return try step(base, to: "@count")
        case .first: return try member(of: collection, at: 0)
        case .last: return try member(of: collection, at: 0, fromEnd: true)
        case .expression(.value(.int(let place))) where place >= 0: return try member(of: collection, at: place)
        case .expression:
            throw QueryError.unsupported(
                "is accessed by an index that is not a plain number; a fetch supports [FIRST], [LAST], [SIZE] and [0]",
                path: collection.path, entity: collection.entity)
        }
    }

    /// Returns one member of an ordered relationship, or none if the relationship has fewer members.
    private func member(of collection: QueryCollection, at place: Int64, fromEnd: Bool = false) throws -> QueryOperand {
        let orderColumn =
            switch collection.storage {
            case .inverse(_, let column), .oneWay(_, let column): column
            case .join(let join): join.orderColumn
            }
        guard let orderColumn, !collection.hasKeys else {
            throw QueryError.unsupported(
                "is accessed by index, which needs an ordered relationship", path: collection.path,
                entity: collection.entity)
        }
        let members = try open(collection)
        guard case .object(var member) = members.operand, let alias = members.alias else {
            throw QueryError.unsupported(
                "cannot be accessed by index", path: collection.path, entity: collection.entity)
        }
        let condition = QueryCondition.and(members.conditions).text(in: dialect)
        let order = dialect.ordering("\(alias).\(compiler.quoted(orderColumn))", ascending: !fromEnd)
        member.key =
            "(SELECT \(member.key) FROM \(members.scope.text) WHERE \(condition)"
            + " ORDER BY \(order), \(member.key)\(fromEnd ? " DESC" : "")"
            + " LIMIT 1\(place > 0 ? " OFFSET \(bind(.int64(place)))" : ""))"
        member.alias = nil
        member.isMember = false
        member.isOptional = true
        member.scope = collection.base.scope
        return .object(member)
    }

    private func conditional(
        _ test: PredicateTree, then yes: ExpressionTree, else no: ExpressionTree, in context: QueryContext
    ) throws -> QueryOperand {
        let condition = try condition(test, in: context, exact: false)
        let (first, second) = (try operand(yes, in: context), try operand(no, in: context))
        // A chosen nil is not a literal nil at this position, so it needs the form of a value.
        if case .constant(let value) = condition, !(value ? first : second).isNull { return value ? first : second }
        var (one, other) = (try scalar(first), try scalar(second))
        if one.kind != other.kind {
            if one.kind == .decimal, other.kind?.isNumber == true { one = try number(first) }
            if other.kind == .decimal, one.kind?.isNumber == true { other = try number(second) }
        }
        dialect.unify(&one, with: &other)
        var result = one
        result.column = nil
        result.isWide = one.isWide || other.isWide
        switch (one.kind, other.kind) {
        case (nil, let kind) where first.isNull: result.kind = kind
        case (_, nil) where second.isNull: break
        default:
            let (kind, otherKind) = (try kind(of: one), try self.kind(of: other))
            try one.typed.checkComparable(with: other.typed)
            result.kind = kind == otherKind ? kind : kind.isNumber ? .number : .text
        }
        result.sql = try choice(condition, then: one.sql, else: other.sql)
        result.constant = nil
        result.path = "TERNARY"
        return .scalar(result)
    }

    // MARK: Numbers

    func arithmetic(_ sign: BinaryOperator, of left: QueryOperand, and right: QueryOperand) throws -> QueryScalar {
        let (one, other) = (try number(left), try number(right))
        var result = QueryScalar(sql: "", kind: .integer, path: one.path, entity: one.entity)
        result.isWide = true
        let kinds = [one.kind, other.kind]
        if kinds.contains(.number) { result.kind = .number }
        if kinds.contains(.real) || kinds.contains(.date) { result.kind = .real }
        // A date plus or minus a number of seconds is a date.
        if sign == .add && kinds.contains(.date) && one.kind != other.kind
            || sign == .subtract && one.kind == .date && other.kind != .date
        {
            result.kind = .date
        }
        switch sign {
        case .add, .subtract, .multiply, .divide: break
        case .power: result.kind = .real
        case .bitAnd, .bitOr, .bitXor: result.kind = .integer
        }
        result.sql = try dialect.arithmetic(sign, of: one, and: other)
        return result
    }

    /// Returns an operand as a number for arithmetic. A date becomes its seconds, and a decimal becomes a real.
    func number(_ operand: QueryOperand) throws -> QueryScalar {
        if case .constant(.decimal(let value)) = operand { return try scalar(.constant(.double(value.nearestDouble))) }
        var scalar = try scalar(operand)
        if operand.isNull { scalar.kind = .integer }
        let kind = try kind(of: scalar)
        scalar.sql = dialect.number(scalar, in: self)
        if kind == .decimal { scalar.kind = .real }
        if scalar.form == .native { scalar.form = .number }
        scalar.column = nil
        if case .constant(.int) = operand { scalar.isWide = true }
        try scalar.typed.checkNumber()
        return scalar
    }

    private func negate(_ operand: QueryOperand) throws -> QueryOperand {
        switch operand {
        case .constant(.int(let value)) where value != .min: return .constant(.int(-value))
        case .constant(.double(let value)): return .constant(.double(-value))
        case .constant(.decimal(let value)): return .constant(.decimal(-value))
        default:
            var result = try number(operand)
            result.sql = try dialect.negated(result)
            result.isWide = true
            (result.form, result.constant) = (.number, nil)
            if result.kind == .boolean { result.kind = .integer }
            return .scalar(result)
        }
    }

    // MARK: Counts and totals

    func count(of collection: QueryCollection) throws -> QueryScalar {
        let members = try open(collection)
        return QueryScalar(
            sql: select("COUNT(*)", from: members), kind: .integer, path: collection.path + ".@count",
            entity: collection.entity)
    }

    func aggregate(_ function: QueryAggregate, of collection: QueryCollection) throws -> QueryScalar {
        guard collection.hasKeys else {
            throw QueryError.unsupported(
                "needs the name of an attribute after \(function.rawValue)", path: collection.path,
                entity: collection.entity)
        }
        let members = try open(collection)
        guard case .scalar(let value) = members.operand else {
            throw QueryError.typeMismatch(
                "\(function.rawValue) needs an attribute", path: collection.path, entity: collection.entity)
        }
        var kind = try kind(of: value)
        let isTotal = function == .sum || function == .average
        var typed = value.typed
        (typed.path, typed.entity) = (collection.path, collection.entity)
        try typed.checkAggregate(function.rawValue, isTotal: isTotal)
        let text: String
        switch function {
        case .sum: text = try dialect.sum(of: value)
        case .minimum, .maximum: text = try dialect.extreme(of: value, isLargest: function == .maximum)
        case .average: text = try dialect.average(ofMembers: value)
        }
        if function == .average { kind = .real }
        // An empty total is the integer 0 even if the values are reals.
        if function == .sum { kind = value.isInteger ? .integer : .number }
        var result = QueryScalar(
            sql: select(text, from: members), kind: kind,
            isWide: value.isWide || isTotal && dialect.isWide(sumOf: value),
            form: dialect.form(of: function, of: value),
            path: collection.path, entity: collection.entity)
        if isExact, value.kind == .decimal {
            switch function {
            case .sum: dialect.setDecimal(select(dialect.decimalSum(of: value), from: members), of: &result)
            case .minimum, .maximum:
                let extreme = dialect.decimalExtreme(of: value, isLargest: function == .maximum)
                dialect.setDecimal(select(extreme, from: members), of: &result)
            case .average: break
            }
        }
        return result
    }

    private func select(_ column: String, from members: OpenCollection) -> String {
        "(SELECT \(column) FROM \(members.scope.text) WHERE \(QueryCondition.and(members.conditions).text(in: dialect)))"
    }
}
