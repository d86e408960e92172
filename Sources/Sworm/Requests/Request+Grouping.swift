import SwormPredicates

extension Request {
    /// Groups the rows that have the same values in the given columns.
    ///
    /// ```swift
    /// Book.all.grouped(by: \.author.name)
    ///     .having { $0.count > 1 }
    ///     .sort(ascending: false) { $0.count }
    ///     .limit(5)
    ///     .select { ($0.key, $0.count, $0.max(\.year)) }
    /// ```
    /// Groups are sorted by their keys, unless you sort them. A limit and an offset before `grouped` select the rows
    /// that are grouped, in the order of the request; those of the ``Grouping`` select groups. A sort order before
    /// `grouped` without a limit or an offset applies to the groups, and must be one of the columns.
    public func grouped<each Base: SupportedAttributeType, each Value>(
        by keys: repeat KeyPath<
            EntityPath<PlainObject.Entity, PlainObject.Entity>, Term<PlainObject.Entity, each Base, each Value>
        >
    ) -> Grouping<PlainObject.Entity, (repeat Term<PlainObject.Entity, each Base, each Value>)> {
        let terms = (repeat EntityPath<PlainObject.Entity, PlainObject.Entity>.root[keyPath: each keys])
        var selection = Selection()
        repeat _ = selection.add(each terms)
        return Grouping(entityRequest, key: terms, selection: selection)
    }

    /// Groups the rows that have the same value in the column that the closure returns.
    ///
    /// The column may be computed.
    ///
    /// ```swift
    /// Book.all.grouped { $0.year / 10 }.select { ($0.key * 10, $0.count) }
    /// ```
    /// - Parameter key: A closure that is called with the row, once and immediately.
    public func grouped<Base: SupportedAttributeType, Value>(
        by key: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> Term<PlainObject.Entity, Base, Value>
    ) -> Grouping<PlainObject.Entity, Term<PlainObject.Entity, Base, Value>> {
        let term = key(.root)
        var selection = Selection()
        _ = selection.add(term)
        return Grouping(entityRequest, key: term, selection: selection)
    }

    /// Groups the rows that have the same values in the two columns that the closure returns.
    ///
    /// The columns may be computed.
    ///
    /// ```swift
    /// Book.all.grouped { ($0.author.name, $0.year / 10) }.select { ($0.key.0, $0.key.1, $0.count) }
    /// ```
    /// - Parameter keys: A closure that is called with the row, once and immediately.
    public func grouped<First: SupportedAttributeType, FirstValue, Second: SupportedAttributeType, SecondValue>(
        by keys: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> (
            Term<PlainObject.Entity, First, FirstValue>, Term<PlainObject.Entity, Second, SecondValue>
        )
    ) -> Grouping<
        PlainObject.Entity, (Term<PlainObject.Entity, First, FirstValue>, Term<PlainObject.Entity, Second, SecondValue>)
    > {
        let terms = keys(.root)
        var selection = Selection()
        _ = selection.add(terms.0)
        _ = selection.add(terms.1)
        return Grouping(entityRequest, key: terms, selection: selection)
    }

    /// Groups the rows that have the same values in the three columns that the closure returns.
    ///
    /// The columns may be computed.
    ///
    /// For more columns, give names to the computed ones, and use
    /// ``grouped(by:)->Grouping<PlainObject.Entity,(Term<PlainObject.Entity,Base,Value>)>``.
    ///
    /// - Parameter keys: A closure that is called with the row, once and immediately.
    public func grouped<
        First: SupportedAttributeType, FirstValue, Second: SupportedAttributeType, SecondValue,
        Third: SupportedAttributeType, ThirdValue
    >(
        by keys: (EntityPath<PlainObject.Entity, PlainObject.Entity>) -> (
            Term<PlainObject.Entity, First, FirstValue>, Term<PlainObject.Entity, Second, SecondValue>,
            Term<PlainObject.Entity, Third, ThirdValue>
        )
    ) -> Grouping<
        PlainObject.Entity,
        (
            Term<PlainObject.Entity, First, FirstValue>, Term<PlainObject.Entity, Second, SecondValue>,
            Term<PlainObject.Entity, Third, ThirdValue>
        )
    > {
        let terms = keys(.root)
        var selection = Selection()
        _ = selection.add(terms.0)
        _ = selection.add(terms.1)
        _ = selection.add(terms.2)
        return Grouping(entityRequest, key: terms, selection: selection)
    }
}
