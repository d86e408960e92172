import Foundation
import SwormPredicates
import SwormStore

/// Orders managed objects as the store orders rows: nil first, text by its bytes, and the key between equals.
struct ObjectOrder {
    private let sorts: [FetchSpecification.Sort]

    init(_ sorts: [FetchSpecification.Sort]) { self.sorts = sorts }

    /// - Parameter check: Throws where the work is to stop. Called now and then.
    func sort(_ objects: inout [NSManagedObject], checking check: () throws -> Void) throws {
        // The values are looked up once an object, not once a comparison.
        var keyed: [(values: [AttributeValue], key: Int64, object: NSManagedObject)] = []
        keyed.reserveCapacity(objects.count)
        for (index, object) in objects.enumerated() {
            if index & 1023 == 0 { try check() }
            let values = try sorts.map { try object.sortValue($0.path) }
            keyed.append((values, object.orderKey, object))
        }
        var comparisons = 0
        try keyed.sort { left, right in
            comparisons += 1
            if comparisons & 4095 == 0 { try check() }
            for (index, sort) in sorts.enumerated() {
                let order = compareForSort(left.values[index], right.values[index], options: sort.options)
                if order != .orderedSame { return (order == .orderedAscending) == sort.ascending }
            }
            return left.key < right.key
        }
        objects = keyed.map(\.object)
    }
}

extension NSManagedObjectID {
    /// The key by which the object stands among others. Unsaved objects come last, in the order of their insertion, as their
    /// keys will when they are saved.
    fileprivate var orderKey: Int64 { key < 0 ? Int64.max / 2 - key : key }
}

extension NSManagedObject {
    /// The value by which the object is ordered.
    func sortValue(_ path: [String]) throws -> AttributeValue {
        var object = self
        for (index, name) in path.enumerated() {
            switch object.plan.slot(named: name) {
            case nil where ["self", "SELF", "objectID"].contains(name): continue
            case .attribute(let slot): return object.attribute(slot)
            case .relationship(let slot) where !object.plan.relationships[slot].isToMany:
                switch object.end(ofToOne: slot) {
                case .object(let next): object = next
                case .leftBehind(let id): return index == path.count - 1 ? .int(id.orderKey) : .null
                case .nothing: return .null
                }
            case .relationship(let slot) where index == path.count - 2 && path[index + 1] == "@count":
                return .int(Int64(try object.readMemberObjects(slot).count { !$0.isDeleted }))
            default:
                if object.plan.composites[name] != nil,
                    case .attribute(let slot)? = object.plan.slot(named: path[index...].joined(separator: "."))
                {
                    return object.attribute(slot)
                }
                if index == path.count - 1, object.plan.slot(named: path.suffix(1).joined()) != nil { break }
                throw CoreDataError(
                    NSCoreDataError,
                    "Cannot sort \(plan.name) by '\(path.joined(separator: "."))': \(object.plan.name) has no attribute or to-one relationship '\(name)'.",
                    entity: plan.name, key: name)
            }
        }
        return .int(object.orderKey)
    }

    fileprivate var orderKey: Int64 { objectID.orderKey }
}
