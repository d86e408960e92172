import Foundation
import SwormPredicates
import SwormStore

/// A sort order of managed objects that matches the order of rows in the store: nil first, text by its bytes, and the
/// key for equal values.
struct ObjectOrder {
    private let sorts: [FetchSpecification.Sort]

    init(_ sorts: [FetchSpecification.Sort]) { self.sorts = sorts }

    /// The values that order an object.
    struct Key {
        fileprivate let values: [AttributeValue]
        fileprivate let key: Int64

        /// The value of the first sort; nil if there is no sort.
        var first: AttributeValue? { values.first }
    }

    func key(of object: NSManagedObject) throws -> Key {
        Key(values: try sorts.map { try object.sortValue($0.path) }, key: object.orderKey)
    }

    /// Returns whether an object is ordered before another one.
    func isOrdered(_ left: Key, before right: Key) -> Bool {
        for (index, sort) in sorts.enumerated() {
            let order = compareForSort(left.values[index], right.values[index], options: sort.options)
            if order != .orderedSame { return (order == .orderedAscending) == sort.ascending }
        }
        return left.key < right.key
    }

    /// Sorts objects.
    ///
    /// - Parameter check: Throws an error if the sort is to stop. Called at intervals.
    func sort(_ objects: inout [NSManagedObject], checking check: () throws -> Void) throws {
        // The values are read once for each object, not once for each comparison.
        var keyed: [(key: Key, object: NSManagedObject)] = []
        keyed.reserveCapacity(objects.count)
        for (index, object) in objects.enumerated() {
            if index & 1023 == 0 { try check() }
            keyed.append((try key(of: object), object))
        }
        var comparisons = 0
        try keyed.sort { left, right in
            comparisons += 1
            if comparisons & 4095 == 0 { try check() }
            return isOrdered(left.key, before: right.key)
        }
        objects = keyed.map(\.object)
    }
}

extension NSManagedObjectID {
    /// The key that orders the object. Unsaved objects come last, in the order of their insertion, like
    /// the keys that they will have once they are saved.
    fileprivate var orderKey: Int64 { key < 0 ? Int64.max / 2 - key : key }
}

extension NSManagedObject {
    /// Returns the value that orders the object.
    func sortValue(_ path: [String]) throws -> AttributeValue {
        var object = self
        for (index, name) in path.enumerated() {
            switch object.compiledEntity.slot(named: name) {
            case nil where ["self", "SELF", "objectID"].contains(name): continue
            case .attribute(let slot): return object.attribute(slot)
            case .relationship(let slot) where !object.compiledEntity.relationships[slot].isToMany:
                switch object.end(ofToOne: slot) {
                case .object(let next): object = next
                case .leftBehind(let id): return index == path.count - 1 ? .int(id.orderKey) : .null
                case .nothing: return .null
                }
            case .relationship(let slot) where index == path.count - 2 && path[index + 1] == "@count":
                return .int(Int64(try object.readMemberObjects(slot).count { !$0.isDeleted }))
            case nil where object.isCast(by: name):
                if object.cast(by: name) == nil { return .null }
            default:
                if object.compiledEntity.composites[name] != nil,
                    case .attribute(let slot)? = object.compiledEntity.slot(
                        named: path[index...].joined(separator: "."))
                {
                    return object.attribute(slot)
                }
                if index == path.count - 1, object.compiledEntity.slot(named: path.suffix(1).joined()) != nil { break }
                throw CoreDataError(
                    NSCoreDataError,
                    "Cannot sort \(compiledEntity.name) by '\(path.joined(separator: "."))': \(object.compiledEntity.name) has no attribute or to-one relationship '\(name)'.",
                    entity: compiledEntity.name, key: name)
            }
        }
        return .int(object.orderKey)
    }

    fileprivate var orderKey: Int64 { objectID.orderKey }
}
