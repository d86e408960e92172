public import Foundation
import SwormStore

extension NSManagedObjectModel {
    /// Reads a model from a file.
    ///
    /// - Parameter url: The file URL of an `.xcdatamodeld` or `.momd` folder, of which the current version is read, of an
    ///   `.xcdatamodel` folder, or of a compiled `.mom` file.
    /// - Returns: nil when the file cannot be read or is no model.
    public convenience init?(contentsOf url: URL) {
        self.init()
        do {
            try ModelFile.read(url, into: self)
        } catch {
            return nil
        }
    }

    /// Reads a model from a file, as `init(contentsOf:)` does, and says what is wrong with the file.
    package static func load(contentsOf url: URL) throws -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        try ModelFile.read(url, into: model)
        return model
    }

    /// Reads every version of a model.
    ///
    /// - Parameter url: The file URL of an `.xcdatamodeld` or `.momd` folder, or of an `.xcdatamodel` folder or a `.mom`
    ///   file, which are one version.
    /// - Returns: The versions in the order of their names, numbers in the names compared as numbers, and for those that cannot
    ///   be read the reasons.
    /// - Throws: A `CoreDataError` that names the file, the line and what is wrong, where no version can be read.
    package static func readVersions(at url: URL) throws -> (
        readable: [(name: String, model: NSManagedObjectModel)], unreadable: [(name: String, error: CoreDataError)]
    ) {
        var readable: [(name: String, model: NSManagedObjectModel)] = []
        var unreadable: [(name: String, error: CoreDataError)] = []
        for version in try ModelFile.versions(at: url) {
            let name = version.deletingPathExtension().lastPathComponent
            do {
                readable.append((name, try load(contentsOf: version)))
            } catch let error as CoreDataError {
                unreadable.append((name, error))
            }
        }
        if readable.isEmpty, let first = unreadable.first { throw first.error }
        return (readable, unreadable)
    }

    /// The versions of a model that can be read; see ``readVersions(at:)``.
    package static func versions(at url: URL) throws -> [(name: String, model: NSManagedObjectModel)] {
        try readVersions(at: url).readable
    }

    /// The name of the version of a folder of versions that `load(contentsOf:)` reads.
    package static func currentVersionName(at url: URL) throws -> String {
        try ModelFile.currentVersion(at: url).deletingPathExtension().lastPathComponent
    }
}
