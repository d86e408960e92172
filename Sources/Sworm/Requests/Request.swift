package import SwormPredicates

/// A question to a store: which objects of an entity, in which order, how many.
///
/// A request is a value. Start with ``ManagedObjectConvertible/all`` and narrow it down:
///
/// ```swift
/// Book.all.where { $0.year > 1800 }.sort(\.title).limit(10)
/// ```
public struct Request<PlainObject: ManagedObjectConvertible>: Sendable {
    @usableFromInline package private(set) var content: RequestContent

    init() { content = RequestContent() }

    @usableFromInline
    init(_ content: RequestContent) { self.content = content }

    /// Checks that the request was understood.
    ///
    /// - Throws: The ``StoreError`` that would be thrown before the request runs.
    public func validate() throws { try content.validate() }

    package var condition: Condition<PlainObject>? { content.condition.map { Condition($0) } }
    package var sorts: [SortKey] { content.sorts }

    /// As ``RequestContent/predicateTree()``.
    package func predicateTree() throws(StoreError) -> PredicateTree? { try content.predicateTree() }

    func with(_ change: (inout RequestContent) -> Void) -> Request {
        var copy = self
        change(&copy.content)
        return copy
    }
}

extension Request {
    /// At most so many objects.
    ///
    /// The last limit of a request counts.
    ///
    /// - Parameter value: The number. A request with a limit of zero finds nothing, and does not ask the store; Core Data's
    ///   `fetchLimit` of zero means all objects. With a number below zero the request fails.
    public func limit(_ value: Int) -> Request {
        with {
            $0.limit = value
            if value < 0 { $0.fail(PlainObject.entityName, "a limit of \(value) is below zero.") }
        }
    }

    /// The request for the first of the objects that it finds.
    var limitedToFirst: Request { with { $0.limit = min($0.limit ?? 1, 1) } }

    /// Without the first so many objects.
    public func offset(_ value: Int) -> Request {
        with {
            $0.offset = value
            if value < 0 { $0.fail(PlainObject.entityName, "an offset of \(value) is below zero.") }
        }
    }
}

extension Request {
    // Inlinable, here and in the closure form: where the type is known, nothing has to be asked of it.
    /// Only objects that fulfil this condition too.
    @inlinable
    public func `where`(_ condition: Condition<PlainObject>) -> Request {
        Request(content.narrowed(by: condition.content))
    }

    /// Only objects that fulfil the condition that the closure makes.
    ///
    /// ```swift
    /// Book.all.where { $0.author.name == "Leo" && $0.reviews.any.mark > 3 && $0.reviews.count > 2 }
    /// ```
    /// - Parameter condition: Gets the row; its members are the attributes and relations. It is called once, at once.
    @inlinable
    public func `where`(
        _ condition: (EntityPath<PlainObject, PlainObject>) -> Condition<PlainObject>
    ) -> Request {
        self.where(condition(.root))
    }

    /// Only objects that fulfil a condition written in the predicate language. See ``Condition/init(format:_:)``.
    public func `where`(raw query: String, _ args: Any?...) -> Request {
        self.where(Condition(ConditionContent(format: query, arguments: args)))
    }

    /// Only objects that fulfil a predicate whose entity is not known.
    @_disfavoredOverload
    @available(
        *, deprecated,
        message: "may be of another entity, or text from anywhere: use a Condition, or Condition(format:)"
    )
    public func `where`(_ predicate: any Predicate) -> Request {
        self.where(Condition(predicate.predicateDescriptor.content))
    }

    /// The request with this condition in the place of all that it had.
    public func replacingWhere(_ condition: Condition<PlainObject>) -> Request {
        with { $0.condition = condition.content }
    }

    /// The request with the condition that the closure makes in the place of all that it had.
    public func replacingWhere(
        _ condition: (EntityPath<PlainObject, PlainObject>) -> Condition<PlainObject>
    ) -> Request {
        replacingWhere(condition(.root))
    }
}

extension Request {
    /// In the order of an attribute. Orders that were given before are more significant.
    public func sort<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute>, ascending: Bool = true
    ) -> Request where Attribute.PrimitiveAttributeType: Comparable {
        ordered(by: Operand(keyPath), ascending)
    }

    /// In the order of an attribute; objects without a value come first when it is ascending.
    public func sort<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute?>, ascending: Bool = true
    ) -> Request where Attribute.PrimitiveAttributeType: Comparable {
        ordered(by: Operand(keyPath), ascending)
    }

    /// In the order of an attribute behind relations, or of a count: `sort(\.author.name)`.
    public func sort<Base: SupportedAttributeType, Value>(
        _ keyPath: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>,
        ascending: Bool = true
    ) -> Request where Base.PrimitiveAttributeType: Comparable {
        ordered(by: EntityPath.root[keyPath: keyPath].operand, ascending)
    }

    private func ordered(by operand: Operand, _ ascending: Bool) -> Request {
        with {
            $0.note(operand.failure)
            if let keys = operand.expression.pathKeys, operand.scopes.isEmpty {
                $0.sorts.append(SortKey(path: keys, ascending: ascending))
            } else {
                $0.fail(
                    PlainObject.entityName,
                    "objects can be sorted by an attribute, also one behind relations to one, "
                        + "and by the count of a relation, but not by anything calculated or by `any`, `all` and `none`."
                )
            }
        }
    }
}

extension Request: CustomStringConvertible {
    /// The entity, the condition, the order and the limits, on one line.
    public var description: String {
        var text = PlainObject.entityName
        if let condition { text += " where \(condition)" }
        if !sorts.isEmpty {
            let keys = sorts.map { $0.path.joined(separator: ".") + ($0.ascending ? "" : " descending") }
            text += " sorted by \(keys.joined(separator: ", "))"
        }
        if let limit = content.limit { text += " limit \(limit)" }
        if content.offset != 0 { text += " offset \(content.offset)" }
        return text
    }
}

extension ManagedObjectConvertible {
    /// A request for all objects of the entity, to be narrowed down.
    public static var all: Request<Self> { Request() }
}
