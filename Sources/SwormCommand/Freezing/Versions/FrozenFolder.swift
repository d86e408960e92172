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
    /// - Throws: ``ToolError`` if there is no folder, or if it has no file of a frozen version.
    func versions() throws -> [String] {
        guard FileKind(path: url.path) == .folder else {
            throw ToolError(
                .file, "there is no folder '\(path)' with frozen versions",
                hint: "freeze a version first: sworm-tool freeze STORE|MODEL \(path)")
        }
        let names = try manifestedVersions()
        guard try !names.isEmpty || !strays().isEmpty else {
            throw ToolError(
                .file, "the folder '\(path)' has no frozen versions",
                hint: "freeze a version first: sworm-tool freeze STORE|MODEL \(path)")
        }
        return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }

    private func manifestedVersions() throws -> [String] {
        let suffix = FrozenNames.manifestSuffix
        return try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(suffix) && $0.count > suffix.count }.map { String($0.dropLast(suffix.count)) }
    }

    /// Returns the files of versions that have no manifest.
    ///
    /// A record with a store may be that of a release ledger, and a model on its own that of an application.
    func strays() throws -> [FrozenDrift] {
        let complete = Set(try manifestedVersions())
        var names: [String: [String]] = [:]
        var certain: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            guard let version = FrozenNames.version(ofEntry: name), !complete.contains(version.name) else { continue }
            names[version.name, default: []].append(name)
            if version.isCertain { certain.insert(version.name) }
        }
        let incomplete = names.filter { version, names in
            certain.contains(version)
                || names.count > 1 && names.contains { $0.hasSuffix(FrozenNames.modelSuffix) }
        }
        return incomplete.sorted { $0.key < $1.key }.flatMap { version, names in
            names.sorted().map { name in
                FrozenDrift(
                    version: version, file: name,
                    message: "belongs to no frozen version, because \(version)\(FrozenNames.manifestSuffix) is missing")
            }
        }
    }

    /// Throws an error if another version has Swift types of the same names, so that no module could have both.
    private func requireOwnTypes(_ names: FrozenNames) throws {
        guard FileKind(path: url.path) == .folder else { return }
        for version in try manifestedVersions().sorted() where version != names.version {
            guard let other = try? FrozenVersion(version, in: self).names else { continue }
            let shared = other.typeNames.intersection(names.typeNames).sorted()
            guard !shared.isEmpty else { continue }
            throw ToolError(
                .usage,
                "the versions '\(version)' and '\(names.version)' would both have Swift types with the name "
                    + shared.map { "'\($0)'" }.joined(separator: " and "),
                hint: "choose a name that differs in a letter from A to Z or in a digit: --name NAME")
        }
    }

    /// Writes a version, unless it is there already.
    ///
    /// - Parameters:
    ///   - source: The name of the model's version in the model file; nil for a store.
    ///   - replaces: Whether a version of the same name that differs is replaced.
    /// - Returns: The outcome, and warnings about the sample store.
    /// - Throws: ``ToolError`` with the code `fileExists` if there is a version of the name that differs, and with the
    ///   code `usage` if another version has Swift types of the same names.
    func write(
        _ parts: FrozenParts, source: String?, replaces: Bool
    ) throws -> (outcome: Outcome, warnings: [String]) {
        try FilePath.checkOutput(path, isFolder: true)
        try requireOwnTypes(parts.names)
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
