import SwormPredicates

/// Groups of rows, of which columns can be selected.
public struct Grouping<PlainObject: ManagedObjectConvertible, Key: Sendable>: Sendable {
    private let request: Request<PlainObject>
    private let group: RowGroup<PlainObject, Key>
    private var tree = ProjectionTree([])
    private var failure: StoreError?

    init(_ request: Request<PlainObject>, key: Key, selection keys: Selection) {
        self.request = request
        group = RowGroup(key: key)
        tree.groups = keys.expressions
        failure = keys.failure
    }

    /// Returns the groups that fulfill the condition that the closure returns.
    ///
    /// If you chain conditions, all of them must hold.
    public func having(_ condition: (RowGroup<PlainObject, Key>) -> Condition<PlainObject>) -> Grouping {
        var copy = self
        do {
            let condition = try condition(group).tree()
            copy.tree.having = tree.having.map { .conjunction($0, condition) } ?? condition
        } catch {
            copy.failure = failure ?? error
        }
        return copy
    }

    /// Returns the groups sorted by a column of the groups.
    ///
    /// Earlier sort orders are more significant.
    public func sort<Base, Value>(
        ascending: Bool = true, by column: (RowGroup<PlainObject, Key>) -> Term<PlainObject, Base, Value>
    ) -> Grouping where Base.PrimitiveAttributeType: Comparable {
        var copy = self
        let expression = column(group).operand.selectable(&copy.failure, of: PlainObject.entityName)
        copy.tree.sorts.append(ProjectionTree.Sort(expression, ascending: ascending))
        return copy
    }

    /// Returns at most the given number of groups, in their order.
    ///
    /// If you chain limits, the last one applies.
    ///
    /// - Parameter value: The number of groups. Zero results in no groups. A negative number makes the projection fail.
    public func limit(_ value: Int) -> Grouping {
        var copy = self
        copy.tree.groupLimit = value
        if value < 0 { copy.fail("the limit of \(value) groups is negative.") }
        return copy
    }

    /// Returns the groups without the given number of groups at the start.
    ///
    /// - Parameter value: The number of groups to skip. A negative number makes the projection fail.
    public func offset(_ value: Int) -> Grouping {
        var copy = self
        copy.tree.groupOffset = value
        if value < 0 { copy.fail("the offset of \(value) groups is negative.") }
        return copy
    }

    private mutating func fail(_ message: String) {
        let entity = PlainObject.entityName
        failure = failure ?? StoreError(.invalidRequest, "\(entity): \(message)", entity: entity)
    }

    /// Selects the column that the closure returns: the key of a group, or an aggregate of its rows.
    public func select<Base: SupportedAttributeType, Value>(
        _ column: (RowGroup<PlainObject, Key>) -> Term<PlainObject, Base, Value>
    ) -> Projection<PlainObject, Value> {
        var selection = Selection(failure: failure)
        let reader = TupleReader(selection.add(column(group)))
        return Projection(request, selection: selection, grouping: tree, reader: reader)
    }

    /// Selects the columns that the closure returns, as tuples: the key of a group, or parts of it, and aggregates of
    /// its rows.
    public func select<First: SupportedAttributeType, FirstValue, each Base: SupportedAttributeType, each Value>(
        _ columns: (RowGroup<PlainObject, Key>) -> (
            Term<PlainObject, First, FirstValue>, repeat Term<PlainObject, each Base, each Value>
        )
    ) -> Projection<PlainObject, (FirstValue, repeat each Value)> {
        tuples(columns)
    }

    /// Unavailable: the columns must belong to the group that the closure is called with.
    @available(
        *, unavailable,
        message: "the closure must return columns of its group, as in `select { ($0.key, $0.count) }`"
    )
    @_disfavoredOverload
    public func select<Other>(_ columns: (RowGroup<PlainObject, Key>) -> Other) -> Grouping { self }

    /// Selects the first column, which is required, and the remaining columns as one parameter pack.
    private func tuples<each Base: SupportedAttributeType, each Value>(
        _ columns: (RowGroup<PlainObject, Key>) -> (repeat Term<PlainObject, each Base, each Value>)
    ) -> Projection<PlainObject, (repeat each Value)> {
        let terms = columns(group)
        var selection = Selection(failure: failure)
        let reader = TupleReader(repeat selection.add(each terms))
        return Projection(request, selection: selection, grouping: tree, reader: reader)
    }
}

/// A group of rows: its key, and aggregates of all its rows.
///
/// Aggregates of values ignore rows without a value.
public struct RowGroup<PlainObject: ManagedObjectConvertible, Key: Sendable>: Sendable {
    /// The column that the rows are grouped by, or a tuple if there are several.
    public let key: Key

    /// A column of the rows, also one reached through relations to one.
    public typealias Column<Base: SupportedAttributeType, Value> =
        KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Value>>

    /// The number of rows.
    public var count: Term<PlainObject, Int, Int> { Term(Operand(.aggregate(.count))) }

    /// Returns the number of rows that have a value.
    public func count<Base, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Int, Int> {
        Term(Operand(.count, over: column))
    }

    /// Returns the smallest value, or nil if there are no values.
    public func min<Base, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Base, Base?>
    where Base.PrimitiveAttributeType: Comparable {
        Term(Operand(.minimum, over: column))
    }

    /// Returns the largest value, or nil if there are no values.
    public func max<Base, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Base, Base?>
    where Base.PrimitiveAttributeType: Comparable {
        Term(Operand(.maximum, over: column))
    }

    /// Returns the sum of the values, or zero if there are no values.
    ///
    /// Decimals are added with all their digits.
    public func sum<Base: Numeric, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Base, Base> {
        Term(Operand(.sum, over: column))
    }

    /// Returns the average of the values, or nil if there are no values.
    public func average<Base: Numeric, Value>(_ column: Column<Base, Value>) -> Term<PlainObject, Double, Double?> {
        Term(Operand(.average, over: column))
    }
}

extension Operand {
    /// Creates an aggregate of a column of all rows.
    init<T, Base, Value>(
        _ aggregate: RowAggregate, over column: KeyPath<EntityPath<T, T>, Term<T, Base, Value>>
    ) {
        var failure: StoreError?
        let inner = EntityPath<T, T>.root[keyPath: column].operand.selectable(&failure, of: T.entityName)
        self.init(.aggregate(aggregate, of: inner), failure: failure)
    }
}
