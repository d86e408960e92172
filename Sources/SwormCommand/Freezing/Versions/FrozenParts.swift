import Foundation
import OpenCoreData
import SwormPredicates

/// The parts of a frozen version, made from its model. Equal models give equal files.
struct FrozenParts {
    let names: FrozenNames
    let model: NSManagedObjectModel

    /// The Swift tables.
    func tables() throws -> String {
        try SwiftModelWriter.text(model, source: origin, in: names.namespace)
    }

    /// The source of SwiftData's schema.
    func schema() throws -> String {
        try SwiftDataWriter.text(model, source: origin, name: names.schemaName, version: names.numbers)
    }

    private var origin: String { "\(names.model) \(names.version)" }

    /// Writes all files into an empty folder.
    ///
    /// - Parameter source: The name of the model's version in the model file; nil for a store.
    /// - Returns: Warnings about the sample store.
    func write(into folder: URL, source: String?) throws -> [String] {
        let texts = [
            names.record: try ReleasedModel(model).encoded(),
            names.modelDocument: Data(ModelXMLWriter.text(model).utf8),
            names.tables: Data(try tables().utf8), names.schema: Data(try schema().utf8),
        ]
        for inner in [names.modelFolder, names.storeFolder] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(inner, isDirectory: true), withIntermediateDirectories: true)
        }
        for (name, text) in texts { try text.write(to: folder.appendingPathComponent(name)) }
        let warnings = try SampleStore.write(model, to: folder.appendingPathComponent(names.store))
        var digests: [String: String] = [:]
        for name in names.parts {
            digests[name] = try FrozenManifest.digest(of: folder.appendingPathComponent(name))
        }
        try FrozenManifest(names, source: source, files: digests).encoded()
            .write(to: folder.appendingPathComponent(names.manifest))
        return warnings
    }
}
