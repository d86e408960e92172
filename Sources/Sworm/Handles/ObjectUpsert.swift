import Foundation
import SwormPredicates

/// An upsert that fetches objects and changes them. It includes unsaved changes, and is the only implementation on Core
/// Data.
struct ObjectUpsert<T: ManagedTreeConvertible> {
    /// The values of a constraint's attributes. Strings are compared by their bytes, as a store's index does.
    private typealias Key = [AttributeValue]

    let binding: EntityBinding<T>
    let context: NSManagedObjectContext
    /// The constraints, in the order of the model.
    let constraints: [ModelConstraint]
    /// The index of the constraint that matches values with objects, or nil if every value in use is an error.
    let target: Int?
    /// The indexes of the attributes in the mapping that are updated in an existing object, or nil to leave it unchanged.
    let updates: [Int]?

    /// Creates an upsert.
    ///
    /// - Parameter names: The attributes of the constraint that matches values with objects.
    init(
        binding: EntityBinding<T>, context: NSManagedObjectContext, on names: [String]?, updates: UpsertUpdates?
    ) {
        self.binding = binding
        self.context = context
        let constraints = binding.constraints(in: context)
        self.constraints = constraints
        target = names.flatMap { names in constraints.firstIndex { $0.names == names } }
        self.updates = updates?.indices(in: binding.mapping, besides: names ?? [])
    }

    /// Inserts, updates or ignores the objects of values.
    func take(_ part: [[AttributeValue]]) throws -> Upsert.Result {
        guard !part.isEmpty else { return Upsert.Result() }
        var result = Upsert.Result()
        var holders = try constraints.map { try self.holders(of: part, $0) }
        for values in part {
            try binding.check(values)
            guard let target, let key = Self.key(values, constraints[target]), let existing = holders[target][key]
            else {
                try checkOthers(with: values, except: nil, in: holders)
                let object = try binding.insertValid(values, into: context)
                note(object, with: values, in: &holders)
                result.inserted += 1
                continue
            }
            guard let updates else {
                result.ignored += 1
                continue
            }
            guard existing.entity.name == binding.mapping.entityName else {
                throw taken(constraints[target], values, by: existing)
            }
            let present = try binding.mapping.attributes.indices.map { try binding.value(of: existing, at: $0) }
            var wanted = present
            for index in updates { wanted[index] = values[index] }
            for (place, constraint) in constraints.enumerated()
            where Self.key(wanted, constraint) != Self.key(values, constraint) {
                // The object keeps values that were not among the fetched ones, so the objects that have them are
                // fetched too.
                holders[place].merge(try self.holders(of: [wanted], constraint)) { $1 }
            }
            try checkOthers(with: wanted, except: existing, in: holders)
            for index in updates { try binding.setValue(values[index], of: existing, at: index) }
            for (place, constraint) in constraints.enumerated() {
                if let key = Self.key(present, constraint) { holders[place][key] = nil }
            }
            note(existing, with: wanted, in: &holders)
            result.updated += 1
        }
        return result
    }

    private func note(
        _ object: NSManagedObject, with values: [AttributeValue], in holders: inout [[Key: NSManagedObject]]
    ) {
        for (place, constraint) in constraints.enumerated() {
            if let key = Self.key(values, constraint) { holders[place][key] = object }
        }
    }

    /// Throws an error if another object has values that must be unique.
    private func checkOthers(
        with values: [AttributeValue], except own: NSManagedObject?, in holders: [[Key: NSManagedObject]]
    ) throws {
        for (place, constraint) in constraints.enumerated() where place != target {
            guard let key = Self.key(values, constraint), let holder = holders[place][key], holder !== own else {
                continue
            }
            throw taken(constraint, values, by: holder)
        }
    }

    /// Returns the objects that have the unique values of a part.
    private func holders(
        of part: [[AttributeValue]], _ constraint: ModelConstraint
    ) throws -> [Key: NSManagedObject] {
        let wanted = part.filter { Self.key($0, constraint) != nil }
        guard !wanted.isEmpty else { return [:] }
        // The conditions may match too many objects if a constraint has several attributes. The keys identify the
        // wanted ones.
        let conditions = zip(constraint.names, constraint.attributes).map { name, index in
            PredicateTree.comparison(
                Comparison(
                    .path(name.split(separator: ".").map(String.init)), by: .in,
                    with: .list(Set(wanted.map { $0[index] }).map { .value($0) })))
        }
        var request = RequestContent()
        request.narrow(ConditionContent(conditions.count == 1 ? conditions[0] : .and(conditions)))
        var holders: [Key: NSManagedObject] = [:]
        for object in try context.fetchObjects(request, of: constraint.entity) {
            var values = [AttributeValue](repeating: .null, count: binding.mapping.attributes.count)
            for index in constraint.attributes { values[index] = try binding.value(of: object, at: index) }
            if let key = Self.key(values, constraint) { holders[key] = object }
        }
        return holders
    }

    /// Returns the key of some values, or nil if a value is nil, because it then conflicts with no object.
    private static func key(_ values: [AttributeValue], _ constraint: ModelConstraint) -> Key? {
        var key: Key = []
        for index in constraint.attributes {
            switch values[index] {
            case .null: return nil
            case .string(let text): key.append(.data(Data(text.utf8)))
            case let value: key.append(value)
            }
        }
        return key
    }

    private func taken(
        _ constraint: ModelConstraint, _ values: [AttributeValue], by object: NSManagedObject
    ) -> StoreError {
        let name = binding.mapping.entityName
        let text = zip(constraint.names, constraint.attributes).map { "\($0) = \(excerpt(values[$1]))" }
        return StoreError(
            .uniquenessViolation,
            "\(name): \(Scope.name(object.entity.name ?? name, id: object.objectID)) already has the unique values: \(text.joined(separator: ", ")). This call wrote nothing.",
            entity: name, attribute: constraint.names.joined(separator: ", "))
    }
}

extension EntityMapping {
    /// Returns the index of the constraint over the given attributes, or of the only constraint.
    ///
    /// - Throws: A ``StoreError`` with the code `invalidRequest` if there is no such constraint, or if there are
    ///   several to choose from.
    func constraint(_ attributes: [Int], among constraints: [ModelConstraint]) throws -> Int {
        let names = constraints.map { "(\($0.names.joined(separator: ", ")))" }.joined(separator: ", ")
        if attributes.isEmpty {
            if constraints.count == 1 { return 0 }
            throw StoreError(
                .invalidRequest,
                constraints.isEmpty
                    ? "\(entityName) has no unique attributes, so values cannot be matched with objects. Declare an attribute as `.unique`, or use `insert(contentsOf:)`."
                    : "\(entityName) has several uniqueness constraints: \(names). Choose one of them with `on:`.",
                entity: entityName)
        }
        if let found = constraints.firstIndex(where: { Set($0.attributes) == Set(attributes) }) { return found }
        let wanted = attributes.map { self.attributes[$0].name }.joined(separator: ", ")
        throw StoreError(
            .invalidRequest,
            "\(entityName) has no uniqueness constraint over (\(wanted)). Declare it, or use the attributes of an existing constraint: \(names.isEmpty ? "none" : names).",
            entity: entityName, attribute: wanted)
    }
}
