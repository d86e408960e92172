import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormRows

@Suite("Pipes, links, folders and sparse files instead of a store's files")
struct OtherFileKindsTests {
    enum Kind: String, CaseIterable {
        case pipe, link, folder

        var words: String { "a \(rawValue)" }

        func make(at path: String) throws {
            switch self {
            case .pipe: try #require(mkfifo(path, 0o600) == 0)
            case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        }
    }

    /// A closed store whose one book has a cover in a file.
    private func made() throws -> (StoreFolder, file: String) {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(
            LibraryModel.book, ["title": .string("War"), "cover": .data(Data(repeating: 7, count: 200_000))])
        store.close()
        return (folder, folder.externalPath + "/" + (try #require(folder.externalFiles.first)))
    }

    @Test(arguments: Kind.allCases, ["-wal", "-journal", "-shm"])
    func `next to the store they are an error that names them`(kind: Kind, suffix: String) throws {
        let (folder, _) = try made()
        let path = folder.url().path + suffix
        try kind.make(at: path)
        for isReadOnly in [true, false] {
            let error = try #require(throws: CoreDataError.self) { try folder.open { $0.isReadOnly = isReadOnly } }
            #expect(error.message.contains(path) && error.message.contains(kind.words), "\(error.message)")
        }
        #expect(throws: CoreDataError.self) { _ = try StoreInspector(url: folder.url()) }
        #expect(throws: CoreDataError.self) { _ = try SQLiteStore.metadata(of: folder.url()) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        #expect(
            coreDataError { try coordinator.destroyPersistentStore(at: folder.url(), ofType: NSSQLiteStoreType) } != nil
        )
        #expect(FileKind(itself: path)?.words == kind.words)
    }

    @Test(arguments: Kind.allCases)
    func `instead of external data they are found, not copied, and not waited for`(kind: Kind) throws {
        let (folder, file) = try made()
        try FileManager.default.removeItem(atPath: file)
        try kind.make(at: file)
        let issues = try StoreVerification.findings(of: folder.url(), model: LibraryModel.model)
        #expect(issues.map(\.kind) == [.externalMissing])
        #expect(issues.first?.message.contains(kind.words) == true, "\(issues)")
        let store = try folder.open()
        let (rows, shape) = try store.rows(LibraryModel.book)
        let book = store.model[LibraryModel.book]
        let slot = try #require(book.attributes.firstIndex { $0.name == "cover" })
        let error = coreDataError {
            try store.reading { session in
                _ = try rows.value(
                    row: 0, cell: shape.cell(ofAttribute: slot, in: book.number), of: book.attributes[slot], in: book,
                    session: session)
            }
        }
        #expect(error?.message.contains(kind.words) == true, "\(String(describing: error?.message))")
        store.close()
        let copy = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        try coordinator.replacePersistentStore(
            at: copy.url(), withPersistentStoreFrom: folder.url(), ofType: NSSQLiteStoreType)
        #expect(copy.externalFiles.isEmpty)
        #expect(try copy.raw().lines("SELECT count(*) FROM ZBOOK") == ["1"])
    }

    @Test func `a sparse file is copied with its holes`() throws {
        let (folder, file) = try made()
        // 40 GB, of which the disk holds three pieces.
        try #require(truncate(file, 40 << 30) == 0)
        let handle = try #require(FileHandle(forWritingAtPath: file))
        for place in [UInt64(1 << 30), 39 << 30] {
            try handle.seek(toOffset: place)
            try handle.write(contentsOf: Data("here".utf8))
        }
        try handle.close()
        #expect(try StoreVerification.findings(of: folder.url(), model: LibraryModel.model).isEmpty)
        let copy = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        try coordinator.replacePersistentStore(
            at: copy.url(), withPersistentStoreFrom: folder.url(), ofType: NSSQLiteStoreType)
        let copied = copy.externalPath + "/" + (file as NSString).lastPathComponent
        var information = stat()
        try #require(stat(copied, &information) == 0)
        #expect(information.st_size == 40 << 30 && Int(information.st_blocks) * 512 < 1 << 24)
        let reading = try #require(FileHandle(forReadingAtPath: copied))
        defer { try? reading.close() }
        for (place, text) in [(UInt64(0), "\u{7}\u{7}\u{7}\u{7}"), (1 << 30, "here"), (39 << 30, "here")] {
            try reading.seek(toOffset: place)
            #expect(try reading.read(upToCount: 4) == Data(text.utf8))
        }
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a sparse log causes no wait`(suffix: String) throws {
        let (folder, _) = try made()
        try Data(count: 4096).write(to: URL(fileURLWithPath: folder.url().path + suffix))
        try #require(truncate(folder.url().path + suffix, 40 << 30) == 0)
        let look = try StoreInspector(url: folder.url())
        #expect(try look.integer("SELECT count(*) FROM ZBOOK") == 1)
        let store = try folder.open()
        #expect(try store.rows(LibraryModel.book).0.count == 1)
        store.close()
    }
}
