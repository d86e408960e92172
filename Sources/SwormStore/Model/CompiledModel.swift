package import Foundation

/// A model in the form that stores and contexts use: immutable, numbered, and with all inheritance resolved.
///
/// Entities are numbered from 1 in Core Data's order: depth first over the inheritance forest, with siblings sorted by
/// name, ignoring case. An entity and its descendants therefore have consecutive numbers.
@usableFromInline
package final class CompiledModel: Sendable {
    /// The entities. The one with number `n` has the index `n - 1`.
    @usableFromInline package let entities: [CompiledEntity]
    let versionIdentifiers: [String]
    /// Entity names by configuration name, without the default configuration.
    package let configurations: [String: [String]]
    /// The version hashes of the store from which the model was inferred, which is the only store it applies to; nil
    /// for any other model.
    package let storeHashes: [String: Data]?
    private let numbers: [String: Int]
    /// A hash of the names of the entities and their properties, in this process. Models of the same file that are equal
    /// in it name changes in the same way.
    let namesHash: Int

    package init(
        entities: [CompiledEntity], versionIdentifiers: [String] = [], configurations: [String: [String]] = [:],
        storeHashes: [String: Data]? = nil
    ) {
        self.entities = entities
        self.versionIdentifiers = versionIdentifiers
        self.configurations = configurations
        self.storeHashes = storeHashes
        numbers = Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        var hasher = Hasher()
        for entity in entities {
            hasher.combine(entity.name)
            hasher.combine(entity.attributes.map(\.name))
            hasher.combine(entity.relationships.map(\.name))
        }
        namesHash = hasher.finalize()
    }

    /// Accesses the entity with a number of this model.
    @inlinable
    package subscript(number: Int) -> CompiledEntity { entities[number - 1] }

    /// Returns the entity with a number that comes from a file, or nil if the model has none.
    @inlinable
    package func entity(numbered number: Int64) -> CompiledEntity? {
        guard number > 0, number <= entities.count else { return nil }
        return entities[Int(number) - 1]
    }

    package func entity(named name: String) -> CompiledEntity? {
        numbers[name].map { entities[$0 - 1] }
    }

    /// The version hashes by entity name, in the form of a store's metadata.
    package var versionHashes: [String: Data] {
        storeHashes
            ?? Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }
}
