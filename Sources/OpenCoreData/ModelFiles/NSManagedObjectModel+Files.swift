public import Foundation
import SwormStore

extension NSManagedObjectModel {
    /// Creates a model from a file.
    ///
    /// - Parameter url: The file URL of an `.xcdatamodeld` or `.momd` folder, whose current version is read, of an
    ///   `.xcdatamodel` folder, or of a compiled `.mom` file.
    /// - Returns: nil if the file cannot be read or is not a model.
    public convenience init?(contentsOf url: URL) {
        self.init()
        do {
            try ModelFile.read(url, into: self)
        } catch {
            return nil
        }
    }

    /// Returns the model in a file, as `init(contentsOf:)` does, but throws an error that describes what is wrong with
    /// the file.
    package static func load(contentsOf url: URL) throws -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        try ModelFile.read(url, into: model)
        return model
    }

    /// Reads every version of a model.
    ///
    /// - Parameter url: The file URL of an `.xcdatamodeld` or `.momd` folder, or of an `.xcdatamodel` folder or a
    ///   `.mom` file, which contain a single version.
    /// - Returns: The versions in the order of their names, in which numbers are compared as numbers, and the errors of
    ///   the versions that cannot be read.
    /// - Throws: A `CoreDataError` that names the file, the line and what is wrong, if no version can be read.
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

    /// Returns the versions of a model that can be read; see ``readVersions(at:)``.
    package static func versions(at url: URL) throws -> [(name: String, model: NSManagedObjectModel)] {
        try readVersions(at: url).readable
    }

    /// Returns the name of the version that `load(contentsOf:)` reads from a folder of versions.
    package static func currentVersionName(at url: URL) throws -> String {
        try ModelFile.currentVersion(at: url).deletingPathExtension().lastPathComponent
    }
}
