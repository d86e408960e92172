public import Foundation
import SwormStore

/// A version of a model that is loaded when it is needed, and the checksum that identifies the version.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    // The source of the model never changes, and `lock` guards the loaded model. Hence the unchecked conformance.

    private enum Place {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle)
        case hashes([AnyHashable: Any], Bundle)
    }

    /// The checksum of the version: that which `NSManagedObjectModel.versionChecksum` gives.
    public let versionChecksum: String
    private let place: Place
    private let lock = NSLock()
    private var found: NSManagedObjectModel?

    private init(_ place: Place, versionChecksum: String) {
        self.place = place
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// Refers to a model in memory.
    ///
    /// - Parameters:
    ///   - model: The model. It must not be changed any more.
    ///   - versionChecksum: Its checksum.
    public convenience init(model: NSManagedObjectModel, versionChecksum: String) {
        self.init(.model(model), versionChecksum: versionChecksum)
    }

    /// Refers to a model in a file.
    ///
    /// - Parameters:
    ///   - fileURL: The file URL of an `.xcdatamodel` folder or a `.mom` file; or of an `.xcdatamodeld` or `.momd` folder, of
    ///     which the version with the checksum is read.
    ///   - versionChecksum: The checksum of the version.
    public convenience init(fileURL: URL, versionChecksum: String) {
        self.init(.file(fileURL), versionChecksum: versionChecksum)
    }

    /// Refers to a model in a bundle by its name.
    ///
    /// - Parameters:
    ///   - modelName: The name of the version, or of the model that the version is one of.
    ///   - bundle: The bundle; nil for the main one.
    ///   - versionChecksum: The checksum of the version.
    public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        self.init(.name(modelName, bundle ?? .main), versionChecksum: versionChecksum)
    }

    /// Refers to a model in a bundle by the version hashes of its entities.
    ///
    /// - Parameters:
    ///   - versionHash: The version hashes by the names of the entities.
    ///   - bundle: The bundle; nil for the main one.
    ///   - versionChecksum: The checksum of the version.
    public convenience init(
        entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
    ) {
        self.init(.hashes(versionHash, bundle ?? .main), versionChecksum: versionChecksum)
    }

    /// The model, or a model without entities if it cannot be read. A migration then throws the reason.
    open var resolvedModel: NSManagedObjectModel { (try? read()) ?? NSManagedObjectModel() }

    /// The model, which has the checksum.
    ///
    /// - Throws: A ``CoreDataError`` that says why it cannot be read, or that it is another version.
    final func resolve() throws -> NSManagedObjectModel {
        let model = try read()
        let checksum = model.versionChecksum
        guard checksum == versionChecksum else {
            throw CoreDataError(
                NSStagedMigrationFrameworkVersionMismatchError,
                "The model \(words) has the version checksum \(checksum), but its reference has \(versionChecksum). A released version may have been changed, or the checksum may be that of another version."
            )
        }
        return model
    }

    private func read() throws -> NSManagedObjectModel {
        try lock.withLock {
            if let found { return found }
            let model =
                switch place {
                case .model(let model): model
                case .file(let url): try load(ModelFile.versions(at: url)) ?? .load(contentsOf: url)
                case .name(let name, let bundle): try load(bundle.modelVersions(named: name)) ?? notFound(in: bundle)
                case .hashes(let hashes, let bundle):
                    try load(
                        bundle.modelVersions(named: nil),
                        where: { $0.entityVersionHashesByName == hashes as? [String: Data] }
                    ) ?? notFound(in: bundle)
                }
            found = model
            return model
        }
    }

    /// The version with the checksum, else the first one that could be meant.
    private func load(_ versions: [URL], where isMeant: (NSManagedObjectModel) -> Bool = { _ in true }) throws
        -> NSManagedObjectModel?
    {
        var other: NSManagedObjectModel?
        for url in versions {
            let model: NSManagedObjectModel
            do {
                model = try NSManagedObjectModel.load(contentsOf: url)
            } catch {
                // An unreadable file is reported only if it is the only one.
                if versions.count == 1 { throw error }
                continue
            }
            guard isMeant(model) else { continue }
            if model.versionChecksum == versionChecksum { return model }
            // With several versions and no match, the choice is ambiguous.
            if versions.count == 1 { other = model }
        }
        return other
    }

    private func notFound(in bundle: Bundle) throws -> NSManagedObjectModel {
        throw CoreDataError(
            NSMigrationMissingSourceModelError,
            "The model \(words) with the version checksum \(versionChecksum) was not found in '\(bundle.bundlePath)'. Add the version to the resources of the bundle, or use the name of its file."
        )
    }

    private var words: String {
        switch place {
        case .model: "of the reference"
        case .file(let url): url.path
        case .name(let name, _): "named '\(name)'"
        case .hashes(let hashes, _): "of \(hashes.keys.map { "\($0)" }.sorted().joined(separator: ", "))"
        }
    }
}

extension Bundle {
    /// The versions of models in the bundle's resources: all, or those that have a name or are of the model with that name.
    fileprivate func modelVersions(named name: String?) -> [URL] {
        var folders: [URL] = []
        for folder in [resourceURL, bundleURL].compactMap({ $0?.standardizedFileURL }) where !folders.contains(folder) {
            folders.append(folder)
        }
        var found: [URL] = []
        for folder in folders {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for url in files.sorted().map({ folder.appendingPathComponent($0) }) {
                let versions = (try? ModelFile.versions(at: url)) ?? []
                found += versions.filter { version in
                    guard let name else { return true }
                    return [url, version].contains { $0.deletingPathExtension().lastPathComponent == name }
                }
            }
        }
        return found
    }
}
