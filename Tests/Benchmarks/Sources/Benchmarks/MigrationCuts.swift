import Foundation
import Sworm
import SwormTools

/// Cuts migrations off at many moments, and checks that either the old store or the new one exists, with every row.
struct MigrationCuts {
    let options: Options
    let kills: Int

    private static let ways = [MigrationWay.inPlace, .byCopy, .closures]

    /// How many of what came about.
    private struct Outcomes {
        var old = 0
        var new = 0
        var failed = 0

        /// Notes how a migration has ended: with the new store if it says so, and with the old one if not.
        mutating func note(_ child: Process, of trial: Trial, _ moment: String) throws {
            let isNew = try trial.check(moment)
            guard isNew == (child.terminationStatus == 0), child.terminationReason == .exit else {
                throw Failure("\(trial.way.rawValue), \(moment): ended with \(child.terminationStatus).")
            }
            if isNew { new += 1 } else { old += 1 }
            if child.terminationStatus != 0 { failed += 1 }
            try trial.checkRemains(moment)
        }
    }

    func run() throws -> Bool {
        let folder = try Migrations.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appending(path: "original")
        try makeStore(in: original, beside: folder)
        let place = (options.disk.map { URL(fileURLWithPath: $0) } ?? folder).appending(path: "work")
        defer { try? FileManager.default.removeItem(at: place) }
        let content = try Content(original)
        print("\(content.rows) rows, \(try DiskUse(original).bytes / 1_000_000) MB, with a log")
        for way in Self.ways where options.includes(way.rawValue) {
            let trial = Trial(way: way, original: original, place: place, content: content)
            let start = Date()
            let whole = try trial.time()
            let kills = try kill(trial, whole)
            print(
                "\(way.rawValue): \(kills.failed) of \(self.kills) killed in \(String(format: "%.1f", whole)) s;",
                "old store \(kills.old), new store \(kills.new)")
            let full = try options.disk == nil ? limitFiles(trial) : fillDisk(trial, whole)
            print(
                "\(way.rawValue): \(full.failed) of 20 failed for room; old store \(full.old), new store \(full.new);",
                "\(Int(Date().timeIntervalSince(start))) s in all")
            fflush(nil)
        }
        return true
    }

    private func kill(_ trial: Trial, _ whole: Double) throws -> Outcomes {
        var random = SteadyRandom(state: UInt64(options.seed))
        var outcomes = Outcomes()
        var whole = whole
        for index in 0..<kills {
            try trial.reset()
            // Half of the moments are near the end, where the new store takes the old one's place.
            let share = Double.random(in: 0...1, using: &random)
            let delay = whole * (index % 2 == 0 ? share * 1.05 : 0.8 + share * 0.3)
            let child = try trial.start()
            Thread.sleep(forTimeInterval: delay)
            Foundation.kill(child.processIdentifier, SIGKILL)
            child.waitUntilExit()
            if child.terminationReason == .uncaughtSignal {
                outcomes.failed += 1
            } else {
                // It is quicker than it was at first, when the machine had more to do.
                whole = min(whole, max(delay, whole * 0.9))
            }
            let moment = String(format: "killed after %.3f of %.3f s", delay, whole)
            if try trial.check(moment) { outcomes.new += 1 } else { outcomes.old += 1 }
            // To migrate again each time would take as long as all the rest.
            if index % 4 == 1 || index % 10 == 0 { try trial.finish(moment) }
        }
        return outcomes
    }

    /// Fills the disk at random moments, until the migration has ended.
    private func fillDisk(_ trial: Trial, _ whole: Double) throws -> Outcomes {
        var random = SteadyRandom(state: UInt64(options.seed) &+ 1)
        var outcomes = Outcomes()
        let filling = trial.place.deletingLastPathComponent().appending(path: "filling")
        defer { try? FileManager.default.removeItem(at: filling) }
        for _ in 0..<20 {
            try trial.reset()
            let delay = whole * Double.random(in: 0...1, using: &random)
            let child = try trial.start()
            Thread.sleep(forTimeInterval: delay)
            try Data().write(to: filling)
            let file = try FileHandle(forWritingTo: filling)
            // In ever smaller pieces, and again for what the migration frees.
            var size: UInt64 = 0
            while child.isRunning {
                var piece = 1 << 26
                while piece >= 4096 {
                    if posix_fallocate(file.fileDescriptor, off_t(size), off_t(piece)) == 0 {
                        size += UInt64(piece)
                    } else {
                        piece /= 2
                    }
                }
                Thread.sleep(forTimeInterval: 0.002)
            }
            try file.close()
            try FileManager.default.removeItem(at: filling)
            let moment = String(format: "disk full after %.3f of %.3f s", delay, whole)
            try outcomes.note(child, of: trial, moment)
            try trial.finish(moment)
        }
        return outcomes
    }

    private func limitFiles(_ trial: Trial) throws -> Outcomes {
        try trial.reset()
        let size = try DiskUse(trial.place).bytes
        var outcomes = Outcomes()
        for point in 0..<20 {
            try trial.reset()
            let limit = size * point * 2 / 20
            let child = try trial.start(largestFile: limit)
            child.waitUntilExit()
            let moment = "files of at most \(limit) bytes"
            try outcomes.note(child, of: trial, moment)
        }
        return outcomes
    }

    /// A store as a process that was killed leaves it: the last rows are in its log.
    private func makeStore(in original: URL, beside folder: URL) throws {
        let made = folder.appending(path: "made")
        let url = try Migrations.makeStore(rows: options.rows, padding: options.padding, in: made)
        try Migrations.makeBlobs(5, of: 1_000_000, in: url)
        let store = try RawStore(url)
        try store.run("PRAGMA wal_autocheckpoint = 0")
        try Migrations.addSongs(max(options.rows / 100, 1), after: options.rows, padding: options.padding, to: store)
        try FileManager.default.copyItem(at: made, to: original)
        try? FileManager.default.removeItem(at: original.appending(path: "store.sqlite-shm"))
    }
}

/// A store that is migrated in one way, again and again from the beginning.
private struct Trial {
    let way: MigrationWay
    let original: URL
    let place: URL
    let content: Content

    private var store: URL { place.appending(path: "store.sqlite") }

    func reset() throws {
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: original, to: place)
    }

    /// The seconds that the whole takes.
    func time() throws -> Double {
        try reset()
        let beginning = Date()
        let child = try start()
        child.waitUntilExit()
        let seconds = Date().timeIntervalSince(beginning)
        guard try check("not killed") else { throw Failure("\(way.rawValue): nothing was migrated.") }
        try checkRemains("not killed")
        return seconds
    }

    /// - Parameter largestFile: The largest file in bytes that the process can write; what is longer fails as on a full
    ///   disk. Nil for no limit.
    func start(largestFile: Int? = nil) throws -> Process {
        guard let program = Bundle.main.executableURL else { throw Failure("The program does not know its own path.") }
        let child = Process()
        let words = [program.path, "--migration-run", way.rawValue, place.path]
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The signal that comes with the limit would end the process before it sees the error.
        let limit = largestFile.map { "trap '' XFSZ; ulimit -f \($0 / 512); " } ?? ""
        child.arguments = ["-c", limit + "exec \"$@\"", "sh"] + words
        child.standardError = FileHandle.nullDevice
        try child.run()
        return child
    }

    /// Checks that there is a whole store of one of the versions, and says whether it is the new one.
    func check(_ moment: String) throws -> Bool {
        func fail(_ what: String) -> Failure { Failure("\(way.rawValue), \(moment): \(what)") }
        guard let version = try way.plan.versionName(ofStoreAt: store) else { throw fail("There is no store.") }
        guard try Content(place) == content else { throw fail("The content is another.") }
        if let tool = ProcessInfo.processInfo.environment["SWORM_TOOL"] {
            let child = Process()
            child.executableURL = URL(fileURLWithPath: tool)
            child.arguments = ["verify", store.path]
            let output = Pipe()
            child.standardOutput = output
            try child.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            child.waitUntilExit()
            guard child.terminationStatus == 0 else { throw fail(text) }
        }
        return version == "2"
    }

    /// Migrates in this process, and checks that nothing is left of what was cut off.
    func finish(_ moment: String) throws {
        try way.plan.migrate(storeAt: store)
        guard try check(moment + ", and again") else { throw Failure("\(way.rawValue), \(moment): is not done again.") }
        try checkRemains(moment)
    }

    func checkRemains(_ moment: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        let disk = try DiskUse(place)
        guard !names.contains(where: { $0.contains("migrating") }), disk.largeFileNames == disk.largeFiles.count else {
            throw Failure("\(way.rawValue), \(moment): something is left: \(names).")
        }
    }
}

/// What all versions keep of a store, its files with large values included.
private struct Content: Equatable {
    let rows: Int64
    private let sums: [Double]
    private let photos: [Data]

    init(_ folder: URL) throws {
        // Read by itself, so that the store and its log stay as they are.
        let copy = FileManager.default.temporaryDirectory.appending(path: "sworm-content-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: copy) }
        for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-journal"] {
            let file = folder.appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try FileManager.default.copyItem(at: file, to: copy.appending(path: name))
        }
        let store = try RawStore(copy.appending(path: "store.sqlite"))
        var sums: [Double] = []
        func add(_ sql: String) throws {
            try store.forEachRow(store.statement(sql)) { row in
                for column in 0..<RawStore.columnCount(row) { sums.append(RawStore.real(row, column)) }
            }
        }
        try add(
            """
            SELECT count(*), sum(ZNUMBER), sum(ZNUMBER % 1000 * length(ZTITLE)), sum(ZPLAYS), total(ZRATING),
            sum(ZNUMBER % 1000 * length(ZARTIST)), sum(length(ZALBUM)), sum(length(ZIDENTIFIER)), sum(ZISLOVED) FROM ZSONG
            """)
        try add("SELECT \(try Self.sum(overGenresIn: store))")
        try add("SELECT count(*), sum(length(ZNAME)) FROM ZGENRE")
        rows = Int64(sums.first ?? 0)
        self.sums = sums
        let external = folder.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
        var photos: [Data] = []
        try store.forEachRow(store.statement("SELECT substr(ZCONTENT, 2, 36) FROM ZPHOTO ORDER BY Z_PK")) { row in
            let file = external.appending(path: RawStore.text(row, 0) ?? "")
            photos.append(FileManager.default.contents(atPath: file.path) ?? Data())
        }
        self.photos = photos
    }

    /// A number that depends on the genre of every song.
    private static func sum(overGenresIn store: RawStore) throws -> String {
        var join: String?
        try store.forEachRow(
            store.statement("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        ) { join = RawStore.text($0, 0) ?? join }
        let product = "sum(s.ZNUMBER % 1000 * CAST(substr(g.ZNAME, 14) AS INTEGER))"
        guard let join, try store.count("pragma_table_info('ZSONG') WHERE name = 'ZGENRE'") == 0 else {
            return "\(product) FROM ZSONG s JOIN ZGENRE g ON g.Z_PK = s.ZGENRE"
        }
        func column(_ entity: String) -> String {
            "(SELECT name FROM pragma_table_info('\(join)') WHERE name GLOB 'Z_' || (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)') || '[A-Z]*')"
        }
        var names: [String] = []
        try store.forEachRow(store.statement("SELECT \(column("Song")), \(column("Genre"))")) { row in
            names = [RawStore.text(row, 0) ?? "", RawStore.text(row, 1) ?? ""]
        }
        return
            "\(product) FROM \(join) j JOIN ZSONG s ON s.Z_PK = j.\(names[0]) JOIN ZGENRE g ON g.Z_PK = j.\(names[1])"
    }
}

extension RawStore {
    fileprivate func count(_ source: String) throws -> Int64 {
        var count: Int64 = 0
        try forEachRow(statement("SELECT count(*) FROM \(source)")) { count = Self.number($0, 0) }
        return count
    }
}
