package import Foundation

/// A model frozen for use by stores and contexts: immutable, numbered, and with everything inherited worked out.
///
/// Entities are numbered from 1 in Core Data's order: depth first over the inheritance forest, siblings by name without
/// regard to case. An entity and its descendants therefore have consecutive numbers.
package final class CompiledModel: Sendable {
    /// The entities; the one with number `n` stands at `n - 1`.
    package let entities: [CompiledEntity]
    package let versionIdentifiers: [String]
    /// Entity names by configuration name, without the default configuration.
    package let configurations: [String: [String]]
    /// The hashes of the only store that the model is for, because it was inferred from that; nil for a model of its own.
    package let storeHashes: [String: Data]?
    private let numbers: [String: Int]

    package init(
        entities: [CompiledEntity], versionIdentifiers: [String] = [], configurations: [String: [String]] = [:],
        storeHashes: [String: Data]? = nil
    ) {
        self.entities = entities
        self.versionIdentifiers = versionIdentifiers
        self.configurations = configurations
        self.storeHashes = storeHashes
        numbers = Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity with a number. The number must come from this model.
    package subscript(number: Int) -> CompiledEntity { entities[number - 1] }

    /// The entity with a number that comes from a file; nil when the model has none.
    package func entity(numbered number: Int64) -> CompiledEntity? {
        guard number > 0, number <= entities.count else { return nil }
        return entities[Int(number) - 1]
    }

    package func entity(named name: String) -> CompiledEntity? {
        numbers[name].map { entities[$0 - 1] }
    }

    /// The version hashes by entity name, as a store's metadata holds them.
    package var versionHashes: [String: Data] {
        storeHashes
            ?? Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }
}
