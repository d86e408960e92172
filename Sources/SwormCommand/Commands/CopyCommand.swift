import Foundation
import OpenCoreData
import SwormSQLite
import SwormStore

/// `sworm-tool copy`: copies a store with all its files, even while another process writes to it.
enum CopyCommand {
    private static let attempts = 5

    static let command = Command(
        CommandSpec(
            "copy",
            summary: "Copies a store with its log and its external data, even while another process writes to it.",
            discussion: [
                "The copy is a consistent snapshot of the store, in one file without a log. It appears under its name only "
                    + "when it is complete.",
                "The copy of a store that is mirrored to CloudKit is mirrored too: an app that opens it uploads and downloads "
                    + "as if it were the original. A mirrored store is never replaced.",
                "Either side can also be the address of a store on a PostgreSQL server: "
                    + "postgres://user@host/database?schema=name. Objects then keep their keys, their versions and the order of "
                    + "their relationships, and the store keeps its identifier; a history is not copied. The copy is one state "
                    + "of the store, and is written in one transaction. A server rounds dates to the microsecond, which is said.",
            ],
            operands: [
                OperandSpec("STORE", summary: "The store file, or the address of a store on a server."),
                OperandSpec("TO", summary: "The file of the copy, or the address of the new store on a server."),
            ],
            options: [
                OptionSpec("force", summary: "Replaces an existing store."),
                OptionSpec(
                    "model", value: "PATH",
                    summary:
                        "The model that the store was written with, for copies to and from a server. The default is the copy in "
                        + "the store."),
                OptionSpec("exact-dates", summary: "Stores dates on a server as doubles, with all their digits."),
            ],
            examples: [
                "sworm-tool copy Library.sqlite Backup.sqlite",
                "sworm-tool copy Library.sqlite 'postgres://db.example/shop?schema=library'",
            ])
    ) { arguments, console in
        if arguments.operands.contains(where: ServerOperand.isAddress) {
            #if PostgreSQL
            try ServerCopy(arguments: arguments, console: console).run()
            return .ok
            #else
            throw ServerOperand.unavailable
            #endif
        }
        for option in ["model", "exact-dates"] where arguments.has(option) || arguments.value(option) != nil {
            throw ToolError(
                .usage, "the option '--\(option)' is for copies to and from a server", hint: "omit --\(option)")
        }
        let source = try FilePath.store(arguments.operands[0])
        // Check the source first, so that nothing is replaced by a file that is not a store.
        let isMirrored = try StoreInspector(url: source).mirroringTable != nil
        if StoreFiles(url: source).main == StoreFiles(url: Arguments.url(arguments.operands[1])).main {
            throw ToolError(.fileExists, "a store cannot be copied onto itself", hint: "choose another name")
        }
        let progress = Progress(console, label: "pages")
        for attempt in 1...attempts {
            let place = try NewStoreLocation(arguments.operands[1], replaces: arguments.has("force"))
            let missing = try copy(source, to: place.url, progress: progress)
            guard missing.isEmpty || attempt == attempts else { continue }
            progress.end()
            try place.finish()
            ExternalReferences.warn(of: missing, in: arguments.operands[0], console)
            let files = StoreFiles(url: place.target)
            console.line(
                "copied \(ByteCountText.text(FileStamp(path: files.main)?.size ?? 0)) to \(place.target.path)")
            if isMirrored {
                console.warn(
                    "the copy is mirrored to CloudKit like its original: an app that opens it mirrors as if it were the original"
                )
            }
            break
        }
        return .ok
    }

    /// Copies the rows and the files that they name.
    ///
    /// - Returns: The files that are missing. If their objects were deleted in the meantime, another attempt does not
    ///   need them.
    private static func copy(_ source: URL, to target: URL, progress: Progress) throws -> [UUID] {
        let look = try StoreInspector(url: source)
        let (old, new) = (look.files, StoreFiles(url: target))
        // External files are never changed, only created and removed. The files that exist before the rows are copied,
        // and those that exist afterwards, are all the files that the rows can name.
        try copyFiles(from: old.externalData, to: new.externalData)
        try copyRows(from: look, to: new.main, progress: progress)
        try copyFiles(from: old.externalData, to: new.externalData)
        let copy = try StoreInspector(url: target)
        let named = try copy.namedExternalFiles()
        guard FileManager.default.fileExists(atPath: new.externalData) else { return Array(named) }
        // The form in which a mirroring names its files is not established, so the copy of a mirrored store has all of
        // them.
        guard copy.mirroringTable == nil else { return ExternalReferences.missing(named, in: new.externalData) }
        for name in try FileManager.default.contentsOfDirectory(atPath: new.externalData) {
            guard let identifier = UUID(uuidString: name), !named.contains(identifier) else { continue }
            try FileManager.default.removeItem(atPath: new.externalData + "/" + name)
        }
        return ExternalReferences.missing(named, in: new.externalData)
    }

    private static func copyRows(from look: StoreInspector, to path: String, progress: Progress) throws {
        let connection = look.connection
        // Use one snapshot for all steps, so that concurrent writes do not restart the copy.
        try connection.begin(.deferred)
        defer { try? connection.rollback() }
        _ = try look.integer("SELECT count(*) FROM Z_METADATA")
        let copy = try Connection(.file(path: path), options: .init(access: .readWriteCreate))
        try connection.backup(to: copy, pagesPerStep: 1024) { remaining, total in
            progress.update(total - remaining, of: total)
        }
        guard look.isCurrent else {
            throw ToolError(
                .file, "the store was changed while it was being copied",
                hint: "try again when no other process writes to it")
        }
    }

    private static func copyFiles(from old: String, to new: String) throws {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: old) else { return }
        try manager.createDirectory(atPath: new, withIntermediateDirectories: true)
        for name in names where !manager.fileExists(atPath: new + "/" + name) {
            // Opening a pipe would block, and a relative link would have another target in another folder.
            guard FileKind(itself: old + "/" + name) == .file else { continue }
            do {
                try SystemFileCalls().copyFile(old + "/" + name, to: new + "/" + name)
            } catch {
                // The file was removed before it could be copied. Whether it is required is checked later.
                guard manager.fileExists(atPath: old + "/" + name) else { continue }
                throw ToolError(
                    .file,
                    "the external data file '\(name)' cannot be copied: \((error as NSError).localizedDescription)"
                )
            }
        }
    }
}
