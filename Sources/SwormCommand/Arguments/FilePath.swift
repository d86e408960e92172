import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// Checks of the file type at a path before the file is opened. Opening a pipe would block, and SQLite's errors for
/// missing or unsuitable files are not helpful.
enum FilePath {
    /// The file extensions of models.
    static let modelKinds = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "omo"]

    /// Returns whether a path names a model, by its extension.
    static func isModel(_ path: String) -> Bool {
        modelKinds.contains(Arguments.url(path).pathExtension.lowercased())
    }

    /// Returns the file of a store that is to be read.
    ///
    /// - Throws: ``ToolError`` if there is no file, or it is empty.
    static func store(_ path: String) throws -> URL {
        guard !path.isEmpty else {
            throw ToolError(.usage, "the path of the store is empty", hint: "name the file of the store")
        }
        try ServerOperand.refuse(path)
        let url = Arguments.url(path)
        switch FileKind(path: url.path) {
        case .file?:
            let files = StoreFiles(url: url)
            guard FileStamp(path: files.main)?.size == 0, FileStamp(path: files.writeAheadLog)?.size ?? 0 == 0 else {
                return url
            }
            throw ToolError(
                .file, "'\(path)' is empty: it contains no store",
                hint: "creating or copying a store may have been interrupted; look for another copy")
        case .folder? where modelKinds.contains(url.pathExtension.lowercased()):
            throw ToolError(
                .file, "'\(path)' is a model, not a store file",
                hint: "'sworm-tool model' shows it, and other commands take it as --model")
        case .folder?:
            throw ToolError(
                .file, "'\(path)' is a folder, not a store file",
                hint: hint(names(of: .store, in: path), of: .store, in: path))
        case .some(let kind):
            throw ToolError(
                .file, "'\(path)' is \(kind.words), not a store file",
                hint: "a store needs random access; copy it to a file first")
        case nil:
            throw ToolError(.file, "there is no store '\(path)'", hint: missingHint(for: path, wanted: .store))
        }
    }

    /// Checks that there is a readable file or folder at the path of a model.
    ///
    /// - Throws: ``ToolError`` if nothing exists at the path, or if it is neither a file nor a folder.
    static func checkModel(_ url: URL) throws {
        switch FileKind(path: url.path) {
        case .file?, .folder?: break
        case .some(let kind):
            throw ToolError(
                .file, "'\(url.path)' is \(kind.words), not a model",
                hint: "use an .xcdatamodeld, .xcdatamodel, .momd or .mom")
        case nil:
            throw ToolError(.file, "there is no model '\(url.path)'", hint: missingHint(for: url.path, wanted: .model))
        }
    }

    /// Checks that a file can be written at a path.
    ///
    /// - Throws: ``ToolError`` if something other than a file exists at the path, or if its folder does not exist.
    static func checkOutput(_ path: String, isFolder: Bool) throws {
        guard !path.isEmpty else {
            throw ToolError(.usage, "the path of the output is empty", hint: "name the file to write")
        }
        let url = Arguments.url(path)
        let parent = url.deletingLastPathComponent().path
        switch FileKind(path: parent) {
        case .folder?: break
        case nil:
            throw ToolError(
                .file, "'\(path)' cannot be written: there is no folder '\(parent)'", hint: "create the folder first")
        case .some(let kind):
            throw ToolError(
                .file, "'\(path)' cannot be written: '\(parent)' is \(kind.words)", hint: "use an existing folder")
        }
        let kind = FileKind(path: url.path)
        guard let kind, kind != (isFolder ? .folder : .file) else { return }
        throw ToolError(
            .file, "'\(path)' cannot be written: it is \(kind.words)",
            hint: kind == .folder
                ? "name a file in the folder"
                : isFolder ? "choose another name" : "omit the option, and redirect the output")
    }

    // MARK: Hints

    private enum Wanted: String { case store, model }

    private static func missingHint(for path: String, wanted: Wanted) -> String? {
        let url = Arguments.url(path)
        let parent = url.deletingLastPathComponent().path
        guard FileKind(path: parent) == .folder else { return "there is no folder '\(parent)'" }
        // The name alone may be similar enough, regardless of the file's content.
        let candidates = names(in: parent).filter { name in
            wanted == .model || FileKind(path: parent + "/" + name) == .file
        }
        if let nearest = nearestName(to: url.lastPathComponent, in: candidates) {
            let folder = (path as NSString).deletingLastPathComponent
            return "did you mean '\((folder as NSString).appendingPathComponent(nearest))'?"
        }
        return hint(names(of: wanted, in: parent), of: wanted, in: (path as NSString).deletingLastPathComponent)
    }

    private static func hint(_ names: [String], of wanted: Wanted, in folder: String) -> String {
        let paths = names.map { "'\((folder as NSString).appendingPathComponent($0))'" }
        switch paths.count {
        case 0: return "the folder contains no \(wanted.rawValue)"
        case 1: return "did you mean \(paths[0])?"
        default:
            return
                "\(wanted.rawValue)s in that folder: \(paths.prefix(5).joined(separator: ", "))\(paths.count > 5 ? ", …" : "")"
        }
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Returns the names of the models or of the databases in a folder.
    private static func names(of wanted: Wanted, in folder: String) -> [String] {
        let path = Arguments.url(folder).path
        if wanted == .model {
            return names(in: path).filter { modelKinds.contains(($0 as NSString).pathExtension.lowercased()) }
        }
        // This is enough for a hint; do not read every file of a large folder.
        return names(in: path).prefix(500).filter { name in
            let file = path + "/" + name
            return FileKind(path: file) == .file && isDatabase(URL(fileURLWithPath: file))
        }
    }

    /// Returns whether a file starts with SQLite's header. Only for regular files.
    static func isDatabase(_ url: URL) -> Bool {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
}
