import Foundation
import SwormStore

/// A folder of frozen versions.
struct FrozenFolder {
    enum Outcome { case created, replaced, unchanged }

    /// The path as the user has written it.
    let path: String
    let url: URL

    init(_ path: String) throws {
        guard !path.isEmpty else {
            throw ToolError(.usage, "the path of the folder is empty", hint: "name a folder for the frozen versions")
        }
        self.path = path
        url = Arguments.url(path)
    }

    /// Returns the names of the frozen versions, in which numbers are compared as numbers.
    ///
    /// - Throws: ``ToolError`` if there is no folder, or none with frozen versions.
    func versions() throws -> [String] {
        guard FileKind(path: url.path) == .folder else {
            throw ToolError(
                .file, "there is no folder '\(path)' with frozen versions",
                hint: "freeze a version first: sworm-tool freeze STORE|MODEL \(path)")
        }
        let suffix = FrozenNames.manifestSuffix
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(suffix) && $0.count > suffix.count }.map { String($0.dropLast(suffix.count)) }
        guard !names.isEmpty else {
            throw ToolError(
                .file, "the folder '\(path)' has no frozen versions",
                hint: "freeze a version first: sworm-tool freeze STORE|MODEL \(path)")
        }
        return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }

    /// Writes a version, unless it is there already.
    ///
    /// - Parameters:
    ///   - source: The name of the model's version in the model file; nil for a store.
    ///   - replaces: Whether a version of the same name that differs is replaced.
    /// - Returns: The outcome, and warnings about the sample store.
    /// - Throws: ``ToolError`` with the code `fileExists` if there is a version of the name that differs.
    func write(
        _ parts: FrozenParts, source: String?, replaces: Bool
    ) throws -> (outcome: Outcome, warnings: [String]) {
        try FilePath.checkOutput(path, isFolder: true)
        let place = try UnfinishedVersion(beside: url)
        let warnings = try parts.write(into: place.new, source: source)
        let names = parts.names
        let present = names.entries.filter { FileKind(itself: file($0).path) != nil }
        let differing = present.isEmpty ? [] : differing(names, from: place.new)
        if !present.isEmpty, differing.isEmpty { return (.unchanged, warnings) }
        guard replaces || present.isEmpty else {
            throw ToolError(
                .fileExists,
                "'\(path)' already has a version '\(names.version)', which differs in \(differing.joined(separator: ", "))",
                hint:
                    "'--check' lists the differences; freeze a new version with --name NAME, or replace the old one with --force"
            )
        }
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try place.exchange(present, in: url, for: names.entries)
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError(.file, "'\(path)' cannot be written: \((error as NSError).localizedDescription)")
        }
        return (present.isEmpty ? .created : .replaced, warnings)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Returns the files that differ from the new ones.
    ///
    /// Another version of SQLite may write another file for the same rows, and the model determines the rows. So it is
    /// enough that there is a sample store with the digest that its manifest has.
    private func differing(_ names: FrozenNames, from new: URL) -> [String] {
        let manifest = try? FrozenManifest(contentsOf: file(names.manifest))
        let fresh = try? FrozenManifest(contentsOf: new.appendingPathComponent(names.manifest))
        return names.parts.filter { name in
            let digest = try? FrozenManifest.digest(of: file(name))
            return digest == nil || digest != (name == names.store ? manifest : fresh)?.files[name]
        }
    }
}
