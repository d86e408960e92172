public import Foundation

extension NSManagedObjectModel {
    /// Returns a model that is merged from all models in bundles.
    ///
    /// The files `.momd`, `.mom`, `.xcdatamodeld` and `.xcdatamodel` among the resources are read. Of a model with several
    /// versions, the current one is used.
    ///
    /// - Parameter bundles: The bundles; nil for the main bundle.
    /// - Returns: The model; nil if the bundles contain no model that can be read, or if two models have different
    ///   entities with the same name.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let models = (bundles ?? [.main]).flatMap(\.models).compactMap { NSManagedObjectModel(contentsOf: $0) }
        return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models)
    }

    /// Returns the model of a store from the models in bundles.
    ///
    /// All versions of the models are considered.
    ///
    /// - Parameters:
    ///   - bundles: The bundles; nil for the main bundle.
    ///   - metadata: The metadata of the store.
    /// - Returns: A model of the entities with the store's version hashes, or nil if the bundles do not contain one of
    ///   them.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        let models = (bundles ?? [.main]).flatMap(\.models).flatMap { file in
            ((try? versions(at: file)) ?? []).map { $0.model }
        }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
    }
}
