package import SwormStore

extension NSManagedObjectModel {
    /// Returns the frozen model for stores and contexts. It is compiled once, and again after a change.
    ///
    /// - Throws: A `CoreDataError` with code 134060 whose details list every issue of the model.
    package final func compiled() throws -> CompiledModel { try compiledWithDescriptions().model }

    /// Returns the frozen model together with the description of each entity; the description of number `n` is at index
    /// `n - 1`.
    package final func compiledWithDescriptions() throws -> Compilation {
        try compilation {
            var compiler = ModelCompiler(model: self)
            return try compiler.compile()
        }
    }
}
