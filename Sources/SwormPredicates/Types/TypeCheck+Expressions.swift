import Foundation

extension TypeCheck {
    func type(of tree: ExpressionTree) throws -> ExpressionType {
        switch tree {
        case .value(let value): return .value(TypedValue(value))
        case .list(let items): return .list(try items.map(type))
        case .evaluatedObject: return .object(root, path: "SELF")
        case .variable(let name): return variables[name] ?? .unknown("$" + name)
        case .key(let base, let key): return try step(from: try type(of: base), to: key)
        case .index(let base, let index): return try member(of: try type(of: base), at: index)
        case .binary(let sign, let left, let right): return try arithmetic(sign, of: left, and: right)
        case .negate(let operand):
            let operand = try number(operand)
            return computed(operand.kind == .boolean ? .integer : operand.kind, from: operand)
        case .function(let name, let arguments): return try call(name, with: arguments)
        case .cast(let operand, let name): return try cast(operand, to: name)
        case .subquery(let collection, let name, let condition):
            let members = try type(of: collection)
            var inner = self
            if case .collection(let member, _, _) = members { inner.variables[name] = member }
            try inner.check(condition)
            return members
        case .conditional(let test, let yes, let no): return try conditional(if: test, then: yes, else: no)
        case .set(_, let left, let right):
            _ = try type(of: right)
            return try type(of: left)
        }
    }

    // MARK: Paths

    private func step(from type: ExpressionType, to key: String) throws -> ExpressionType {
        switch type {
        case .object(let entity, let path):
            let isSelf = key == "self" || key == "SELF"
            let path = path == "SELF" ? key : path + "." + key
            if key.hasPrefix("@") { return .unknown(path) }
            switch try entity.property(named: key) {
            case .attribute(let kind): return .value(TypedValue(kind: kind, path: path, entity: entity.entityName))
            case .toOne(let destination): return .object(destination, path: path)
            case .toMany(let destination):
                return .collection(.object(destination, path: path), path: path, entity: entity.entityName)
            case .unknown: return isSelf || key == "objectID" ? type : .unknown(path)
            }
        case .collection(let member, let base, let entity):
            let path = base + "." + key
            if key == "@count" { return .value(TypedValue(kind: .integer, path: path, entity: entity)) }
            if key.hasPrefix("@") {
                return CollectionOperator(rawValue: key).map { .aggregate($0, member, path: base, entity: entity) }
                    ?? .unknown(path)
            }
            switch try step(from: member, to: key) {
            case .collection(let inner, _, _): return .collection(inner, path: path, entity: entity)
            case let inner: return .collection(inner, path: path, entity: entity)
            }
        case .aggregate(let function, let member, let path, let entity):
            let member = try step(from: member, to: key)
            return .aggregate(function, member, path: path + "." + key, entity: entity)
        case .value(let value):
            if value.constant == .null { return type }
            guard let kind = value.kind else { return .unknown(value.path + "." + key) }
            if key == "length", kind.isText { return computed(.integer, from: value) }
            if key == "self" || key == "SELF" { return type }
            throw QueryError.keyBehindAttribute(key, path: value.path, entity: value.entity)
        case .list: return .unknown(key)
        }
    }

    private func member(of type: ExpressionType, at index: Subscript) throws -> ExpressionType {
        if case .expression(let index) = index { _ = try self.type(of: index) }
        if case .size = index { return .value(TypedValue(kind: .integer, path: type.place.path, entity: "")) }
        if case .collection(let member, _, _) = type { return member }
        return .unknown(type.place.path)
    }

    // MARK: Values

    /// Checks an expression that is an operand of arithmetic.
    private func number(_ tree: ExpressionTree) throws -> TypedValue {
        var result = try value(try type(of: tree))
        try result.checkNumber()
        if result.kind == .decimal { result.kind = .real }
        return result
    }

    private func computed(_ kind: ValueKind?, from value: TypedValue) -> ExpressionType {
        .value(TypedValue(kind: kind, path: value.path, entity: value.entity))
    }

    private func arithmetic(
        _ sign: BinaryOperator, of left: ExpressionTree, and right: ExpressionTree
    ) throws -> ExpressionType {
        let (one, other) = (try number(left), try number(right))
        let kinds = [one.kind, other.kind]
        switch sign {
        case .bitAnd, .bitOr, .bitXor: return computed(.integer, from: one)
        case .power: return computed(.real, from: one)
        case .add, .subtract, .multiply, .divide: break
        }
        // A date plus or minus a number of seconds is a date. The kind of a nil is unknown.
        guard !kinds.contains(nil) else { return computed(nil, from: one) }
        let isMoment =
            sign == .add && kinds.contains(.date) && one.kind != other.kind
            || sign == .subtract && one.kind == .date && other.kind != .date
        return computed(isMoment ? .date : .number, from: one)
    }

    private func call(_ name: String, with arguments: [ExpressionTree]) throws -> ExpressionType {
        let function = PredicateFunction(rawValue: name)
        switch function {
        case .now: return .value(TypedValue(kind: .date, path: "now()", entity: "the predicate"))
        case .noindex where arguments.count == 1: return try type(of: arguments[0])
        case .length where arguments.count == 1:
            let text = try value(try type(of: arguments[0]))
            try text.checkText()
            return computed(.integer, from: text)
        case .uppercase, .lowercase, .canonical:
            for argument in arguments { try value(try type(of: argument)).checkText() }
            return .value(TypedValue(kind: .text, path: name, entity: "the predicate"))
        case .modulus, .leftShift, .rightShift, .onesComplement:
            for argument in arguments { _ = try number(argument) }
            return .value(TypedValue(kind: .integer, path: name, entity: "the predicate"))
        case .some(let function) where function.ofReal != nil:
            for argument in arguments { _ = try number(argument) }
            return .value(TypedValue(kind: .number, path: name, entity: "the predicate"))
        default:
            for argument in arguments { _ = try type(of: argument) }
            return .unknown(name)
        }
    }

    private func cast(_ operand: ExpressionTree, to name: String) throws -> ExpressionType {
        let operand = try type(of: operand)
        let kind: ValueKind
        switch ValueCast(rawValue: name) {
        case .number: kind = .number
        case .decimal: kind = .decimal
        case .string: kind = .text
        case .date: kind = .date
        case .uuid: kind = .uuid
        case .url: kind = .uri
        case .data: kind = .data
        case .object, nil: return operand.isObject ? operand : .unknown(operand.place.path)
        }
        return .value(TypedValue(kind: kind, path: operand.place.path, entity: operand.place.entity))
    }

    private func conditional(
        if test: PredicateTree, then yes: ExpressionTree, else no: ExpressionTree
    ) throws -> ExpressionType {
        try check(test)
        let (first, second) = (try type(of: yes), try type(of: no))
        if case .constant(let value) = test { return value ? first : second }
        guard case .value(let one) = first, case .value(let other) = second else { return .unknown("TERNARY") }
        try one.checkComparable(with: other)
        guard let kind = one.kind, let otherKind = other.kind else {
            // If one value is a literal nil, the type is that of the other value.
            let known = first.isNull ? other : second.isNull ? one : TypedValue(kind: nil, path: "", entity: "")
            return .value(TypedValue(kind: known.kind, path: "TERNARY", entity: known.entity))
        }
        let result = kind == otherKind ? kind : kind.isNumber ? .number : .text
        return .value(TypedValue(kind: result, path: "TERNARY", entity: one.entity))
    }
}
