import Foundation
@testable import OpenCoreData
import SwormSQLite
import TestSupport
import Testing

@testable import SwormCommand

/// What is left of a store whose migration is killed, or finds the disk full, at any moment: the old store or the new one,
/// with every row.
///
/// In the suite the store is small and the moments are few. For more, build the tool for release, and give its path and the
/// numbers: `SWORM_TOOL=.build/release/sworm-tool SWORM_KILLS=200 SWORM_STORE_MB=200 swift test --filter MigrationCrash`.
/// `SWORM_SEED` chooses other moments.
@Suite(
    "A migration that is cut off", .serialized, .enabled(if: ToolProcess.path != nil, "the tool is not built"),
    .enabled(
        if: dlsym(nil, "__tsan_init") == nil,
        "the thread sanitizer makes a file as it starts, for which there has to be room, and starts slowly"))
struct MigrationCrashTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
    private static var megabytes: Int { number("SWORM_STORE_MB") ?? 1 }
    private static var kills: Int { number("SWORM_KILLS") ?? 12 }

    /// A workshop with a store, a part of whose rows is in its log only, and two models for it.
    private struct Trial {
        static let files = ["Library.sqlite", "Library.sqlite-wal", ".Library_SUPPORT"]

        let workshop: Workshop
        let pristine: String
        let content: String
        let newModel: String

        init() throws {
            workshop = try Workshop()
            try workshop.makeStore(keepsModel: true)
            newModel = workshop.file("New.xcdatamodel")
            pristine = workshop.file("pristine")
            let text = LibraryXML.text.replacingOccurrences(
                of: #"<attribute name="rating" optional="YES" attributeType="Float" usesScalarValueType="YES"/>"#,
                with: #"<attribute name="more" attributeType="String" defaultValueString="none"/>"#)
            try workshop.write(text, model: "New")
            try FileManager.default.createDirectory(atPath: pristine, withIntermediateDirectories: true)
            let connection = try workshop.raw()
            try connection.setJournalMode(.wal)
            try Self.fill(connection, MigrationCrashTests.megabytes * 500)
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try Self.fill(connection, 50)
            content = try Self.content(connection)
            // As a process that was killed leaves it: with a log.
            for name in Self.files {
                try FileManager.default.copyItem(atPath: workshop.file(name), toPath: pristine + "/" + name)
            }
        }

        private static func fill(_ connection: Connection, _ count: Int) throws {
            try connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZYEAR, ZRATING)
                SELECT (SELECT max(Z_PK) FROM ZBOOK) + i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1,
                'title ' || i || hex(randomblob(950)), i % 30000, 0.5 FROM n;
                UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZBOOK) WHERE Z_NAME = 'Book';
                """)
        }

        /// What both models keep of every row.
        static func content(_ connection: Connection) throws -> String {
            var lines: [String] = []
            for sql in [
                "SELECT count(*) || ' ' || sum(Z_PK * length(ZTITLE)) || ' ' || sum(ZYEAR) || ' ' || count(ZCOVER) FROM ZBOOK",
                "SELECT count(*) || ' ' || sum(ZAUTHOR * Z_PK) FROM ZBOOK", "SELECT group_concat(ZNAME) FROM ZAUTHOR",
                "SELECT count(*) FROM Z_2TAGS",
            ] {
                var statement = try connection.statement(sql)
                while try statement.step() { lines.append(statement.text(0) ?? "NULL") }
            }
            return lines.joined(separator: "\n")
        }

        /// The store as it was in the beginning.
        func reset() throws {
            for name in try Self.files + folders() + ["Library.sqlite-shm", "Library.sqlite-journal"] {
                try? FileManager.default.removeItem(atPath: workshop.file(name))
            }
            for name in Self.files {
                try FileManager.default.copyItem(atPath: pristine + "/" + name, toPath: workshop.file(name))
            }
        }

        func start(largestFile: Int? = nil) throws -> ToolProcess {
            try ToolProcess(["migrate", workshop.storePath, "--model", newModel], largestFile: largestFile)
        }

        /// The folders in which copies are made; one whose copy takes the store's place has more to its name.
        func folders() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: workshop.path).filter {
                $0.hasPrefix(".Library.sqlite.migrating")
            }
        }

        /// Checks that there is a whole store of one of the models, and says whether it is the new one.
        func check(_ moment: String) throws -> Bool {
            let hashes = try StoreInspector(url: workshop.url("Library.sqlite")).metadata.versionHashes
            let isNew = try hashes == Self.hashes(newModel)
            let isOld = try hashes == Self.hashes(workshop.modelPath)
            #expect(isNew != isOld, "\(moment)")
            let model = isNew ? newModel : workshop.modelPath
            let verification = try ToolProcess(["verify", workshop.storePath, "--model", model]).end()
            #expect(verification.text == "no faults\n", "\(moment)")
            #expect(try Self.content(workshop.raw()) == content, "\(moment)")
            let external = try FileManager.default.contentsOfDirectory(
                atPath: workshop.file(".Library_SUPPORT/_EXTERNAL_DATA"))
            #expect(external.count == 1, "\(moment)")
            return isNew
        }

        private static func hashes(_ model: String) throws -> [String: Data] {
            try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: model)).entityVersionHashesByName
        }
    }

    @Test func `a migration that is killed leaves the old store or the new one, and can be done again`() throws {
        let trial = try Trial()
        let start = Date()
        #expect(try trial.start().end().code == 0)
        let whole = Date().timeIntervalSince(start)
        #expect(try trial.check("not killed"))
        var random = SeededRandom(seed: UInt64(Self.number("SWORM_SEED") ?? 1))
        var outcomes = (old: 0, new: 0, killed: 0)
        for index in 0..<Self.kills {
            try trial.reset()
            // Half of the moments are near the end, where the copy takes the store's place.
            let share = Double.random(in: 0...1, using: &random)
            let delay = whole * (index % 2 == 0 ? share * 1.05 : 0.7 + share * 0.4)
            let process = try trial.start()
            Thread.sleep(forTimeInterval: delay)
            process.cutOff()
            let moment = String(format: "killed %d, after %.3f of %.3f s", index, delay, whole)
            if process.end().code == nil { outcomes.killed += 1 }
            let isNew = try trial.check(moment)
            if isNew { outcomes.new += 1 } else { outcomes.old += 1 }
            guard Self.kills <= 20 || index % 10 == 0 else { continue }
            let again = try trial.start().end()
            #expect(again.code == 0, "\(moment): \(again.text)")
            #expect(try trial.check(moment))
            #expect(try trial.folders() == [], "\(moment)")
        }
        #expect(outcomes.killed > 0)
        #expect(outcomes.old > 0)
        if Self.number("SWORM_KILLS") != nil { print("kills:", Self.kills, outcomes) }
    }

    @Test func `a migration that cannot write on leaves the old store`() throws {
        let trial = try Trial()
        let size = FileStamp(path: trial.workshop.storePath)?.size ?? 0
        var failures = 0
        for point in 0..<20 {
            try trial.reset()
            let limit = Int(size) * point * 2 / 20
            let (code, text) = try trial.start(largestFile: limit).end()
            let isNew = try trial.check("at most \(limit) bytes: \(text)")
            #expect(isNew == (code == 0), "\(limit): \(text)")
            #expect(try trial.folders() == [], "\(limit)")
            guard code != 0 else { continue }
            failures += 1
            #expect(code == ExitCode.failure.rawValue, "\(limit): \(text)")
            #expect(text.hasPrefix("error: "), "\(limit): \(text)")
        }
        #expect(failures > 5 && failures < 20)
    }
}
