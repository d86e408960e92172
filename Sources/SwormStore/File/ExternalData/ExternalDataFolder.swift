package import Foundation

/// The content of binary attributes that allow external storage. Short content is stored in the column, long content in
/// files.
///
/// In such a column, the first byte of every value is a marker: 1 is followed by the content itself, 2 by the name of a
/// file, which is a UUID, and a zero byte.
package struct ExternalDataFolder: Sendable {
    /// The largest number of bytes that are stored in the column.
    static let inlineLimit = 100_000
    static let inlineMarker: UInt8 = 1
    static let referenceMarker: UInt8 = 2
    private static let referenceLength = 38
    private static let mappedSize: Int64 = 1 << 30

    /// The path of the folder, or nil for a store that has no files and stores all content in the column.
    let path: String?
    /// The files that pass content from another store to this one, while a store is migrated object by object.
    private let lent: SharedExternalFiles?
    private let disk: StoreDisk
    var calls: any FileCalls { disk.calls }

    package init(path: String?, lent: SharedExternalFiles? = nil, disk: StoreDisk = .system) {
        self.path = path
        self.disk = disk
        self.lent = lent
    }

    /// The content or the file to which a column's bytes refer.
    package enum Content: Sendable, Hashable {
        case inline(Data)
        case file(UUID)
    }

    /// Parses the bytes of a column, without accessing a file.
    ///
    /// - Throws: ``CoreDataError`` for bytes that have neither form. A name that is not a UUID is rejected, so that no
    ///   stored value can refer to a file outside of the folder.
    static func content(of column: UnsafeRawBufferPointer) throws -> Content {
        switch column.first {
        case inlineMarker: return .inline(Data(column.dropFirst()))
        case referenceMarker:
            if let identifier = reference(in: column) { return .file(identifier) }
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "A value of external binary data names a file by an invalid UUID. The store is damaged."
            )
        case nil:
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "A value of external binary data is empty: its marker byte is missing. The store is damaged.")
        case let marker?:
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "A value of external binary data begins with the unknown marker \(marker). The known markers are 1 and 2."
            )
        }
    }

    /// Returns the file to which a column's bytes refer, or nil if they hold the content or are invalid.
    package static func reference(in column: UnsafeRawBufferPointer) -> UUID? {
        guard column.count == referenceLength, column[0] == referenceMarker, column[referenceLength - 1] == 0 else {
            return nil
        }
        return identifier(ofName: String(decoding: column[1..<(referenceLength - 1)], as: UTF8.self))
    }

    /// Returns the identifier for the name of a file, or nil if the name is not an identifier.
    static func identifier(ofName name: String) -> UUID? {
        // Core Data writes uppercase letters. Another spelling would identify another file, or the same file a second
        // time.
        UUID(uuidString: name).flatMap { $0.uuidString == name ? $0 : nil }
    }

    /// Returns the bytes of a column that holds the content.
    static func inlineColumn(_ data: Data) -> Data {
        var column = Data(capacity: data.count + 1)
        column.append(inlineMarker)
        column.append(data)
        return column
    }

    /// Returns the bytes of a column that refers to a file.
    package static func referenceColumn(_ identifier: UUID) -> Data {
        var column = Data(capacity: referenceLength)
        column.append(referenceMarker)
        column.append(contentsOf: identifier.uuidString.utf8)
        column.append(0)
        return column
    }

    /// Returns the content for a column's bytes, read from the file if they refer to one.
    func data(of column: UnsafeRawBufferPointer) throws -> Data {
        switch try Self.content(of: column) {
        case .inline(let data): return data
        case .file(let identifier):
            guard let file = file(identifier) else {
                throw CoreDataError(
                    CocoaError.Code.fileReadNoSuchFile.rawValue,
                    "A value names the external data file '\(identifier.uuidString)', but an in-memory store has no files."
                )
            }
            do {
                if let lent { return try lent.content(of: file) }
                // A link could refer to any file, and opening a pipe would block.
                guard let stamp = FileStamp(pathOfPlainFile: file) else {
                    throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file])
                }
                // A very large file, such as a sparse one, is mapped, so that only the parts that are accessed are
                // loaded.
                return try Data(
                    contentsOf: URL(fileURLWithPath: file), options: stamp.size > Self.mappedSize ? .alwaysMapped : [])
            } catch {
                throw Self.readingError(error, of: file)
            }
        }
    }

    private static func readingError(_ error: any Error, of file: String) -> CoreDataError {
        if let kind = FileKind(itself: file) {
            let reason = kind == .file ? "cannot be read" : "is \(kind.words), not a file"
            let code: CocoaError.Code = kind == .file ? .fileReadUnknown : .fileReadNoSuchFile
            return CoreDataError(code.rawValue, "The external data file '\(file)' \(reason).", cause: error)
        }
        let hasFolder = FileKind(path: (file as NSString).deletingLastPathComponent) != nil
        let reason =
            hasFolder
            ? "Another transaction may have replaced or removed the value since its row was read. Read the row again."
            : "Its folder is missing, too. Copy a store together with its hidden support folder."
        return CoreDataError(
            CocoaError.Code.fileReadNoSuchFile.rawValue, "The external data file '\(file)' is missing. \(reason)",
            cause: error)
    }

    /// Returns whether content is stored in a file instead of the column.
    func keepsInFile(_ content: Data) -> Bool { path != nil && content.count > Self.inlineLimit }

    /// Writes content into a new file and returns when it is on the disk.
    func write(_ data: Data) throws -> UUID? {
        guard let path else { return nil }
        let identifier = UUID()
        let file = (path as NSString).appendingPathComponent(identifier.uuidString)
        do {
            try calls.makeFolders(path)
            // If the content cannot be linked, for example on another disk, it is written like any other content.
            if try !links(file, to: data) { try calls.writeFile(data, to: file) }
            // A file whose name is not on the disk is lost as well.
            try calls.synchronize(path)
            return identifier
        } catch {
            calls.removeIfPresent(file)
            throw CoreDataError(
                (error as? CoreDataError)?.errorCode ?? CocoaError.Code.fileWriteUnknown.rawValue,
                "The external data file '\(file)' cannot be written: \(error.localizedDescription) Nothing was saved.",
                cause: error)
        }
    }

    /// Links the file to the file in which another store has the same content.
    private func links(_ file: String, to data: Data) throws -> Bool {
        guard let former = lent?.file(of: data) else { return false }
        do { try calls.link(former, to: file) } catch { return false }
        // The other store may have obtained the file by a copy, which may not be on the disk yet.
        try calls.synchronize(file)
        return true
    }

    /// Removes files. Files that do not exist or cannot be removed are skipped, because they only occupy disk space.
    func remove(_ identifiers: some Sequence<UUID>) {
        for case let file? in identifiers.map(file) { calls.removeIfPresent(file) }
    }

    package func file(_ identifier: UUID) -> String? {
        path.map { ($0 as NSString).appendingPathComponent(identifier.uuidString) }
    }
}
