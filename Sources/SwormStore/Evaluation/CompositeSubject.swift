package import SwormPredicates

/// The elements of a composite attribute as the subject of a predicate.
package struct CompositeSubject: EvaluationSubject {
    private let entity: CompiledEntity
    private let prefix: String
    private let leaves: [Int]
    private let value: (Int) throws -> AttributeValue

    /// - Parameters:
    ///   - name: The name of the composite attribute.
    ///   - leaves: The slots of its elements.
    ///   - value: Returns the value of an element by its slot.
    package init(
        of entity: CompiledEntity, name: String, leaves: [Int], value: @escaping (Int) throws -> AttributeValue
    ) {
        self.entity = entity
        prefix = name + "."
        self.leaves = leaves
        self.value = value
    }

    package var reference: ObjectReference? { nil }

    package func predicateValue(forKey key: String) throws -> EvaluationValue {
        for slot in leaves where entity.attributes[slot].name == prefix + key {
            return .value(try value(slot).asStored)
        }
        let inner = leaves.filter { entity.attributes[$0].name.hasPrefix(prefix + key + ".") }
        if !inner.isEmpty {
            return .object(CompositeSubject(of: entity, name: prefix + key, leaves: inner, value: value))
        }
        let names = leaves.map { String(entity.attributes[$0].name.dropFirst(prefix.count)) }
        throw QueryError.unknownKey(key, of: prefix + "of " + entity.name, names: names)
    }
}
