public import Foundation
import SwormPredicates

/// The changes of one transaction, as an element of a ``ChangeFeed``.
///
/// ```swift
/// for try await changes in store.changes(since: token) {
///     for book in changes.of(Book.self) where book.touches(\.title) {
///         print(book.id, book.kind)
///     }
/// }
/// ```
/// It contains no values, because the objects may have changed again when it is read. Read their newest values with
/// ``values(of:)``.
public struct StoreChanges: Sendable {
    /// The program that has committed a transaction.
    public enum Origin: Sendable, Hashable {
        /// The container of the feed. On Apple's platforms, such a transaction has the origin `thisProcess`.
        case thisContainer
        /// Another container or context of this process. On Apple's platforms, also another process with the same name.
        case thisProcess
        /// Another process, or an earlier run of this program.
        case elsewhere
    }

    /// A changed object, whose type is not statically known.
    struct Record: Sendable {
        var object: ObjectReference
        var kind: ChangeKind
        /// The names of the changed properties of an updated object; nil if they are unknown.
        var properties: Set<String>?
        /// The preserved values of a deleted object.
        var tombstone: [String: AttributeValue] = [:]
        /// Whether the object may have any entity of the hierarchy.
        var isOfAnyEntity = false
    }

    /// The position after the transaction; nil in a store without a history.
    public internal(set) var token: ChangeToken?
    /// The date of the transaction; nil in a store without a history.
    public internal(set) var date: Date?
    /// The author of the transaction, if it has one.
    public internal(set) var author: String?
    /// The name of the context that has made the transaction, if it has one.
    public internal(set) var contextName: String?
    /// The program that has committed the transaction.
    public internal(set) var origin = Origin.elsewhere
    /// Whether changes may be missing, so that the consumer must read the objects again.
    ///
    /// In a store without a history, that is the case for transactions of other processes, and for transactions that
    /// were not read in time. With a history, it is always false.
    public internal(set) var isIncomplete = false
    var records: [Record] = []
    /// The names of an entity and its super-entities, by the name of the entity.
    var lineages: [String: Set<String>] = [:]
    /// The container of the feed.
    var container: (any AnyObject & Sendable)?

    /// The names of the entities of the changed objects, so that a consumer of all changes notices entities that it does not
    /// ask for with ``of(_:)``.
    public var entityNames: Set<String> { Set(records.map(\.object.entityName)) }

    /// Returns the changed objects of a type, including those of its sub-entities.
    ///
    /// In a store without a history, the entity of a changed object is unknown. Objects of all entities with the same
    /// root are returned then.
    ///
    /// - Parameter type: The type.
    /// - Returns: The objects in the order in which the transaction recorded them, each once.
    public func of<PlainObject: ManagedObjectConvertible>(_ type: PlainObject.Type) -> [ObjectChange<PlainObject>] {
        records.compactMap { record in
            guard isRecord(record, of: PlainObject.entityName) else { return nil }
            // A struct of the objects of a super-entity itself does not represent those of its sub-entities.
            if !record.isOfAnyEntity, record.object.entityName != PlainObject.entityName,
                PlainObject.mapping.isOwnCase
            {
                return nil
            }
            return ObjectChange(record)
        }
    }

    func isRecord(_ record: Record, of entity: String) -> Bool {
        let lineage = lineages[record.object.entityName]
        if record.isOfAnyEntity, let root = lineages[entity] { return !(lineage ?? []).isDisjoint(with: root) }
        return lineage?.contains(entity) ?? (record.object.entityName == entity)
    }
}

/// The kind of change of an object.
public enum ChangeKind: String, Sendable, Hashable, Codable {
    /// The object was inserted.
    case inserted
    /// Properties of the object were changed.
    case updated
    /// The object was deleted.
    case deleted
}
