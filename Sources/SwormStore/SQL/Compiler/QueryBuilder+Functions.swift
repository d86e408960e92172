import Foundation
import SwormPredicates

extension QueryBuilder {
    /// Compiles a call of a function, which can be named with or without the colons of its selector.
    func function(_ name: String, arguments: [QueryOperand]) throws -> QueryOperand {
        let parts = name.split(separator: ":").map(String.init)
        if parts == ["now"], arguments.isEmpty { return .constant(.date(now)) }
        if arguments.count == 2 {
            let (one, other) = (arguments[0], arguments[1])
            switch parts {
            case ["modulus", "by"]: return try combine(one, by: "%", with: other)
            case ["leftshift", "by"]: return try combine(one, by: "<<", with: other)
            case ["rightshift", "by"]: return try combine(one, by: ">>", with: other)
            default: break
            }
        }
        if arguments.count == 1, parts.count == 1 { return try function(parts[0], of: arguments[0], named: name) }
        throw QueryError.unsupported(
            "The function '\(name)' with \(arguments.count) arguments is not supported in a fetch.")
    }

    private func combine(_ left: QueryOperand, by sign: String, with right: QueryOperand) throws -> QueryOperand {
        let (one, other) = (try number(left), try number(right))
        return .scalar(
            QueryScalar(
                sql: try dialect.combined(one, by: sign, with: other), kind: .integer, isWide: true, path: one.path,
                entity: one.entity))
    }

    private func function(_ name: String, of argument: QueryOperand, named full: String) throws -> QueryOperand {
        var result: QueryScalar
        switch PredicateFunction(rawValue: name) {
        case .noindex:
            result = try scalar(argument)
            result.sql = dialect.withoutIndex(result.sql)
        case .abs:
            result = try number(argument)
            (result.sql, result.form) = (try dialect.absolute(result), .number)
        case .onesComplement:
            result = try number(argument)
            (result.sql, result.form) = (try dialect.complement(of: result), .number)
            // A real can become any integer.
            result.isWide = result.isWide || !result.isInteger
            result.kind = .integer
        case .some(let function) where function.keepsIntegers:
            result = try number(argument)
            if let text = try dialect.rounded(result, by: function) {
                result.sql = text
                if result.kind != .integer, result.kind != .number { result.kind = .real }
            }
        case .some(let function) where function.ofReal != nil:
            result = try number(argument)
            (result.sql, result.kind) = (try dialect.real(function, of: result), .real)
            result.form = .number
        case .uppercase, .lowercase, .canonical:
            result = try scalar(argument)
            guard argument.isNull || result.kind?.isText == true else {
                throw QueryError.typeMismatch(
                    "a string is needed for \(name)", path: result.path, entity: result.entity)
            }
            result.sql =
                name == "canonical"
                ? try dialect.folded(result, options: .canonical, in: self)
                : try dialect.cased(result, isUpper: name == "uppercase")
            (result.kind, result.column) = (.text, nil)
        case .length:
            // The function does not refer to a key of the same name, so that only a string has a length here.
            if argument.isConstant { return try step(argument, to: "length") }
            result = try scalar(argument)
            guard result.kind?.isText == true else {
                throw QueryError.typeMismatch("a string is needed for length", path: result.path, entity: result.entity)
            }
            (result.sql, result.kind, result.column) = ("length(\(result.sql))", .integer, nil)
        case .count, .sum, .min, .max, .average:
            guard case .collection = argument else {
                throw QueryError.unsupported("The function '\(full)' needs a to-many relationship in a fetch.")
            }
            guard PredicateFunction(rawValue: name) == .count else {
                throw QueryError.unsupported(
                    "Write '\(full)' of a to-many relationship as a collection operator: `items.@sum.price`.")
            }
            return try step(argument, to: "@count")
        default:
            throw QueryError.unsupported("The function '\(full)' is not supported in a fetch.")
        }
        result.constant = nil
        return .scalar(result)
    }

    // MARK: CAST

    func cast(_ operand: QueryOperand, to type: String) throws -> QueryOperand {
        guard let cast = ValueCast(rawValue: type) else {
            throw QueryError.unsupported("A cast to '\(type)' is not supported in a fetch.")
        }
        switch (cast, operand) {
        case (_, .constant(let value)):
            if let result = cast.apply(dialect.rounded(value)) { return .constant(result) }
        case (.date, _):
            var result = try scalar(operand)
            if result.kind == .date { return operand }
            if result.kind?.isNumber == true {
                dialect.setDate(of: &result)
                return .scalar(result)
            }
        case (.number, _), (.decimal, _):
            var result = try scalar(operand)
            if result.kind == .date { result = try number(operand) }
            if result.kind == .date { result.kind = .real }
            if cast == .decimal, result.kind?.isNumber == true { try dialect.decimal(&result, isExact: isExact) }
            if result.kind?.isNumber == true { return .scalar(result) }
        case (.string, .scalar(let scalar)) where scalar.kind?.isText == true: return operand
        case (.uuid, .scalar(let scalar)) where scalar.kind == .uuid: return operand
        case (.url, .scalar(let scalar)) where scalar.kind == .uri: return operand
        case (.object, .object): return operand
        default: break
        }
        let (path, entity) = describe(operand)
        throw QueryError.unsupported("cannot be cast to '\(type)' in a fetch", path: path, entity: entity)
    }
}
