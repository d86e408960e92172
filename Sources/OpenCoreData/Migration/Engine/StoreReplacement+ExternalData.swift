import Foundation

extension StoreReplacement {
    /// Lets a copy find the files of external data that it names. Those of the store itself stay where they are.
    func passOnExternalData(from base: StoreFiles, to next: StoreFiles) throws {
        let manager = FileManager.default
        guard base == files else {
            if FileKind(path: base.supportFolder) != nil {
                try manager.moveItem(atPath: base.supportFolder, toPath: next.supportFolder)
            }
            return
        }
        guard FileKind(path: base.supportFolder) != nil else { return }
        try manager.createSymbolicLink(
            atPath: next.supportFolder,
            withDestinationPath: URL(fileURLWithPath: base.supportFolder).standardizedFileURL.path)
    }

    /// Moves files of external data that were made with the new store to those of the old one, which has none of their
    /// names.
    func moveExternalData(_ names: Set<UUID>, of made: StoreFiles) throws {
        let source = ExternalDataFolder(path: made.externalData)
        let target = ExternalDataFolder(path: files.externalData)
        // A value may name a file that is missing, as it did before.
        let names = names.filter { source.file($0).map { FileKind(path: $0) == .file } ?? false }
        guard !names.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: files.externalData, withIntermediateDirectories: true)
        for name in names {
            guard let from = source.file(name), let to = target.file(name) else { continue }
            guard rename(from, to) == 0 else { throw StoreFiles.systemError("moved", from) }
        }
        try StoreFiles.synchronize(files.externalData)
    }

    static func names(in folder: String) -> [UUID] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
            UUID(uuidString: name).flatMap { $0.uuidString == name ? $0 : nil }
        }
    }

    /// Gives a copy a folder of external data of its own. Its files lead to the same content as those of the store itself:
    /// they are never written again once they are there, and to remove one leaves the other.
    func ownExternalData(of copy: StoreFiles) throws {
        let manager = FileManager.default
        let type = try? manager.attributesOfItem(atPath: copy.supportFolder)[.type] as? FileAttributeType
        guard type == .typeSymbolicLink else { return }
        try manager.removeItem(atPath: copy.supportFolder)
        try manager.createDirectory(atPath: copy.externalData, withIntermediateDirectories: true)
        let (source, target) = (
            ExternalDataFolder(path: files.externalData), ExternalDataFolder(path: copy.externalData)
        )
        var linksAreGood = true
        for name in Self.names(in: files.externalData) {
            guard let from = source.file(name), let to = target.file(name) else { continue }
            if linksAreGood, link(from, to) == 0 { continue }
            // Not every file system has links. Then the content takes room once more.
            if linksAreGood { try requireRoom(Self.externalSize(of: files)) }
            linksAreGood = false
            try manager.copyItem(atPath: from, toPath: to)
        }
    }
}

extension StoreFiles {
    /// The place of the main file.
    var url: URL { URL(fileURLWithPath: given) }

    /// The hidden folder that the external data is in.
    var supportFolder: String { (externalData as NSString).deletingLastPathComponent }
}
