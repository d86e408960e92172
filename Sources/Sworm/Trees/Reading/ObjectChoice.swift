import Foundation
import SwormPredicates

/// A request of a branch, applied to the objects behind a relation in memory.
struct ObjectChoice<Child: ManagedTreeConvertible> {
    private let request: RequestContent
    private let binding: EntityBinding<Child>
    private let isOrdered: Bool
    private let predicate: PreparedPredicate?
    private let sorts: PreparedProjection?

    /// - Parameter isOrdered: Whether the relation has an order.
    /// - Throws: The first error of the request.
    init(_ request: RequestContent, of binding: EntityBinding<Child>, isOrdered: Bool) throws {
        self.request = request
        self.binding = binding
        self.isOrdered = isOrdered
        predicate = try request.predicateTree().map { try PreparedPredicate($0) }
        sorts =
            request.sorts.isEmpty
            ? nil : try PreparedProjection(ProjectionTree(request.sorts.map { .path($0.path) }))
    }

    /// Returns the objects that the request finds, in its order, that of the relation, or that of their keys.
    func objects(in members: [NSManagedObject]) throws -> [NSManagedObject] {
        var objects = try members.filter { object in
            if object.isDeleted || request.isExact && !binding.represents(object.entityKey) { return false }
            return try predicate?.matches(object.predicateSubject) ?? true
        }
        if let sorts {
            let values = try sorts.rows(of: objects.map(\.predicateSubject))
            objects = objects.indices.sorted { areInOrder($0, before: $1, of: objects, by: values) }.map { objects[$0] }
        } else if !isOrdered {
            objects.sort { $0.positionInOrder < $1.positionInOrder }
        }
        if request.offset > 0 { objects.removeFirst(min(request.offset, objects.count)) }
        if let limit = request.limit, objects.count > limit { objects.removeLast(objects.count - limit) }
        return objects
    }

    private func areInOrder(
        _ one: Int, before other: Int, of objects: [NSManagedObject], by values: [[AttributeValue]]
    ) -> Bool {
        for (index, sort) in request.sorts.enumerated() {
            switch compareForSort(values[one][index], values[other][index]) {
            case .orderedSame: continue
            case .orderedAscending: return sort.ascending
            case .orderedDescending: return !sort.ascending
            }
        }
        return objects[one].positionInOrder < objects[other].positionInOrder
    }
}

extension NSManagedObject {
    /// The position of an object in the order of keys. Unsaved objects are last, in the order of their creation.
    var positionInOrder: (Int, UInt64) {
        (objectID.isTemporaryID ? 1 : 0, UInt64(objectID.reference.key.magnitude))
    }
}
