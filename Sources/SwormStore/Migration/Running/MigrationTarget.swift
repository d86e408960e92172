package import Foundation

/// The model that a migrated store gets.
package struct MigrationTarget: Sendable {
    package let model: CompiledModel
    /// The copy of the model that the store keeps: a compressed archive.
    package let cache: Data
    /// The names of the R-trees that the model asks for.
    package let trees: Set<String>

    package init(model: CompiledModel, cache: Data, trees: Set<String>) {
        self.model = model
        self.cache = cache
        self.trees = trees
    }
}
