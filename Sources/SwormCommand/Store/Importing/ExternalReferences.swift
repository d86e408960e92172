import Foundation
import SwormStore

/// The external files that the rows of a store name, determined without a model.
enum ExternalReferences {
    /// Returns the names that do not identify a regular file in a folder.
    static func missing(_ names: Set<UUID>, in folder: String) -> [UUID] {
        let folder = ExternalDataFolder(path: folder)
        return names.filter { folder.file($0).map { FileKind(itself: $0) != .file } ?? false }
            .sorted { $0.uuidString < $1.uuidString }
    }

    /// Returns the text of a warning, or nil if no file is missing.
    static func warning(_ missing: [UUID]) -> String? {
        guard let first = missing.first else { return nil }
        let rest = missing.count == 1 ? "" : " and \(missing.count - 1) more"
        return "the external data file \(first.uuidString)\(rest), which rows refer to, is missing"
    }

    static func warn(of missing: [UUID], in store: String, _ console: Console) {
        if let words = warning(missing) { console.warn("\(words) in '\(store)', and in the copy") }
    }

    /// Returns the files that values of any table name, including those of a mirroring to CloudKit.
    ///
    /// A value that looks like a reference but is not one only causes an unused file to be kept.
    static func all(in store: URL) throws -> Set<UUID> { try StoreInspector(url: store).namedExternalFiles() }
}
