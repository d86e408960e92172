import Foundation
@testable import OpenCoreData
import SwormSQLite
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

/// A issue that is planted into a sound store, and the kind under which it is found.
struct PlantedIssue: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var kind: StoreIssue.Kind
    var severity = StoreIssue.Severity.error
    var plant: @Sendable (Workshop) throws -> Void

    init(
        _ name: String, _ kind: StoreIssue.Kind, _ severity: StoreIssue.Severity = .error,
        plant: @escaping @Sendable (Workshop) throws -> Void
    ) {
        testDescription = name
        self.kind = kind
        self.severity = severity
        self.plant = plant
    }

    init(_ name: String, _ kind: StoreIssue.Kind, _ severity: StoreIssue.Severity = .error, sql: String) {
        self.init(name, kind, severity) { try $0.execute(sql) }
    }

    static func external(_ workshop: Workshop) -> String { workshop.file(".Library_SUPPORT/_EXTERNAL_DATA") }

    static let all: [PlantedIssue] = [
        PlantedIssue("Z_MAX is behind", .keyBehind, sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Author'"),
        PlantedIssue("no Z_MAX", .keyBehind, sql: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Author'"),
        PlantedIssue(
            "Z_MAX of a sub-entity", .keyRecord, sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Comic'"),
        PlantedIssue(
            "no record of a sub-entity", .entityRecord, sql: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Comic'"),
        PlantedIssue("Z_SUPER", .entityRecord, sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_NAME = 'Comic'"),
        PlantedIssue(
            "stale name", .staleName, .warning, sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Old' WHERE Z_NAME = 'Tag'"),
        PlantedIssue("key of zero", .key, sql: "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (0, 8, 1)"),
        PlantedIssue("Z_OPT of zero", .version, sql: "UPDATE ZBOOK SET Z_OPT = 0 WHERE Z_PK = 1"),
        PlantedIssue("no Z_OPT", .version, sql: "UPDATE ZAUTHOR SET Z_OPT = NULL WHERE Z_PK = 3"),
        PlantedIssue("text in Z_OPT", .version, sql: "UPDATE ZAUTHOR SET Z_OPT = 'new' WHERE Z_PK = 3"),
        PlantedIssue("text in a decimal", .type, sql: "UPDATE ZBOOK SET ZPRICE = 'abc' WHERE Z_PK = 1"),
        PlantedIssue("empty text in a decimal", .type, sql: "UPDATE ZBOOK SET ZPRICE = '' WHERE Z_PK = 1"),
        PlantedIssue("Z_ENT of another table", .rowEntity, sql: "UPDATE ZTAG SET Z_ENT = 2 WHERE Z_PK = 1"),
        PlantedIssue("Z_ENT of nothing", .rowEntity, sql: "UPDATE ZTAG SET Z_ENT = NULL WHERE Z_PK = 1"),
        PlantedIssue("row of an abstract entity", .abstractRow, sql: "UPDATE ZITEM SET Z_ENT = 4 WHERE Z_PK = 1"),
        PlantedIssue("text in an integer", .type, sql: "UPDATE ZBOOK SET ZYEAR = 'soon' WHERE Z_PK = 1"),
        PlantedIssue("integer out of range", .type, sql: "UPDATE ZBOOK SET ZYEAR = 40000 WHERE Z_PK = 1"),
        PlantedIssue("boolean of two", .type, sql: "UPDATE ZBOOK SET ZISREAD = 2 WHERE Z_PK = 1"),
        PlantedIssue("blob in a string", .type, sql: "UPDATE ZBOOK SET ZTITLE = x'00' WHERE Z_PK = 1"),
        PlantedIssue("text in a date", .type, sql: "UPDATE ZAUTHOR SET ZBORN = 'once' WHERE Z_PK = 1"),
        PlantedIssue("short UUID", .type, sql: "UPDATE ZBOOK SET ZID = x'0102' WHERE Z_PK = 1"),
        PlantedIssue("missing required value", .required, sql: "UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = 1"),
        PlantedIssue(
            "unique value twice", .unique,
            sql: "DROP INDEX Z_Author_UNIQUE_name; UPDATE ZAUTHOR SET ZNAME = 'Leo' WHERE Z_PK = 2"),
        PlantedIssue("dangling key", .dangling, sql: "UPDATE ZBOOK SET ZSEQUEL = 99, Z2_SEQUEL = 2 WHERE Z_PK = 3"),
        PlantedIssue(
            "dangling key in a join table", .dangling,
            sql: "INSERT INTO Z_2TAGS (Z_2BOOKS, Z_8TAGS, Z_FOK_8TAGS) VALUES (3, 77, 2048)"),
        PlantedIssue("one-sided inverse", .inverse, sql: "UPDATE ZPROFILE SET ZAUTHOR = 2"),
        PlantedIssue(
            "wrong entity of a destination", .destinationRecord, sql: "UPDATE ZBOOK SET Z2_SEQUEL = 3 WHERE Z_PK = 1"),
        PlantedIssue(
            "destination of another entity", .destination, sql: "UPDATE ZBOOK SET ZPARODIES = 1 WHERE Z_PK = 4"),
        PlantedIssue("no order key", .orderMissing, sql: "UPDATE ZBOOK SET Z_FOK_AUTHOR = NULL WHERE Z_PK = 1"),
        PlantedIssue("order key without owner", .orderMissing, sql: "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 1"),
        PlantedIssue("shared order key", .orderShared, sql: "UPDATE ZBOOK SET Z_FOK_AUTHOR = 2048 WHERE ZAUTHOR = 1"),
        PlantedIssue("no order key in a join table", .orderMissing, sql: "UPDATE Z_2TAGS SET Z_FOK_8TAGS = NULL"),
        PlantedIssue("unknown marker", .externalMarker, sql: "UPDATE ZBOOK SET ZCOVER = x'0901' WHERE Z_PK = 1"),
        PlantedIssue("no marker", .externalMarker, sql: "UPDATE ZBOOK SET ZCOVER = x'' WHERE Z_PK = 1"),
        PlantedIssue("missing external file", .externalMissing) { workshop in
            try FileManager.default.removeItem(atPath: external(workshop))
        },
        PlantedIssue("orphaned external file", .externalOrphan, .warning) { workshop in
            let file = external(workshop) + "/" + UUID().uuidString
            try Data([1]).write(to: URL(fileURLWithPath: file))
        },
        PlantedIssue("change without transaction", .historyTransaction, sql: "DELETE FROM ATRANSACTION"),
        PlantedIssue("transaction with a lost author", .historyReference, sql: "DELETE FROM ATRANSACTIONSTRING"),
        PlantedIssue("change of no entity", .historyChange, sql: "UPDATE ACHANGE SET ZENTITY = 55 WHERE Z_PK = 1"),
        PlantedIssue("change of no kind", .historyChange, sql: "UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE Z_PK = 1"),
        PlantedIssue(
            "history's Z_MAX is behind", .keyBehind, sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'CHANGE'"),
        PlantedIssue(
            "two rows of metadata", .metadata, sql: "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA"),
        PlantedIssue("identifier that is none", .metadata, sql: "UPDATE Z_METADATA SET Z_UUID = 'me'"),
        PlantedIssue("no property list", .schema, sql: "UPDATE Z_METADATA SET Z_PLIST = NULL"),
        PlantedIssue("missing column", .schema, sql: "ALTER TABLE ZBOOK DROP COLUMN ZRATING"),
        PlantedIssue("missing table", .schema, sql: "DROP TABLE ZTAG"),
        PlantedIssue("hashes of another model", .model) { workshop in
            try workshop.changeMetadata { list in
                var hashes = list[StoreMetadata.Key.versionHashes] as? [String: Data] ?? [:]
                hashes["Tag"] = Data(repeating: 1, count: 32)
                list[StoreMetadata.Key.versionHashes] = hashes
            }
        },
        PlantedIssue("digest of other hashes", .digest) { workshop in
            try workshop.changeMetadata { $0[StoreMetadata.Key.digest] = "AAAA" }
        },
        PlantedIssue("checksum of other hashes", .digest) { workshop in
            try workshop.changeMetadata { $0[StoreMetadata.Key.checksum] = "AAAA" }
        },
        PlantedIssue("damaged page", .integrity) { workshop in
            let handle = try FileHandle(forUpdating: workshop.url("Library.sqlite"))
            let pages = try handle.seekToEnd() / 4096
            // An index keeps its order no more when a page of it is written over with another's.
            try handle.seek(toOffset: (pages - 1) * 4096)
            try handle.write(contentsOf: Data(repeating: 0xFF, count: 4096))
            try handle.close()
        },
    ]
}

extension Workshop {
    /// Replaces the property list of the metadata.
    func changeMetadata(_ change: (inout [String: Any]) throws -> Void) throws {
        let connection = try raw()
        var bytes: Data?
        do {
            var statement = try connection.statement("SELECT Z_PLIST FROM Z_METADATA")
            if try statement.step() { bytes = statement.data(0) }
        }
        var list =
            try PropertyListSerialization.propertyList(from: bytes ?? Data(), format: nil) as? [String: Any] ?? [:]
        try change(&list)
        var statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try statement.bind(PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0), at: 1)
        try statement.run()
    }
}

@Suite("verify")
struct VerifyTests {
    @Test func `nothing is found in a sound store`() throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        let run = workshop.run("verify")
        #expect(run.out == "no faults\n")
        #expect(run.code == .ok)
    }

    @Test(arguments: PlantedIssue.all) func `a planted issue is found`(issue: PlantedIssue) throws {
        let workshop = try Workshop()
        try workshop.makeStore()
        try issue.plant(workshop)
        let before = try workshop.contents()
        let run = workshop.run("verify", "--json")
        #expect(run.code == (issue.severity == .error ? .found : .ok), "\(run.out) \(run.err)")
        let found = try #require((try run.json() as? [String: Any])?["faults"] as? [[String: Any]])
        #expect(
            found.contains {
                $0["kind"] as? String == issue.kind.description && $0["severity"] as? String == issue.severity.rawValue
            }, "\(run.out)")
        #expect(try workshop.contents() == before)
        let text = workshop.run("verify")
        #expect(text.out.contains("[\(issue.kind)]"))
    }

    @Test(
        .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)), arguments: FixtureStores.all)
    func `stores of Apple's framework have no issues except missing files and dangling keys`(
        store: FixtureStores.Store
    ) throws {
        let run = Run(["verify", store.url.path, "--model", store.model.path])
        let issues = try store.issues()
        #expect(run.out.contains("no faults") == issues.isEmpty && run.code == (issues.isEmpty ? .ok : .found))
        for issue in issues {
            switch issue.kind {
            case "external-missing":
                // Stores were published without these files, and without their folder.
                let name = store.url.deletingPathExtension().lastPathComponent
                let folder = store.url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT")
                #expect(!FileManager.default.fileExists(atPath: folder.path), "\(issue)")
            case "dangling":
                #expect(try Self.danglingRows(issue, store) > 0, "\(issue)")
            default: Issue.record("\(issue), \(run.out) \(run.err)")
            }
        }
        #expect(Run(["inspect", store.url.path, "--model", store.model.path]).code == .ok)
    }

    /// The number of keys in a to-one relationship's column, or in its column of a join table, that no row has.
    private static func danglingRows(_ issue: FixtureStores.Issue, _ store: FixtureStores.Store) throws -> Int64 {
        let model = try StoreModelChoice.model(for: store.url, option: store.model).model
        let entity = try #require(model.entitiesByName[issue.entity])
        let relationship = try #require(entity.relationshipsByName[issue.property])
        let destination = try #require(relationship.destinationEntity)
        let workshop = try Workshop()
        let copy = try Fixtures.copy(store.url, to: workshop.url(""))
        let connection = try Connection(.file(path: copy.path))
        let name = issue.property.uppercased()
        var columns = [(table: table(entity), column: "Z" + name)]
        if relationship.isToMany {
            columns = []
            var found = try connection.statement(
                """
                SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
                WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' AND c.name GLOB 'Z_[0-9]*\(name)*'
                """)
            while try found.step() {
                guard let join = found.text(0), let column = found.text(1) else { continue }
                let rest = column.dropFirst(2).drop(while: \.isNumber)
                // A digit after the name distinguishes two columns of one table.
                if rest.hasPrefix(name), rest.dropFirst(name.count).allSatisfy(\.isNumber) {
                    columns.append((join, column))
                }
            }
        }
        var count: Int64 = 0
        for (table, column) in columns {
            var rows = try connection.statement(
                """
                SELECT count(*) FROM \(table) WHERE \(column) IS NOT NULL
                AND \(column) NOT IN (SELECT Z_PK FROM \(Self.table(destination)))
                """)
            if try rows.step() { count += rows.int64(0) }
        }
        return count
    }

    private static func table(_ entity: NSEntityDescription) -> String {
        entity.superentity.map(table) ?? "Z" + (entity.name ?? "").uppercased()
    }
}
