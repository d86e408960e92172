import SwormPredicates

/// A derived attribute whose value can be computed.
struct DerivedAttribute: Sendable {
    /// The entity that declares or inherits the attribute.
    let entity: CompiledEntity
    let slot: Int
    let derivation: Derivation
    /// The type to which SQL must cast the value, so that the column holds a value that can be read again.
    let cast: String?

    var name: String { entity.attributes[slot].name }

    /// Creates the derivation of an attribute.
    ///
    /// - Returns: Nil for an attribute that is not derived, whose source is unknown, or whose column cannot hold
    ///   values of the source's type: such a value would make the whole row unreadable.
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

    /// Returns all derived attributes that can be computed, in the order of entities and attributes, each in the
    /// entity that declares it.
    static func all(in model: CompiledModel) -> [DerivedAttribute] {
        model.entities.flatMap { entity in
            entity.attributes.indices.compactMap { slot in
                entity.attributes[slot].owner == entity.number ? DerivedAttribute(slot, of: entity, in: model) : nil
            }
        }
    }
}

extension CompiledModel {
    /// Returns whether a save gives a derived attribute the same value as before if the source objects are the same.
    ///
    /// This is not the case for the time of a save. Values with an unknown source are left unchanged.
    package func restoresDerivation(_ slot: Int, of entity: CompiledEntity) -> Bool {
        DerivedAttribute(slot, of: entity, in: self).map { $0.derivation.source != .now } ?? false
    }
}

extension AttributeType {
    var isNumber: Bool { valueKind?.isNumber ?? false }

    /// Whether columns of the type hold whole numbers. In SQL, a Boolean is one.
    fileprivate var isWhole: Bool { valueKind == .integer || valueKind == .boolean }
}
