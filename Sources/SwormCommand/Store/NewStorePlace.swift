import Foundation
import OpenCoreData

/// Where a store is made that appears under its name only when it is whole.
final class NewStorePlace {
    let target: URL
    /// The file to write to.
    let url: URL
    private let folder: String
    private let replaces: Bool

    /// Makes a folder beside the target.
    ///
    /// - Throws: ``ToolError`` where there is a file of that name already, unless it is to be replaced.
    init(_ path: String, replaces: Bool) throws {
        target = Arguments.url(path)
        self.replaces = replaces
        if FileManager.default.fileExists(atPath: target.path), !replaces {
            throw ToolError(
                .fileExists, "there is a file '\(path)' already", hint: "choose another name, or replace it: --force")
        }
        let parent = target.deletingLastPathComponent().path
        folder = parent + "/.sworm-\(UUID().uuidString)"
        url = URL(fileURLWithPath: folder + "/" + target.lastPathComponent)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        } catch {
            throw ToolError(
                .file, "'\(parent)' cannot be written: \((error as NSError).localizedDescription)",
                hint: "the folder must exist and permit writing")
        }
    }

    /// What is not finished leaves nothing behind.
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Moves the store to where it belongs, and what was there out of the way.
    func finish() throws {
        let manager = FileManager.default
        let (new, old) = (StoreFiles(url: url), StoreFiles(url: target))
        do {
            if replaces {
                // A log of the old store must never meet the new file.
                for path in [old.writeAheadLog, old.sharedMemory, old.rollbackJournal, old.main, Self.support(old)]
                where manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
            }
            if manager.fileExists(atPath: Self.support(new)) {
                try manager.moveItem(atPath: Self.support(new), toPath: Self.support(old))
            }
            try manager.moveItem(atPath: new.main, toPath: old.main)
        } catch {
            throw ToolError(
                .file, "'\(target.path)' cannot be put in place: \((error as NSError).localizedDescription)")
        }
    }

    private static func support(_ files: StoreFiles) -> String {
        (files.externalData as NSString).deletingLastPathComponent
    }
}
