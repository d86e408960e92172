/// A row as `#Predicate` sees it: the attributes of an entity, and its relations, which a plain struct does not have.
///
/// ```swift
/// Book.all.where(#Predicate<Row<Book>> { $0.author?.name == "Leo" && $0.year > 1860 })
/// Author.all.where(#Predicate<Row<Author>> { $0.books.contains { $0.year > 1860 } })
/// ```
/// A relation to one is an optional row, a relation to many is an array of rows. To compare with a certain object, ask
/// for the ``objectID``.
///
/// A row holds no data. It is there to be named in predicates, which are translated and never run.
@dynamicMemberLookup
public struct Row<PlainObject: ManagedObjectConvertible>: Sendable, Equatable, Codable {
    init() {}

    /// An attribute.
    public subscript<V>(dynamicMember keyPath: any KeyPath<PlainObject, V> & Sendable) -> V {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) { RowType(PlainObject.self).plainMember(keyPath) }
        return PlainObject()[keyPath: keyPath]
    }

    /// The row at the other end of a relation, if there is one.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<PlainObject.Relations, ToOneRelation<D>> & Sendable
    ) -> Row<D>? {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toOne(PlainObject.relations[keyPath: keyPath].name, RowType(Row<D>.self))
        }
        return nil
    }

    /// The rows at the other end of a relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<PlainObject.Relations, ToManyRelation<D>> & Sendable
    ) -> [Row<D>] {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toMany(PlainObject.relations[keyPath: keyPath].name, RowType(Row<D>.self), isOrdered: false)
        }
        return []
    }

    /// The rows at the other end of a relation.
    public subscript<D>(
        dynamicMember keyPath: any KeyPath<PlainObject.Relations, ToManyOrderedRelation<D>> & Sendable
    ) -> [Row<D>] {
        RowRecorder.current?.record(\Row.[dynamicMember: keyPath]) {
            .toMany(PlainObject.relations[keyPath: keyPath].name, RowType(Row<D>.self), isOrdered: true)
        }
        return []
    }
}

/// A row whose entity is not known at the place of use.
protocol AnyRow {
    init()
}

extension Row: AnyRow {}
