import SwormPredicates

/// A derived attribute whose value can be worked out.
struct DerivedAttribute: Sendable {
    /// The entity that has the attribute: the one that declares it, or one that inherits it.
    let entity: CompiledEntity
    let slot: Int
    let derivation: Derivation
    /// The type as which SQL must take the value, so that the column does not hold what cannot be read from it again.
    let cast: String?

    var name: String { entity.attributes[slot].name }

    /// - Returns: Nil for an attribute that is not derived, or from what is not known, or from values of which its column
    ///   can hold none: one of them would make the whole row unreadable.
    init?(_ slot: Int, of entity: CompiledEntity, in model: CompiledModel) {
        guard let text = entity.attributes[slot].derivation, let derivation = Derivation(text, of: entity, in: model),
            let source = derivation.type(from: entity, model)
        else { return nil }
        let type = entity.attributes[slot].type
        guard source == type || (source.isNumber && type.isNumber) else { return nil }
        cast =
            switch type {
            case .integer16, .integer32, .integer64, .boolean: source.isWhole ? nil : "INTEGER"
            case .double, .float: source == .decimal ? "REAL" : nil
            default: nil
            }
        (self.entity, self.slot, self.derivation) = (entity, slot, derivation)
    }

    /// All that can be worked out, in the order of entities and attributes, each in the entity that declares it.
    static func all(in model: CompiledModel) -> [DerivedAttribute] {
        model.entities.flatMap { entity in
            entity.attributes.indices.compactMap { slot in
                entity.attributes[slot].owner == entity.number ? DerivedAttribute(slot, of: entity, in: model) : nil
            }
        }
    }
}

extension CompiledModel {
    /// Whether a save gives a derived attribute the value that it had before, from the same objects. The time of a save is
    /// another each time, and what is not understood is left as it is.
    package func restoresDerivation(_ slot: Int, of entity: CompiledEntity) -> Bool {
        DerivedAttribute(slot, of: entity, in: self).map { $0.derivation.source != .now } ?? false
    }
}

extension AttributeType {
    var isNumber: Bool { valueKind?.isNumber ?? false }

    /// Whether columns of the type hold whole numbers. To SQL a truth value is one.
    fileprivate var isWhole: Bool { valueKind == .integer || valueKind == .boolean }
}
