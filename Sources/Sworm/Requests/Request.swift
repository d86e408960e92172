package import SwormPredicates

/// A request for objects of an entity, with a condition, a sort order and limits.
///
/// A request is a value. Start with ``ManagedTreeConvertible/all`` and narrow it:
///
/// ```swift
/// Book.all.where { $0.year > 1800 }.sort(\.title).limit(10)
/// ```
public struct Request<PlainObject: ManagedTreeConvertible>: Sendable {
    @usableFromInline private(set) var content: RequestContent

    init() { content = RequestContent(of: PlainObject.self) }

    @usableFromInline
    init(_ content: RequestContent) { self.content = content }

    /// Throws an error if the request is invalid.
    ///
    /// - Throws: The ``StoreError`` that would be thrown before the request runs.
    public func validate() throws { try content.validate() }

    package var condition: Condition<PlainObject.Entity>? { content.condition.map { Condition($0) } }
    var sorts: [SortKey] { content.sorts }

    /// Returns the condition as a tree. See ``RequestContent/predicateTree()``.
    package func predicateTree() throws(StoreError) -> PredicateTree? { try content.predicateTree() }

    /// The request for the objects, as values of the entity's own type.
    var entityRequest: Request<PlainObject.Entity> { Request<PlainObject.Entity>(content) }

    func with(_ change: (inout RequestContent) -> Void) -> Request {
        var copy = self
        change(&copy.content)
        return copy
    }
}

extension Request {
    /// Returns a request for at most the given number of objects.
    ///
    /// If you chain limits, the last one applies.
    ///
    /// - Parameter value: The number of objects. A request with a limit of zero finds nothing, and does not query the
    ///   store. By contrast, a `fetchLimit` of zero in Core Data means all objects. A negative number makes the request
    ///   fail.
    public func limit(_ value: Int) -> Request {
        with {
            $0.limit = value
            if value < 0 { $0.fail(PlainObject.Entity.entityName, because: "the limit \(value) is negative.") }
        }
    }

    /// The request for the first of the objects that it finds.
    var limitedToFirst: Request { with { $0 = $0.limitedToFirst } }

    /// Returns a request that skips the given number of objects at the start.
    public func offset(_ value: Int) -> Request {
        with {
            $0.offset = value
            if value < 0 { $0.fail(PlainObject.Entity.entityName, because: "the offset \(value) is negative.") }
        }
    }
}

extension Request {
    // Inlinable, here and in the closure form: if the type is known, no metadata must be requested at run time.
    /// Returns a request for the objects that also fulfill this condition.
    @inlinable
    public func `where`(_ condition: Condition<PlainObject.Entity>) -> Request {
        Request(content.narrowed(by: condition.content))
    }

    /// Returns a request for the objects that also fulfill the condition that the closure returns.
    ///
    /// ```swift
    /// Book.all.where { $0.author.name == "Leo" && $0.reviews.any.mark > 3 && $0.reviews.count > 2 }
    /// ```
    /// - Parameter condition: A closure that is called with the row, once and immediately. The members of the row are
    ///   the attributes and relations.
    @inlinable
    public func `where`(
        _ condition: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> Condition<PlainObject.Entity>
    ) -> Request {
        self.where(condition(.root))
    }

    /// Returns a request for the objects that also fulfill a condition in the predicate language.
    ///
    /// See ``Condition/init(format:_:)``.
    public func `where`(raw query: String, _ args: Any?...) -> Request {
        self.where(Condition(ConditionContent(format: query, arguments: args)))
    }

    /// Returns the request with this condition instead of all previous ones.
    public func replacingWhere(_ condition: Condition<PlainObject.Entity>) -> Request {
        with { $0.condition = condition.content }
    }

    /// Returns the request with the condition that the closure returns instead of all previous ones.
    public func replacingWhere(
        _ condition: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> Condition<PlainObject.Entity>
    ) -> Request {
        replacingWhere(condition(.root))
    }
}

extension Request {
    /// Returns the request sorted by an attribute.
    ///
    /// Earlier sort orders are more significant.
    public func sort<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject.Entity, Attribute>, ascending: Bool = true
    ) -> Request where Attribute.PrimitiveAttributeType: Comparable {
        ordered(by: Operand(keyPath), ascending)
    }

    /// Returns the request sorted by an attribute that may be nil.
    ///
    /// In ascending order, objects without a value come first.
    public func sort<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject.Entity, Attribute?>, ascending: Bool = true
    ) -> Request where Attribute.PrimitiveAttributeType: Comparable {
        ordered(by: Operand(keyPath), ascending)
    }

    /// Returns the request sorted by an attribute that is reached through relations, or by a count:
    /// `sort(\.author.name)`.
    public func sort<Base: SupportedAttributeType, Value>(
        _ keyPath: KeyPath<EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, Base, Value>>,
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
                    PlainObject.Entity.entityName,
                    because: "objects can be sorted by an attribute, also through to-one relations, "
                        + "and by the count of a relation, but not by a computed value or by `any`, `all` and `none`."
                )
            }
        }
    }
}

extension Request {
    /// Returns the request for the same objects, as values of another type over their entity.
    ///
    /// ```swift
    /// let old = Book.all.where { $0.year < 1900 }
    /// let pages = try context.decode(old.as(BookPage.self))
    /// ```
    public func `as`<Tree: ManagedTreeConvertible>(
        _ type: Tree.Type
    ) -> Request<Tree> where Tree.Entity == PlainObject.Entity {
        Request<Tree>(content)
    }
}

extension Request: CustomStringConvertible {
    /// The entity, the condition, the sort order and the limits, on one line.
    public var description: String {
        var text = PlainObject.Entity.entityName
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

extension ManagedTreeConvertible {
    /// A request for all objects of the entity, which you can narrow.
    public static var all: Request<Self> { Request() }
}
