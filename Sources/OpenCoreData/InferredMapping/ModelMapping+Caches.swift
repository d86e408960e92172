#if PostgreSQL
import Foundation
package import SwormStore

extension ModelMapping {
    /// Infers the mapping between two archived models, and returns it with the first one.
    ///
    /// - Throws: A `CoreDataError` if a model cannot be read, or with every reason why no mapping can be inferred.
    package static func inferred(
        fromCache source: Data, toCache destination: Data
    ) throws -> (source: CompiledModel, mapping: ModelMapping) {
        let old = try StoredModel.model(inCache: source, source: "The copy of the model in the store").model
        let new = try StoredModel.model(inCache: destination, source: "The copy of the program's model").model
        return (try old.compiled(), try inferred(from: old, to: new))
    }
}
#endif
