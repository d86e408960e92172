import Foundation
import SwormStore

/// A temporary folder for the files of a version, which appear under their names only when all of them are written.
final class UnfinishedVersion {
    /// The folder for the new files.
    let new: URL
    private let old: URL
    private let place: URL
    /// Whether the folder still has old files, because they could not be moved back.
    private var keepsFolder = false

    /// Creates a folder beside another one.
    ///
    /// - Throws: ``ToolError`` if the folder that contains both cannot be written.
    init(beside folder: URL) throws {
        let parent = folder.deletingLastPathComponent()
        place = parent.appendingPathComponent(".sworm-\(UUID().uuidString)", isDirectory: true)
        new = place.appendingPathComponent("new", isDirectory: true)
        old = place.appendingPathComponent("old", isDirectory: true)
        do {
            for item in [place, new, old] {
                try FileManager.default.createDirectory(at: item, withIntermediateDirectories: false)
                if item == place { UnfinishedFolders.add(place.path) }
            }
        } catch {
            let words = (error as NSError).localizedDescription
            throw ToolError(.file, "'\(parent.path)' cannot be written: \(words)")
        }
    }

    deinit {
        UnfinishedFolders.remove(place.path)
        if !keepsFolder { try? FileManager.default.removeItem(at: place) }
    }

    /// Moves old entries of a folder aside, and the new ones to their names. If this fails, everything is moved back.
    func exchange(_ present: [String], in folder: URL, for names: [String]) throws {
        // From here on, the folder may contain the old files.
        guard UnfinishedFolders.remove(place.path), FileKind(itself: place.path) != nil else {
            throw ToolError(.file, "'\(folder.path)' was not changed: the run was interrupted", hint: "run it again")
        }
        var moved: [(from: URL, to: URL)] = []
        func move(_ from: URL, to: URL) throws {
            try FileManager.default.moveItem(at: from, to: to)
            moved.append((from, to))
        }
        do {
            for name in present { try move(folder.appendingPathComponent(name), to: old.appendingPathComponent(name)) }
            for name in names { try move(new.appendingPathComponent(name), to: folder.appendingPathComponent(name)) }
        } catch {
            for (from, to) in moved.reversed() {
                do { try FileManager.default.moveItem(at: to, to: from) } catch { keepsFolder = true }
            }
            let words = (error as NSError).localizedDescription
            throw ToolError(
                .file, "'\(folder.path)' cannot be written: \(words)",
                hint: keepsFolder ? "the previous files are in '\(place.path)'" : nil)
        }
    }
}
