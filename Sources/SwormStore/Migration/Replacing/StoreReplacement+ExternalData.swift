package import Foundation

extension StoreReplacement {
    /// Lets a copy find the files of external data that it names. Those of the store itself stay where they are.
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

    /// Moves files of external data that were made with the new store to those of the old one, which has none of their
    /// names.
    func moveExternalData(_ names: Set<UUID>, of made: StoreFiles) throws {
        let source = ExternalDataFolder(path: made.externalData)
        let target = ExternalDataFolder(path: files.externalData)
        // A value may name a file that is missing, as it did before.
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

    /// Gives a copy a folder of external data of its own. Its files lead to the same content as those of the store itself:
    /// they are never written again once they are there, and to remove one leaves the other.
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
            // Not every file system has links. Then the content takes room once more.
            if linksAreGood { try requireRoom(Self.externalSize(of: files)) }
            linksAreGood = false
            try files.calls.copyFile(from, to: to)
            try files.calls.synchronize(to)
        }
    }
}

extension StoreFiles {
    /// The place of the main file.
    package var url: URL { URL(fileURLWithPath: given) }

    /// The hidden folder that the external data is in.
    var supportFolder: String { (externalData as NSString).deletingLastPathComponent }
}
