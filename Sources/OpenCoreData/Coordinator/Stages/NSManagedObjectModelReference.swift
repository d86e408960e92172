public import Foundation
import SwormStore

/// A reference to a version of a model, which is identified by its checksum and loaded when it is needed.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    // The source of the model never changes, and `lock` protects the loaded model. Hence the unchecked conformance.

    private enum Source {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle)
        case hashes([AnyHashable: Any], Bundle)
    }

    /// The `versionChecksum` of the model.
    public let versionChecksum: String
    private let source: Source
    private let lock = NSLock()
    private var found: NSManagedObjectModel?

    private init(_ source: Source, versionChecksum: String) {
        self.source = source
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// Creates a reference to a model in memory.
    ///
    /// - Parameters:
    ///   - model: The model. It must not be changed afterwards.
    ///   - versionChecksum: The checksum of the model.
    public convenience init(model: NSManagedObjectModel, versionChecksum: String) {
        self.init(.model(model), versionChecksum: versionChecksum)
    }

    /// Creates a reference to a model in a file.
    ///
    /// - Parameters:
    ///   - fileURL: The URL of an `.xcdatamodel` folder or a `.mom` file; or of an `.xcdatamodeld` or `.momd` folder,
    ///     from which the version with the checksum is loaded.
    ///   - versionChecksum: The checksum of the version.
    public convenience init(fileURL: URL, versionChecksum: String) {
        self.init(.file(fileURL), versionChecksum: versionChecksum)
    }

    /// Creates a reference to a model in a bundle by its name.
    ///
    /// - Parameters:
    ///   - modelName: The name of the version, or of the versioned model that contains it.
    ///   - bundle: The bundle; nil for the main bundle.
    ///   - versionChecksum: The checksum of the version.
    public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        self.init(.name(modelName, bundle ?? .main), versionChecksum: versionChecksum)
    }

    /// Creates a reference to a model in a bundle by the version hashes of its entities.
    ///
    /// - Parameters:
    ///   - versionHash: The version hashes by entity name.
    ///   - bundle: The bundle; nil for the main bundle.
    ///   - versionChecksum: The checksum of the version.
    public convenience init(
        entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
    ) {
        self.init(.hashes(versionHash, bundle ?? .main), versionChecksum: versionChecksum)
    }

    /// The model, or a model without entities if it cannot be read. A migration throws an error in that case.
    open var resolvedModel: NSManagedObjectModel { (try? read()) ?? NSManagedObjectModel() }

    /// Returns the model, after checking its checksum.
    ///
    /// - Throws: A ``CoreDataError`` if the model cannot be read, or has a different checksum.
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
                switch source {
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

    /// Returns the version with the checksum, or else the only version if it is a match; nil if there is neither.
    private func load(_ versions: [URL], where isMatch: (NSManagedObjectModel) -> Bool = { _ in true }) throws
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
            guard isMatch(model) else { continue }
            if model.versionChecksum == versionChecksum { return model }
            // Among several versions with other checksums, the choice would be ambiguous.
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
        switch source {
        case .model: "of the reference"
        case .file(let url): url.path
        case .name(let name, _): "named '\(name)'"
        case .hashes(let hashes, _): "of \(hashes.keys.map { "\($0)" }.sorted().joined(separator: ", "))"
        }
    }
}

extension Bundle {
    /// Returns the URLs of the model versions in the bundle's resources.
    ///
    /// - Parameter name: The name of a version or of a versioned model; nil for all versions.
    fileprivate func modelVersions(named name: String?) -> [URL] {
        var found: [URL] = []
        for url in modelFiles {
            let versions = (try? ModelFile.versions(at: url)) ?? []
            found += versions.filter { version in
                guard let name else { return true }
                return [url, version].contains { $0.deletingPathExtension().lastPathComponent == name }
            }
        }
        return found
    }
}
