package import Foundation

/// The model of a migrated store.
package struct MigrationTarget: Sendable {
    let model: CompiledModel
    /// The copy of the model that is saved in the store: a compressed archive.
    let cache: Data
    /// The names of the R-trees that the model requires.
    let trees: Set<String>

    package init(model: CompiledModel, cache: Data, trees: Set<String>) {
        self.model = model
        self.cache = cache
        self.trees = trees
    }
}
