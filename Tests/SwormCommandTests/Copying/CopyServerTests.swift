#if PostgreSQL
import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
@testable import SwormStore
import TestSupport
import Testing

@testable import SwormCommand

@Suite("copy: stores on servers", .enabled(if: PostgresServer.isEnabled))
struct CopyServerTests {
    /// The address of a store in a new schema.
    private static func address(_ more: String = "") throws -> String {
        let server = try PostgresServer.shared()
        return try server.entrance().uri(schema: "copy_\(server.newSchema())") + more
    }

    private func content(of address: String) throws -> [String: Int] {
        let server = try PostgresOptions(address)
        let (description, _) = try ServerOperand.model(of: server, option: nil)
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try server.open(description.compiled(), options: options)
        defer { store.close() }
        let session = try store.beginSession()
        defer { session.end() }
        return try Dictionary(
            store.model.entities.map { ($0.name, try session.count(FetchSpecification(entity: $0.number))) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test func `a store comes back from a server as it was`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let (address, back) = (try Self.address(), workshop.file("Back.sqlite"))
        let there = Run(["copy", workshop.storePath, address, "--exact-dates"])
        #expect(there.code == .ok && there.out.hasPrefix("copied "), "\(there.err)")
        #expect(there.err.isEmpty)
        let compared = Run(["diff", workshop.storePath, address])
        #expect(compared.out == "no differences\n" && compared.code == .ok, "\(compared.err)")
        let here = Run(["copy", address, back])
        #expect(here.code == .ok, "\(here.err)")
        #expect(workshop.run("diff", back).out == "no differences\n")
        #expect(workshop.run("verify", store: back).out == "no faults\n")
        #expect(Run(["count", address, "Book"]).out == Run(["count", workshop.storePath, "Book"]).out)
        // Keys, versions, order keys, and the highest keys.
        for table in ["ZBOOK", "ZAUTHOR", "Z_PRIMARYKEY", "Z_2TAGS"] {
            let sql = "SELECT * FROM \(table) ORDER BY 1, 2"
            let columns = try workshop.raw().lines("SELECT name FROM pragma_table_info('\(table)')")
            #expect(try workshop.raw("Back.sqlite").lines("SELECT name FROM pragma_table_info('\(table)')") == columns)
            let names = columns.filter { $0 != "ZCOVER" && $0 != "Z_MAX" }.joined(separator: ", ")
            // The history is not copied, nor are its entities.
            let own = table == "Z_PRIMARYKEY" ? "WHERE Z_ENT < 16000 ORDER" : "ORDER"
            let rows = sql.replacing("*", with: names).replacing("ORDER", with: own)
            #expect(try workshop.raw("Back.sqlite").lines(rows) == workshop.raw().lines(rows), "\(table)")
        }
        // The identifier stays, and so do the metadata of the application.
        let metadata = try [workshop.storePath, back].map { try StoreInspector(url: URL(fileURLWithPath: $0)).metadata }
        #expect(metadata[0].identifier == metadata[1].identifier)
        let names = try workshop.contents().keys
        #expect(names.filter { $0.hasPrefix(".Back_SUPPORT/_EXTERNAL_DATA/") }.count == 1)
    }

    @Test func `rounded dates are counted, and the second trip changes nothing`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute("UPDATE ZAUTHOR SET ZBORN = 123456789.123456789 + Z_PK")
        let count = try #require(try workshop.raw().lines("SELECT count(*) FROM ZAUTHOR").first)
        let (first, second) = (try Self.address(), try Self.address())
        let run = Run(["copy", workshop.storePath, first])
        #expect(run.code == .ok)
        #expect(run.err.contains("\(count) date\(count == "1" ? "" : "s") of Author.born"), "\(run.err)")
        #expect(run.err.contains("rounded to the microsecond; --exact-dates"))
        #expect(Run(["diff", workshop.storePath, first]).code == .found)
        let again = Run(["copy", first, second])
        #expect(again.code == .ok && again.err.isEmpty, "\(again.err)")
        #expect(Run(["diff", first, second]).out == "no differences\n")
    }

    @Test func `new objects get keys behind those that were copied`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 5000 WHERE Z_NAME = 'Tag'")
        let address = try Self.address()
        #expect(Run(["copy", workshop.storePath, address]).code == .ok)
        let server = try PostgresOptions(address)
        let store = try server.open(
            ServerOperand.model(of: server, option: nil).model.compiled(), options: StoreOptions())
        defer { store.close() }
        let tag = try #require(store.model.entity(named: "Tag"))
        #expect(try store.reserveKeys(root: tag.number, count: 1, nil) > 5000)
    }

    @Test func `a store that exists is replaced only when that was asked for`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let address = try Self.address()
        #expect(Run(["copy", workshop.storePath, address]).code == .ok)
        let before = try content(of: address)
        try workshop.execute("DELETE FROM ZSHELF")
        let refused = Run(["copy", workshop.storePath, address])
        #expect(refused.code == .failure && refused.err.contains("--force"), "\(refused.err)")
        #expect(try content(of: address) == before)
        #expect(Run(["copy", workshop.storePath, address, "--force"]).code == .ok)
        #expect(try content(of: address)["Shelf"] == 0)
        let itself = Run(["copy", address, address, "--force"])
        #expect(itself.code == .failure && itself.err.contains("onto itself"))
    }

    @Test func `a copy that fails leaves nothing, or the store that was there`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let address = try Self.address()
        #expect(Run(["copy", workshop.storePath, address]).code == .ok)
        let before = try content(of: address)
        // A server stores no U+0000.
        try workshop.execute("UPDATE ZBOOK SET ZTITLE = CAST(x'610062' AS TEXT) WHERE Z_PK = 1")
        for (target, isNew) in [(address, false), (try Self.address(), true)] {
            let run = Run(["copy", workshop.storePath, target, "--force"])
            #expect(run.code == .failure, "\(run.out)")
            #expect(run.err.contains("Book/p1 cannot be copied") && run.err.contains("U+0000"), "\(run.err)")
            guard !isNew else {
                #expect(Run(["count", target, "Book"]).err.contains("no store"))
                continue
            }
            #expect(try content(of: address) == before)
        }
    }

    @Test func `links to nothing, missing values and missing files are said`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute(
            "UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 1; UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = 2")
        try FileManager.default.removeItem(atPath: workshop.file(".Library_SUPPORT/_EXTERNAL_DATA"))
        let address = try Self.address()
        let run = Run(["copy", workshop.storePath, address])
        #expect(run.code == .ok, "\(run.err)")
        #expect(run.err.contains("1 link of Book.author was left out"))
        #expect(run.err.contains("1 missing value of Book.title was copied"))
        #expect(run.err.contains("of Book.cover was left out, because the external data files do not exist"))
        #expect(Run(["count", address, "Book"]).code == .ok)
    }

    @Test func `passwords of addresses are in no message`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let address = "postgres://shop:hidden-word@/postgres?host=/nowhere-at-all&schema=x"
        for words in [
            ["copy", workshop.storePath, address], ["copy", address, workshop.file("B.sqlite")],
            ["diff", address, workshop.storePath], ["verify", address], ["dump", address], ["count", address, "Book"],
            ["copy", workshop.storePath, "x", address], ["migrate", address, "--contract"],
            ["migrate", address, "--model", workshop.modelPath], ["inspect", address], ["watch", address],
        ] {
            let run = Run(words)
            #expect(run.code != .ok)
            #expect(!run.err.contains("hidden-word") && !run.out.contains("hidden-word"), "\(words): \(run.err)")
        }
    }

    @Test func `a migration is listed, made and completed`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let address = try Self.address()
        #expect(Run(["copy", workshop.storePath, address]).code == .ok)
        let new = LibraryXML.text.replacing(
            #"<attribute name="weight" optional="YES""#,
            with: #"<attribute name="mass" elementID="weight" optional="YES""#)
        try workshop.write(new, model: "New")
        let model = workshop.file("New.xcdatamodel")
        let dry = Run(["migrate", address, "--model", model, "--dry-run"])
        #expect(dry.code == .ok && dry.out.contains("ADD COLUMN \"mass\" float8"), "\(dry.err)")
        #expect(Run(["diff", workshop.storePath, address]).out == "no differences\n")
        let run = Run(["migrate", address, "--model", model])
        #expect(run.code == .ok && run.out.contains("migrated to"), "\(run.err)")
        #expect(Run(["migrate", address, "--model", model]).out.contains("nothing to do"))
        #expect(Run(["query", address, "Book", "--columns", "mass"]).code == .ok)
        let contract = Run(["migrate", address, "--contract"])
        #expect(contract.out.contains("DROP COLUMN IF EXISTS \"weight\"") && contract.out.contains("removed"))
        #expect(Run(["migrate", address, "--contract"]).out.contains("nothing to remove"))
        #expect(Run(["query", address, "Book", "--columns", "mass"]).code == .ok)
    }
}
#endif
