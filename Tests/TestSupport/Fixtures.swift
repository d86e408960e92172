package import Foundation

/// The folder of stores that Apple's framework wrote: any tree of stores and models, in which nothing has an agreed name.
package enum Fixtures {
    /// The folder that `SWORM_FIXTURES` names, or the one beside the package; nil when there is none.
    package static let folder: URL? = {
        let path = ProcessInfo.processInfo.environment["SWORM_FIXTURES"] ?? beside("fixtures").path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return nil
        }
        return URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
    }()

    /// What a skipped test says.
    package static let missing = "there is no folder of fixtures here; SWORM_FIXTURES names one"

    /// Everything in the folder, by path from there, sorted.
    package static let paths: [String] = {
        guard let folder else { return [] }
        return ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }()

    /// Every SQLite database in the folder.
    package static let databases: [URL] = {
        guard let folder else { return [] }
        return paths.map { folder.appendingPathComponent($0) }.filter { url in
            guard let handle = try? FileHandle(forReadingFrom: url) else { return false }
            defer { try? handle.close() }
            return (try? handle.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
        }
    }()

    /// The path of something in the folder, for the name of a test.
    package static func relative(_ url: URL) -> String {
        folder.map { String(url.path.dropFirst($0.path.count + 1)) } ?? url.path
    }

    /// Copies a store with its log and its external data into a folder.
    ///
    /// - Returns: The copy, which has the store's own name.
    package static func copy(_ store: URL, to folder: URL) throws -> URL {
        let target = folder.appendingPathComponent(store.lastPathComponent)
        try FileManager.default.copyItem(at: store, to: target)
        if FileManager.default.fileExists(atPath: store.path + "-wal") {
            try FileManager.default.copyItem(atPath: store.path + "-wal", toPath: target.path + "-wal")
        }
        let support = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
        let data = store.deletingLastPathComponent().appendingPathComponent(support)
        if FileManager.default.fileExists(atPath: data.path) {
            try FileManager.default.copyItem(at: data, to: folder.appendingPathComponent(support))
        }
        return target
    }

    /// The file of predicates with the rows that they must find: the one that `SWORM_PREDICATE_CASES` names, or the one
    /// beside the package.
    package static let predicateCases: URL =
        ProcessInfo.processInfo.environment["SWORM_PREDICATE_CASES"].map { URL(fileURLWithPath: $0) }
        ?? beside("predicate-cases.json")

    private static func beside(_ name: String) -> URL {
        let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return package.deletingLastPathComponent().appendingPathComponent("shared/" + name)
    }
}
