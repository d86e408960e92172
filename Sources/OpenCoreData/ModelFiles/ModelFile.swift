import Foundation
import SwormStore

/// A namespace for finding the parts of a model on disk: the folder of versions, the current version, and its document.
enum ModelFile {
    /// The file extensions of the kinds of models.
    private static let folderOfVersions = "xcdatamodeld"
    private static let version = "xcdatamodel"
    private static let compiledFolder = "momd"
    private static let compiled = "mom"

    /// Returns whether the name of a file is that of a model.
    static func isModel(_ name: String) -> Bool {
        [folderOfVersions, version, compiledFolder, compiled].contains((name as NSString).pathExtension.lowercased())
    }

    /// Reads the model at a URL. If there are several versions, reads the current one.
    ///
    /// - Parameter model: A model without entities, to which the content is added.
    /// - Throws: A `CoreDataError` that names the file, the line and what is wrong.
    static func read(_ url: URL, into model: NSManagedObjectModel) throws {
        let version = try currentVersion(at: url)
        if version.pathExtension.lowercased() == compiled {
            try ModelArchiveReader.read(contents(of: version), source: version.path, into: model)
            return
        }
        let document = try document(of: version)
        let root = try XMLTree.parse(contents(of: document), file: document.path)
        try ModelXMLReader.read(root, file: document.path, into: model)
    }

    /// Returns the versions of a model: `.xcdatamodel` folders, or `.mom` files.
    static func versions(at url: URL) throws -> [URL] {
        switch url.pathExtension.lowercased() {
        case version:
            try requireFolder(url)
            return [url]
        case compiled:
            return [url]
        case folderOfVersions: return try versions(in: url, kind: version, absence: "it has no .xcdatamodel folder")
        case compiledFolder: return try versions(in: url, kind: compiled, absence: "it has no .mom file")
        case "omo":
            throw error(
                .fileReadUnknown, at: url,
                problem:
                    "is the optimized form of a compiled model, which cannot be read; use the .mom file of the same name in the same folder"
            )
        default:
            throw error(
                .fileReadUnknown, at: url, problem: "is not a model; use an .xcdatamodeld, .xcdatamodel, .momd or .mom")
        }
    }

    private static func versions(in folder: URL, kind: String, absence: String) throws -> [URL] {
        try requireFolder(folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { ($0 as NSString).pathExtension.lowercased() == kind }
            .map { (name: ($0 as NSString).deletingPathExtension, file: $0) }
            .sorted { $0.name.compare($1.name, options: [.numeric, .caseInsensitive]) == .orderedAscending }
            .map(\.file)
        guard !names.isEmpty else {
            throw error(.fileReadCorruptFile, at: folder, problem: "contains no model: \(absence)")
        }
        return names.map { folder.appendingPathComponent($0, isDirectory: kind == version) }
    }

    /// Returns the current version.
    static func currentVersion(at url: URL) throws -> URL {
        let versions = try versions(at: url)
        if url.pathExtension.lowercased() == compiledFolder {
            return try named(
                "NSManagedObjectModel_CurrentVersionName", by: "VersionInfo.plist", in: url, among: versions)
        }
        return try named("_XCCurrentVersionName", by: ".xccurrentversion", in: url, among: versions)
    }

    /// Returns the version that a property list in the folder names, or the only version.
    private static func named(_ key: String, by file: String, in url: URL, among versions: [URL]) throws -> URL {
        let names = versions.map(\.lastPathComponent)
        let marker = url.appendingPathComponent(file)
        let isFolder = [folderOfVersions, compiledFolder].contains(url.pathExtension.lowercased())
        guard isFolder, FileManager.default.fileExists(atPath: marker.path) else {
            guard versions.count == 1, let only = versions.first else {
                throw error(
                    .fileReadCorruptFile, at: url,
                    problem: "has several versions, but no file '\(file)' that names the current one; use one of them: "
                        + names.joined(separator: ", "))
            }
            return only
        }
        let plist = try? PropertyList.dictionary(contents(of: marker))
        guard let name = plist?[key] as? String else {
            throw error(
                .fileReadCorruptFile, at: marker,
                problem: "is not a property list that names the current version as '\(key)'")
        }
        // Only a name that was found in the folder is accepted, so that a path in the file cannot refer to another
        // location.
        guard
            let current = versions.first(where: {
                $0.lastPathComponent == name || $0.deletingPathExtension().lastPathComponent == name
            })
        else {
            throw error(
                .fileReadCorruptFile, at: marker,
                problem: "names the current version '\(name)', which is not in the folder; the versions are "
                    + names.joined(separator: ", "))
        }
        return current
    }

    /// Returns the XML document of one version.
    private static func document(of folder: URL) throws -> URL {
        let document = folder.appendingPathComponent("contents")
        if FileManager.default.fileExists(atPath: document.path) { return document }
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent("elements").path) {
            throw error(
                .fileReadCorruptFile, at: folder,
                problem:
                    "has the old binary format of model files, which cannot be read; open and save it with a newer Xcode, "
                    + "which writes XML")
        }
        throw error(.fileReadNoSuchFile, at: folder, problem: "has no file named 'contents'")
    }

    /// Returns the bytes of a regular file of limited size.
    private static func contents(of url: URL) throws -> Data {
        let resolved = url.resolvingSymlinksInPath()
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: resolved.path)
        } catch let cause {
            throw error(.fileReadUnknown, at: url, problem: "cannot be read", cause: cause)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw error(.fileReadUnknown, at: url, problem: "is not a regular file")
        }
        let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
        guard size <= ModelLimits.fileSize else {
            throw error(
                .fileReadTooLarge, at: url,
                problem: "has \(size) bytes; a model file can have at most \(ModelLimits.fileSize) bytes")
        }
        do {
            return try Data(contentsOf: resolved)
        } catch let cause {
            throw error(.fileReadUnknown, at: url, problem: "cannot be read", cause: cause)
        }
    }

    private static func requireFolder(_ url: URL) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw error(.fileReadNoSuchFile, at: url, problem: "does not exist")
        }
        guard isFolder.boolValue else {
            throw error(.fileReadCorruptFile, at: url, problem: "is not a folder, as a model must be")
        }
    }

    private static func error(_ code: CocoaError.Code, at url: URL, problem what: String, cause: (any Error)? = nil)
        -> CoreDataError
    {
        let reason = cause.map { ": \(($0 as NSError).localizedDescription)" } ?? ""
        let message = "\(url.path) \(what)\(reason)"
        // Foundation's messages already end with a period.
        return CoreDataError(code.rawValue, message.hasSuffix(".") ? message : message + ".", cause: cause)
    }
}
