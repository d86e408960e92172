package import Foundation

extension StoreReplacement {
    /// Makes the files of external data that a copy references available to it. Those of the store itself are not
    /// moved.
    func passOnExternalData(from base: StoreFiles, to next: StoreFiles) throws {
        guard base == files else {
            if FileKind(path: base.supportFolder) != nil {
                try files.calls.rename(base.supportFolder, to: next.supportFolder)
            }
            return
        }
        guard FileKind(path: base.supportFolder) != nil else { return }
        try files.calls.makeLink(
            next.supportFolder, to: URL(fileURLWithPath: base.supportFolder).standardizedFileURL.path)
    }

    /// Moves files of external data that were created with the new store into the folder of the old one, which has no
    /// files of these names.
    func moveExternalData(_ names: Set<UUID>, of made: StoreFiles) throws {
        let source = ExternalDataFolder(path: made.externalData)
        let target = ExternalDataFolder(path: files.externalData)
        // A value may name a missing file, as it could before.
        let names = names.filter { source.file($0).map { FileKind(itself: $0) == .file } ?? false }
        guard !names.isEmpty else { return }
        try files.calls.makeFolders(files.externalData)
        for name in names {
            guard let from = source.file(name), let to = target.file(name) else { continue }
            try files.calls.rename(from, to: to)
        }
        try files.calls.synchronize(files.externalData)
    }

    static func names(in folder: String) -> [UUID] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
            UUID(uuidString: name).flatMap { $0.uuidString == name ? $0 : nil }
        }
    }

    /// Gives a copy its own folder of external data. Its files are hard links to those of the store itself, which is
    /// safe because such files are never written again after their creation, and removing one link leaves the other.
    func ownExternalData(of copy: StoreFiles) throws {
        let type = try? FileManager.default.attributesOfItem(atPath: copy.supportFolder)[.type] as? FileAttributeType
        guard type == .typeSymbolicLink else { return }
        try files.calls.removeFile(copy.supportFolder)
        try files.calls.makeFolders(copy.externalData)
        let (source, target) = (
            ExternalDataFolder(path: files.externalData), ExternalDataFolder(path: copy.externalData)
        )
        var linksAreGood = true
        for name in Self.names(in: files.externalData) {
            guard let from = source.file(name), let to = target.file(name), FileKind(itself: from) == .file else {
                continue
            }
            if linksAreGood, (try? files.calls.link(from, to: to)) != nil { continue }
            // Not every file system supports hard links. Without them the content needs disk space a second time.
            if linksAreGood { try requireRoom(Self.externalSize(of: files)) }
            linksAreGood = false
            try files.calls.copyFile(from, to: to)
            try files.calls.synchronize(to)
        }
    }
}

extension StoreFiles {
    /// The URL of the main file.
    package var url: URL { URL(fileURLWithPath: given) }

    /// The hidden folder that contains the external data.
    var supportFolder: String { (externalData as NSString).deletingLastPathComponent }
}
