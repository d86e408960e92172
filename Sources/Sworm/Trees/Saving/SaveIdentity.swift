import Foundation
import SwormPredicates

/// The way in which the children of a branch, or the roots, are identified.
enum SaveIdentity {
    /// By the attributes of a uniqueness constraint, in the whole entity.
    case constraint([Int], ModelConstraint)
    /// By attributes that differ among the children of one owner.
    case within([Int])
    case position
    /// Not at all: every child is new.
    case new

    /// The indices of the attributes.
    var attributes: [Int] {
        switch self {
        case .constraint(let indices, _), .within(let indices): indices
        case .position, .new: []
        }
    }
}

/// The values of the attributes that identify an object. Strings are compared by their bytes, as a store's index does.
struct SaveKey: Hashable {
    let values: [AttributeValue]

    /// Creates a key; nil if a value is missing, because such an object is always new.
    init?(_ values: [AttributeValue?]) {
        var key: [AttributeValue] = []
        key.reserveCapacity(values.count)
        for value in values {
            guard let value, value != .null else { return nil }
            key.append(value)
        }
        self.values = key
    }

    static func == (left: SaveKey, right: SaveKey) -> Bool { left.values.isStoredSame(as: right.values) }

    func hash(into hasher: inout Hasher) {
        for value in values {
            if case .string(var text) = value {
                text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            } else {
                hasher.combine(value)
            }
        }
    }
}

extension EntityBinding {
    /// Returns the way in which values are identified.
    ///
    /// - Parameters:
    ///   - matched: The attributes that the call or the branch names, by their indices; nil if it names none.
    ///   - isByPosition: Whether the branch identifies children by their positions.
    ///   - name: The branch or the call, for messages.
    func identity(
        matched: [Int]?, isByPosition: Bool = false, in context: NSManagedObjectContext, name: @autoclosure () -> String
    ) throws -> SaveIdentity {
        let constraints = constraints(in: context)
        if let matched {
            if let constraint = constraints.first(where: { Set($0.attributes) == Set(matched) }) {
                return .constraint(constraint.attributes, constraint)
            }
            return .within(matched)
        }
        if isByPosition { return .position }
        guard constraints.count < 2 else {
            let names = constraints.map { "(\($0.names.joined(separator: ", ")))" }.joined(separator: ", ")
            throw StoreError(
                .invalidRequest,
                "\(name()): \(mapping.entityName) has several uniqueness constraints in the table: \(names). Choose one of them with `on:` or `.matched(by:)`.",
                entity: mapping.entityName)
        }
        return constraints.first.map { .constraint($0.attributes, $0) } ?? .new
    }

    /// Returns the objects with some keys.
    func objects(
        with keys: [SaveKey], of constraint: ModelConstraint, in context: NSManagedObjectContext
    ) throws -> [SaveKey: NSManagedObject] {
        var found: [SaveKey: NSManagedObject] = [:]
        let keys = Array(Set(keys))
        for start in stride(from: 0, to: keys.count, by: 1000) {
            var request = RequestContent()
            request.narrow(constraint.condition(on: keys[start..<min(start + 1000, keys.count)]))
            for object in try context.fetchObjects(request, of: constraint.entity) where !object.isDeleted {
                let values = try constraint.attributes.map { try value(of: object, at: $0) }
                if let key = SaveKey(values) { found[key] = object }
            }
        }
        return found
    }
}

extension ModelConstraint {
    /// Returns the condition for objects with some keys, which differ. It may match too many if the constraint has several attributes.
    func condition(on keys: some Collection<SaveKey>) -> ConditionContent {
        let conditions = names.indices.map { index in
            // The keys differ, but not each of their attributes.
            let values =
                names.count == 1
                ? keys.map { $0.values[0] } : Set(keys.compactMap { SaveKey([$0.values[index]]) }).map { $0.values[0] }
            return PredicateTree.comparison(
                Comparison(
                    .path(names[index].split(separator: ".").map(String.init)), by: .in,
                    with: .list(values.map { .value($0) })))
        }
        return ConditionContent(conditions.count == 1 ? conditions[0] : .and(conditions))
    }
}
