package import Foundation

/// The content of binary attributes that allow external storage: short ones in the column, long ones in files.
///
/// In such a column the first byte of every value is a marker: 1 is followed by the content itself, 2 by the name of a
/// file, a UUID, and a zero byte.
package struct ExternalDataFolder: Sendable {
    /// Content of at most so many bytes is kept in the column.
    package static let inlineLimit = 100_000
    package static let inlineMarker: UInt8 = 1
    package static let referenceMarker: UInt8 = 2
    private static let referenceLength = 38
    private static let mappedSize: Int64 = 1 << 30

    /// The folder; nil for a store that has no files and keeps everything in the column.
    package let path: String?
    /// What hands content on between this store and another, while one is migrated object by object.
    private let lent: LentFiles?
    private let disk: StoreDisk
    var calls: any FileCalls { disk.calls }

    package init(path: String?, lent: LentFiles? = nil, disk: StoreDisk = .system) {
        self.path = path
        self.disk = disk
        self.lent = lent
    }

    /// What a column's bytes say.
    package enum Content: Sendable, Hashable {
        case inline(Data)
        case file(UUID)
    }

    /// Reads what a column's bytes say, without touching a file.
    ///
    /// - Throws: ``CoreDataError`` for bytes that are neither form. A name that is no UUID is refused, so that no stored
    ///   value can lead out of the folder.
    package static func content(of column: UnsafeRawBufferPointer) throws -> Content {
        switch column.first {
        case inlineMarker: return .inline(Data(column.dropFirst()))
        case referenceMarker:
            if let identifier = reference(in: column) { return .file(identifier) }
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "A value of external binary data names a file in a form that is not a UUID. The store is damaged there."
            )
        case nil:
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "A value of external binary data is empty, so its marker byte is missing. The store is damaged there.")
        case let marker?:
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "A value of external binary data begins with the unknown marker \(marker); 1 and 2 are known.")
        }
    }

    /// The file that a column's bytes name, or nil where they hold the content or nothing sensible.
    package static func reference(in column: UnsafeRawBufferPointer) -> UUID? {
        guard column.count == referenceLength, column[0] == referenceMarker, column[referenceLength - 1] == 0 else {
            return nil
        }
        return identifier(ofName: String(decoding: column[1..<(referenceLength - 1)], as: UTF8.self))
    }

    /// The identifier that a file's name is, or nil for any other name.
    static func identifier(ofName name: String) -> UUID? {
        // Core Data writes capitals. Another spelling would name another file, or the same one a second time.
        UUID(uuidString: name).flatMap { $0.uuidString == name ? $0 : nil }
    }

    /// The bytes of a column that holds the content.
    package static func inlineColumn(_ data: Data) -> Data {
        var column = Data(capacity: data.count + 1)
        column.append(inlineMarker)
        column.append(data)
        return column
    }

    /// The bytes of a column that names a file.
    package static func referenceColumn(_ identifier: UUID) -> Data {
        var column = Data(capacity: referenceLength)
        column.append(referenceMarker)
        column.append(contentsOf: identifier.uuidString.utf8)
        column.append(0)
        return column
    }

    /// The content that a column's bytes stand for, read from its file where it has one.
    package func data(of column: UnsafeRawBufferPointer) throws -> Data {
        switch try Self.content(of: column) {
        case .inline(let data): return data
        case .file(let identifier):
            guard let file = file(identifier) else {
                throw CoreDataError(
                    CocoaError.Code.fileReadNoSuchFile.rawValue,
                    "A value names the external file \(identifier.uuidString), and a store in memory has no files.")
            }
            do {
                if let lent { return try lent.content(of: file) }
                // A link could lead anywhere, and a pipe would be waited for.
                guard let stamp = FileStamp(pathOfPlainFile: file) else {
                    throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file])
                }
                // Of a very large file, as a sparse one can be, only what somebody looks at is loaded.
                return try Data(
                    contentsOf: URL(fileURLWithPath: file), options: stamp.size > Self.mappedSize ? .alwaysMapped : [])
            } catch {
                throw Self.readingError(error, file)
            }
        }
    }

    private static func readingError(_ error: any Error, _ file: String) -> CoreDataError {
        if let kind = FileKind(itself: file) {
            let reason = kind == .file ? "cannot be read" : "is \(kind.words), not a file"
            let code: CocoaError.Code = kind == .file ? .fileReadUnknown : .fileReadNoSuchFile
            return CoreDataError(code.rawValue, "The external data file “\(file)” \(reason).", cause: error)
        }
        let hasFolder = FileKind(path: (file as NSString).deletingLastPathComponent) != nil
        let reason =
            hasFolder
            ? "If another transaction has replaced or removed the value since its row was read, read the row again."
            : "The folder that it belongs to is missing, too: a store must be copied together with its hidden support folder."
        return CoreDataError(
            CocoaError.Code.fileReadNoSuchFile.rawValue, "The external data file “\(file)” is missing. \(reason)",
            cause: error)
    }

    /// Whether content goes into a file instead of the column.
    func keepsInFile(_ content: Data) -> Bool { path != nil && content.count > Self.inlineLimit }

    /// Writes content into a new file and returns when it is on the disk.
    package func write(_ data: Data) throws -> UUID? {
        guard let path else { return nil }
        let identifier = UUID()
        let file = (path as NSString).appendingPathComponent(identifier.uuidString)
        do {
            try calls.makeFolders(path)
            // Where that cannot be, as on another disk, the content is written like any other.
            if try !links(file, to: data) { try calls.writeFile(data, to: file) }
            // A file without its name is lost as well.
            try calls.synchronize(path)
            return identifier
        } catch {
            calls.removeIfPresent(file)
            throw CoreDataError(
                (error as? CoreDataError)?.errorCode ?? CocoaError.Code.fileWriteUnknown.rawValue,
                "The external data file “\(file)” cannot be written: \(error.localizedDescription) Nothing was saved.",
                cause: error)
        }
    }

    /// Makes content that another store has in a file a second name of that file.
    private func links(_ file: String, to data: Data) throws -> Bool {
        guard let former = lent?.file(of: data) else { return false }
        do { try calls.link(former, to: file) } catch { return false }
        // It may have come into the other store by a copy.
        try calls.synchronize(file)
        return true
    }

    /// Removes files. One that is not there, or cannot be removed, is passed over: it only takes room.
    package func remove(_ identifiers: some Sequence<UUID>) {
        for case let file? in identifiers.map(file) { calls.removeIfPresent(file) }
    }

    package func file(_ identifier: UUID) -> String? {
        path.map { ($0 as NSString).appendingPathComponent(identifier.uuidString) }
    }
}
