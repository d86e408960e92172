import Foundation
import Sworm
import SwormTools

/// What migrations take: time, memory and room, each way in a process of its own.
struct Migrations {
    let options: Options

    private static let blobs = 100
    private static let blobSize = 10_000_000

    // MARK: In the parent

    func print() throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        line("store", "way", "seconds", "MB memory", "MB store", "MB room", "MB after")
        Swift.print(String(repeating: "-", count: 106))
        let rows = options.rows
        let tables = folder.appending(path: "tables")
        _ = try Self.makeStore(rows: rows, padding: options.padding, in: tables)
        for way in MigrationWay.allCases { try measure(way, "\(rows) rows", of: tables, in: folder) }
        try FileManager.default.removeItem(at: tables)
        let files = folder.appending(path: "files")
        let count = options.isQuick ? Self.blobs / 10 : Self.blobs
        try Self.makeBlobs(count, of: Self.blobSize, in: Self.makeStore(in: files))
        for way in MigrationWay.allCases {
            try measure(way, "\(count) files of \(Self.blobSize / 1_000_000) MB", of: files, in: folder)
        }
    }

    private func measure(_ way: MigrationWay, _ store: String, of original: URL, in folder: URL) throws {
        guard options.includes(way.rawValue) else { return }
        let place = folder.appending(path: "work")
        try FileManager.default.copyItem(at: original, to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let before = try DiskUse(place)
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = ["--migration-probe", way.rawValue, place.path]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        var room = 0
        while child.isRunning {
            Thread.sleep(forTimeInterval: 0.02)
            // A file may go between its name and its size.
            room = max(room, ((try? DiskUse(place))?.bytes ?? 0) - before.bytes)
        }
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard child.terminationStatus == 0, words.count == 2 else { throw Failure("\(way.rawValue): \(text)") }
        let after = try DiskUse(place)
        guard before.largeFiles == after.largeFiles else {
            throw Failure("\(way.rawValue): files of external data were written anew.")
        }
        line(
            store, way.title, "\(words[0])", "\(words[1])", megabytes(before.bytes), megabytes(room),
            megabytes(after.bytes))
    }

    private func megabytes(_ bytes: Int) -> String { String(format: "%.0f", Double(bytes) / 1_000_000) }

    private func line(_ columns: String...) {
        let widths = [22, 38, 9, 10, 9, 9, 9]
        let cells = zip(columns, widths).enumerated().map { index, column in
            let padding = String(repeating: " ", count: max(0, column.1 - column.0.count))
            return index < 2 ? column.0 + padding : padding + column.0
        }
        Swift.print(cells.joined(separator: " "))
        fflush(nil)
    }

    // MARK: In the child

    /// Migrates a store, and prints the seconds and the megabytes by which the peak of the memory grew.
    static func probe(_ name: String, _ path: String) throws {
        guard let way = MigrationWay(rawValue: name) else { throw Failure("There is no way \(name).") }
        let url = URL(fileURLWithPath: path).appending(path: "store.sqlite")
        let plan = way.plan
        guard try plan.versionName(ofStoreAt: url) == "1" else { throw Failure("This is no store to migrate.") }
        let rows = try countRows(url)
        let growth = try Memory.peakGrowth {
            let start = ContinuousClock.now
            let versions = try plan.migrate(storeAt: url)
            guard versions == ["1", "2"] else { throw Failure("The store went through \(versions).") }
            return ContinuousClock.now - start
        }
        guard try plan.versionName(ofStoreAt: url) == "2", try countRows(url) == rows else {
            throw Failure("Rows were lost.")
        }
        let seconds = Double(growth.result.components.seconds) + Double(growth.result.components.attoseconds) / 1e18
        Swift.print(String(format: "%.2f %.1f", seconds, growth.megabytes))
    }

    static func run(_ name: String, _ path: String) throws {
        guard let way = MigrationWay(rawValue: name) else { throw Failure("There is no way \(name).") }
        try way.plan.migrate(storeAt: URL(fileURLWithPath: path).appending(path: "store.sqlite"))
    }

    private static func countRows(_ url: URL) throws -> [Int64] {
        let store = try RawStore(url)
        var counts: [Int64] = []
        for table in ["ZSONG", "ZGENRE", "ZPHOTO"] {
            try store.forEachRow(store.statement("SELECT count(*) FROM \(table)")) {
                counts.append(RawStore.number($0, 0))
            }
        }
        return counts
    }

    // MARK: Stores

    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sworm-migrations-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func makeStore(in folder: URL) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "store.sqlite")
        _ = try PersistentContainer(migrating: MigrationPlan([.first]), at: .file(url))
        return url
    }

    /// A store with so many songs, in a thousand genres.
    static func makeStore(rows: Int, padding: Int, in folder: URL) throws -> URL {
        let url = try makeStore(in: folder)
        let store = try RawStore(url)
        let genres = min(1000, rows)
        try store.run(
            """
            BEGIN IMMEDIATE;
            \(numbers(genres)) INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT, ZNAME)
            SELECT i, \(entity("Genre")), 1, 'Genre number ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(genres) WHERE Z_NAME = 'Genre';
            COMMIT
            """)
        try addSongs(rows, after: 0, padding: padding, to: store)
        try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return url
    }

    /// Adds songs with texts of about 30 bytes, one of them longer by the padding.
    static func addSongs(_ count: Int, after key: Int, padding: Int, to store: RawStore) throws {
        try store.run(
            """
            BEGIN IMMEDIATE;
            \(numbers(count)) INSERT INTO ZSONG (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZPLAYS, ZISLOVED, ZRATING, ZCREATED,
            ZTITLE, ZARTIST, ZALBUM, ZIDENTIFIER, ZNOTE, ZGENRE)
            SELECT \(key) + i, \(entity("Song")), 1, (\(key) + i) * 3, abs(random() % 1000000), i % 2, i / 7.0,
            700000000.25 + i, 'Title ' || i || ' ' || hex(randomblob(8)), 'Artist ' || (i * 7919 % 50000) || ' of the band',
            'Album ' || (i * 104729 % 100000) || ' of the year' || hex(zeroblob(\(padding / 2))), randomblob(16),
            CASE WHEN i % 2 THEN 'A note on the song ' || i END, i * 7919 % (SELECT count(*) FROM ZGENRE) + 1 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(key + count) WHERE Z_NAME = 'Song';
            COMMIT
            """)
    }

    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    private static func entity(_ name: String) -> String {
        "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)')"
    }

    static func makeBlobs(_ count: Int, of size: Int, in url: URL) throws {
        let container = try PersistentContainer(migrating: MigrationPlan([.first]), at: .file(url))
        for number in 0..<count {
            let content = Data(repeating: UInt8(truncatingIfNeeded: number), count: size)
            try container.perform { context in
                _ = try context.insert(TracksV1.Photo(name: "number \(number)", content: content))
            }
        }
    }
}

/// What a folder takes on the disk.
struct DiskUse {
    private(set) var bytes = 0
    /// The inode numbers of the large files that are not stores. A file that was rewritten has another one.
    private(set) var largeFiles: Set<Int> = []
    /// The number of names that they have.
    private(set) var largeFileNames = 0

    init(_ folder: URL) throws {
        var known: Set<Int> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            if name.hasPrefix(".store_SUPPORT/") { largeFileNames += 1 }
            guard
                let node = (attributes[.systemFileNumber] as? NSNumber)?.intValue, known.insert(node).inserted,
                let size = (attributes[.size] as? NSNumber)?.intValue
            else { continue }
            bytes += size
            if name.contains("_EXTERNAL_DATA/") { largeFiles.insert(node) }
        }
    }
}
