public import Foundation
public import Sworm

extension Bundle {
    /// What a bundle does not have.
    public enum BundleCoreDataError: Swift.Error, Sendable, Hashable {
        /// There is no compiled mapping model of that name.
        case mappingModelNotFound(name: String)
        /// There is no such version of a model.
        case managedObjectModelNotFound(versionName: String, modelName: String)
    }

    /// Reads one version of a model.
    ///
    /// Apple's tools compile models: `<model>.momd/<version>.mom`. Elsewhere the model as Xcode keeps it,
    /// `<model>.xcdatamodeld/<version>.xcdatamodel`, may be in the bundle as it is.
    ///
    /// - Parameters:
    ///   - versionName: The version's name.
    ///   - modelName: The model's name.
    /// - Throws: ``BundleCoreDataError/managedObjectModelNotFound(versionName:modelName:)``, and a ``StoreError`` with the code
    ///   `invalidModel` when the file cannot be read.
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

    /// The optimized form of compiled models is for Core Data alone, and only there are models always compiled.
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
    /// - Parameter name: Its name.
    /// - Throws: ``BundleCoreDataError/mappingModelNotFound(name:)``.
    public func mappingModel(name: String) throws -> NSMappingModel {
        guard let url = url(forResource: name, withExtension: "cdm"), let model = NSMappingModel(contentsOf: url)
        else { throw BundleCoreDataError.mappingModelNotFound(name: name) }
        return model
    }
    #endif
}
