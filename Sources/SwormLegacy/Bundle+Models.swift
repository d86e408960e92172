public import Foundation
public import Sworm

extension Bundle {
    /// An error that reports a resource that a bundle does not contain.
    public enum BundleCoreDataError: Swift.Error, Sendable, Hashable {
        /// There is no compiled mapping model with that name.
        case mappingModelNotFound(name: String)
        /// There is no such version of a model.
        case managedObjectModelNotFound(versionName: String, modelName: String)
    }

    /// Reads one version of a model.
    ///
    /// Apple's tools compile models to `<model>.momd/<version>.mom`. On other platforms, the bundle may contain the
    /// model as Xcode stores it, `<model>.xcdatamodeld/<version>.xcdatamodel`.
    ///
    /// - Parameters:
    ///   - versionName: The name of the version.
    ///   - modelName: The name of the model.
    /// - Throws: ``BundleCoreDataError/managedObjectModelNotFound(versionName:modelName:)``, or a `StoreError` with
    ///   the code `invalidModel` if the file cannot be read.
    public func managedObjectModel(versionName: String, modelName: String) throws -> NSManagedObjectModel {
        let forms = [("momd", "omo"), ("momd", "mom"), ("xcdatamodeld", "xcdatamodel")].filter(Self.isReadable)
        for folder in [resourceURL, bundleURL].compactMap({ $0 }) {
            for (group, version) in forms {
                let url = folder.appendingPathComponent("\(modelName).\(group)")
                    .appendingPathComponent("\(versionName).\(version)")
                if FileManager.default.fileExists(atPath: url.path) { return try readModel(at: url) }
            }
        }
        throw BundleCoreDataError.managedObjectModelNotFound(versionName: versionName, modelName: modelName)
    }

    /// Whether models of a form can be read here. Only Core Data reads the optimized form of compiled models, and only
    /// on Apple's platforms are models always compiled.
    private static func isReadable(_ form: (group: String, version: String)) -> Bool {
        #if canImport(Darwin)
        form.group == "momd"
        #else
        form.version != "omo"
        #endif
    }

    #if canImport(Darwin)
    /// Reads a compiled mapping model, `<name>.cdm`.
    ///
    /// - Parameter name: The name of the mapping model.
    /// - Throws: ``BundleCoreDataError/mappingModelNotFound(name:)``.
    public func mappingModel(name: String) throws -> NSMappingModel {
        guard let url = url(forResource: name, withExtension: "cdm"), let model = NSMappingModel(contentsOf: url)
        else { throw BundleCoreDataError.mappingModelNotFound(name: name) }
        return model
    }
    #endif
}
