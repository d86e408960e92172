import SwormPredicates

/// A row for use in `#Predicate`: the attributes of an entity, and its relations, which plain structs lack.
///
/// ```swift
/// Book.all.where(#Predicate<Row<Book>> { $0.author?.name == "Leo" && $0.year > 1860 })
/// Author.all.where(#Predicate<Row<Author>> { $0.books.contains { $0.year > 1860 } })
/// ```
/// A to-one relation is an optional row, and a to-many relation is an array of rows. To compare with a particular
/// object, use the ``objectID``.
///
/// A row holds no data. It only exists to be named in predicates, which are translated and never run.
@dynamicMemberLookup
public struct Row<PlainObject: ManagedObjectConvertible>: Sendable, Equatable, Codable {
    init() {}

    /// The value of an attribute.
    public subscript<V>(dynamicMember keyPath: any KeyPath<PlainObject, V> & Sendable) -> V {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) { RowType(PlainObject.self).plainMember(keyPath) }
        return PlainObject()[keyPath: keyPath]
    }

    /// The row at the other end of a to-one relation; nil for a missing destination.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<PlainObject.Relations, ToOneRelation<D>> & Sendable
    ) -> Row<D>? {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toOne(PlainObject.relations[keyPath: keyPath].name, RowType(Row<D>.self))
        }
        return nil
    }

    /// The rows at the other end of a to-many relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<PlainObject.Relations, ToManyRelation<D>> & Sendable
    ) -> [Row<D>] {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toMany(PlainObject.relations[keyPath: keyPath].name, RowType(Row<D>.self), isOrdered: false)
        }
        return []
    }

    /// The rows at the other end of an ordered to-many relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<PlainObject.Relations, ToManyOrderedRelation<D>> & Sendable
    ) -> [Row<D>] {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toMany(PlainObject.relations[keyPath: keyPath].name, RowType(Row<D>.self), isOrdered: true)
        }
        return []
    }
}

extension Row where PlainObject: SuperentityConvertible {
    /// The row as one of a sub-entity; nil if it belongs to another entity: `$0.book?.pages > 300`.
    ///
    /// The name of the member is that of the ``Subentity`` in the table of cases.
    public subscript<S>(
        dynamicMember keyPath: any KeyPath<PlainObject.Subentities, Subentity<PlainObject, S>> & Sendable
    ) -> Row<S>? {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toOne(S.mapping.castKey, RowType(Row<S>.self))
        }
        return nil
    }
}

/// A row whose entity is not statically known.
protocol AnyRow {
    init()
}

extension Row: AnyRow {}
