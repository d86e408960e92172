/// The static knowledge about a plain value in a condition, before any object is evaluated.
///
/// The rules for which values can be combined are here, for rows and for values in memory alike.
package struct TypedValue: Sendable {
    /// The kind of the value, or nil if it is unknown.
    var kind: ValueKind?
    /// The path or the words for the value, for messages.
    package var path: String
    /// The entity from which the path starts, for messages.
    package var entity: String
    /// The value, if it was written literally or passed in.
    var constant: AttributeValue?

    package init(kind: ValueKind?, path: String, entity: String, constant: AttributeValue? = nil) {
        self.kind = kind
        self.path = path
        self.entity = entity
        self.constant = constant
    }

    package init(_ constant: AttributeValue) {
        self.init(kind: constant.valueKind, path: constant.kindName, entity: "the predicate", constant: constant)
    }

    /// The name of the kind, with the value if it is known, which identifies one of several values.
    private var summary: String { constant?.summary ?? kind?.name ?? "a value" }

    /// Checks that the value can be compared with another one.
    package func checkComparable(with other: TypedValue) throws {
        guard let kind, let otherKind = other.kind, !kind.isComparable(with: otherKind) else { return }
        throw mismatch("\(kind.name) cannot be compared with \(other.summary)")
    }

    /// Returns a constant of a list as it is compared with an attribute of this type: a number as a string with
    /// strings, and a string as a number with numbers. Nil if it is not converted.
    package func converted(_ constant: AttributeValue) -> AttributeValue? {
        guard let kind else { return nil }
        if kind.isText { return constant.numberAsText.map { .string($0) } }
        return kind.isNumber ? constant.textAsNumber : nil
    }

    /// Returns whether an element of a list is a constant that is converted.
    func converts(_ element: ExpressionType) -> Bool {
        guard case .value(let value) = element, let constant = value.constant else { return false }
        return converted(constant) != nil
    }

    /// Checks that a value of this type can precede another one.
    ///
    /// - Parameter instead: The operators that such values do support.
    package func checkOrdered(instead: String) throws {
        guard let kind, !kind.isOrdered else { return }
        throw mismatch("\(kind.name) has no order; use \(instead)")
    }

    /// Checks that the value is a string.
    package func checkText() throws {
        guard let kind, !kind.isText else { return }
        throw mismatch("a string is needed here, not \(summary)")
    }

    /// Checks that the value can be searched for a string.
    package func checkText(searchedFor pattern: TypedValue) throws {
        try checkText()
        guard let constant = pattern.constant else { return try pattern.checkText() }
        guard let kind = constant.valueKind, kind.isText else {
            throw mismatch("a string is needed on the right side, not \(constant.summary)")
        }
    }

    /// Checks that the value can be used in arithmetic. A date counts as its seconds.
    package func checkNumber() throws {
        guard let kind, !kind.isNumber, kind != .date else { return }
        throw mismatch("a number is needed here, not \(summary)")
    }

    /// Checks that such values have a total, or a smallest and a largest value.
    package func checkAggregate(_ name: String, isTotal: Bool) throws {
        guard let kind, !(isTotal ? kind.isNumber : kind.isOrdered) else { return }
        throw mismatch("'\(name)' cannot be applied to \(kind.name)")
    }

    private func mismatch(_ reason: String) -> QueryError {
        QueryError.mismatch(reason, path: path, entity: entity)
    }
}

extension QueryError {
    /// Returns the error for operands that cannot be combined.
    package static func mismatch(_ reason: String, path: String, entity: String) -> QueryError {
        QueryError(.typeMismatch, "\(path) of \(entity): \(reason)")
    }

    /// Returns the error for an order of objects.
    package static func objectsWithoutOrder(path: String, entity: String) -> QueryError {
        mismatch("objects have no order; use == or !=", path: path, entity: entity)
    }

    /// Returns the error for an object that is compared with a plain value.
    package static func objectAndValue(path: String, entity: String) -> QueryError {
        mismatch("an object can only be compared with an object", path: path, entity: entity)
    }

    /// Returns the error for a key after an attribute.
    package static func keyBehindAttribute(_ key: String, path: String, entity: String) -> QueryError {
        QueryError(
            .unsupported, "\(path) of \(entity) is an attribute; the key '\(key)' cannot follow it")
    }

    /// Returns the error for a composite attribute that is used as a plain value.
    package static func compositeAsValue(path: String, entity: String, elements: [String]) -> QueryError {
        let names = elements.sorted().map { path + "." + $0 }.joined(separator: ", ")
        return QueryError(
            .typeMismatch,
            "\(path) of \(entity) is a composite attribute, not a plain value; use its elements: \(names)")
    }

    /// Returns the error for a path to many objects that is used as a single value.
    package static func toManyNotAllowed(path: String, entity: String) -> QueryError {
        QueryError(
            .toMany,
            "to-many key not allowed here: \(path) of \(entity) relates to many objects; use ANY, ALL or NONE, or use"
                + " @count or SUBQUERY")
    }
}
