import Foundation
@testable import OpenCoreData
import Sworm
import SwormPredicates
import SwormTools
import Testing

@testable import SwormCommand

@Suite("freeze")
struct FreezeTests {
    private func freeze(_ workshop: Workshop, _ words: String..., model: String? = nil) -> Run {
        Run(["freeze", model ?? workshop.modelPath, workshop.file("Frozen"), "--name", "1.0"] + words)
    }

    private func contents(_ workshop: Workshop) throws -> [String: Data] {
        try workshop.contents().filter { $0.key.hasPrefix("Frozen") }
    }

    @Test func `a model is kept as code, model, hashes and a sample store, which all have its version hashes`() throws {
        let workshop = try Workshop()
        let run = freeze(workshop)
        #expect(run.code == .ok, "\(run.err)")
        #expect(run.out == "froze 1.0 in \(workshop.file("Frozen"))\n" && run.err == "")
        let names = try FileManager.default.subpathsOfDirectory(atPath: workshop.file("Frozen")).sorted()
        #expect(
            names == [
                "1.0.frozen.json", "1.0.release.json", "1.0.schema.swift", "1.0.store", "1.0.store/Store.sqlite",
                "1.0.tables.swift", "1.0.xcdatamodel", "1.0.xcdatamodel/contents",
            ])
        let hashes = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: workshop.modelPath))
            .entityVersionHashesByName
        let model = try NSManagedObjectModel.load(contentsOf: workshop.url("Frozen/1.0.xcdatamodel"))
        #expect(model.entityVersionHashesByName == hashes)
        let record = try ReleasedModel(contentsOf: workshop.url("Frozen/1.0.release.json"))
        #expect(record.hashes == hashes)
        let store = workshop.url("Frozen/1.0.store/Store.sqlite")
        #expect(try StoreInspector(url: store).metadata.versionHashes == hashes)
        #expect(try StoredModel(ofStoreAt: store).source == .cache)
        let check = Run(["freeze", "--check", workshop.modelPath, workshop.file("Frozen")])
        #expect(check.code == .ok && check.out == "no differences from 1.0\n", "\(check.out)\(check.err)")
    }

    @Test func `a store is enough, and its objects are not copied`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let run = Run(["freeze", workshop.storePath, workshop.file("Frozen")])
        #expect(run.code == .ok, "\(run.err)")
        // The identifier of the model is the name of the version.
        let store = workshop.file("Frozen/one.store/Store.sqlite")
        func titles(_ path: String) -> String {
            Run(["query", path, "Book", "--columns", "title", "--format", "csv"]).out
        }
        #expect(titles(workshop.storePath).contains("War and Peace\r\n"))
        #expect(titles(store) == "title\r\n" + (1...6).map { "title \($0)\r\n" }.joined())
        #expect(Run(["freeze", "--check", workshop.storePath, workshop.file("Frozen")]).code == .ok)
        #expect(Run(["freeze", "--check", workshop.modelPath, workshop.file("Frozen")]).code == .ok)
    }

    @Test func `the same model gives the same bytes, and a frozen version is left alone`() throws {
        let (workshop, other) = (try Workshop(), try Workshop())
        #expect(freeze(workshop).code == .ok && freeze(other).code == .ok)
        let before = try contents(workshop)
        #expect(try contents(other) == before)
        let again = freeze(workshop)
        #expect(again.code == .ok && again.out.contains("already, and unchanged"))
        #expect(try contents(workshop) == before)
    }

    @Test(.enabled(if: ToolProcess.path != nil, "the tool was not found"))
    func `processes with other hash seeds write the same bytes`() throws {
        let workshop = try Workshop()
        try workshop.write(OddXML.text, model: "Odd")
        try workshop.write(PressXML.text, model: "Press")
        for name in ["Library", "Odd", "Press"] {
            for folder in ["A", "B"] {
                let model = workshop.file("\(name).xcdatamodel")
                let run = try ToolProcess(["freeze", model, workshop.file(folder), "--name", name])
                let (code, text) = run.end()
                #expect(code == 0, "\(text)")
            }
        }
        let all = try workshop.contents()
        let first = all.filter { $0.key.hasPrefix("A/") }
        #expect(first.count > 20)
        for (name, content) in first { #expect(all["B/" + name.dropFirst(2)] == content, "\(name)") }
    }

    @Test func `a different version of the same name is refused, and replaced on request`() throws {
        let workshop = try Workshop()
        #expect(freeze(workshop).code == .ok)
        let before = try contents(workshop)
        let changed = LibraryXML.text.replacing("name=\"weight\"", with: "name=\"mass\"")
        try workshop.write(changed, model: "Library2")
        let model = workshop.file("Library2.xcdatamodel")
        let refused = freeze(workshop, model: model)
        #expect(refused.code == .failure)
        #expect(refused.err.contains("already has a version '1.0'") && refused.err.contains("--force"))
        #expect(refused.err.contains("1.0.release.json"))
        #expect(try contents(workshop) == before)
        let replaced = freeze(workshop, "--force", model: model)
        #expect(replaced.code == .ok && replaced.out.hasPrefix("replaced 1.0"), "\(replaced.err)")
        #expect(Run(["freeze", "--check", model, workshop.file("Frozen")]).code == .ok)
        #expect(Run(["freeze", "--check", workshop.modelPath, workshop.file("Frozen")]).code == .found)
        #expect(try workshop.contents().keys.allSatisfy { !$0.hasPrefix(".sworm-") })
    }

    @Test func `a release ledger reads the hashes and the store`() throws {
        let workshop = try Workshop()
        #expect(freeze(workshop).code == .ok)
        let model = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: workshop.modelPath))
        let frozen = ReleaseLedger(in: workshop.url("Frozen"))
        #expect(try frozen.releases() == ["1.0"])
        try frozen.check("1.0", model: model)
        let plan = MigrationPlan([.init("1.0", model: model)])
        try frozen.check(plan)
        var versions: [String] = []
        try frozen.migrateAll(plan) { version, _ in versions.append(version) }
        #expect(versions == ["1.0"])
        // What the ledger writes is the same.
        let own = ReleaseLedger(in: workshop.url("Own"))
        try own.record("1.0", of: plan)
        let contents = try workshop.contents()
        #expect(contents["Own/1.0.release.json"] == contents["Frozen/1.0.release.json"])
    }

    @Test func `names that cannot be used, folders that are missing, and options without a meaning are refused`() throws
    {
        let workshop = try Workshop()
        for name in ["", ".1", "a/b", "a\nb"] {
            let run = Run(["freeze", workshop.modelPath, workshop.file("Frozen"), "--name", name])
            #expect(run.code == .usage && run.err.contains("--name"), "\(name)")
        }
        let nowhere = Run(["freeze", workshop.modelPath, workshop.file("no/where")])
        #expect(nowhere.code == .failure && nowhere.err.contains("create the folder first"))
        let unfrozen = Run(["freeze", "--check", workshop.modelPath, workshop.file("Frozen")])
        #expect(unfrozen.code == .failure && unfrozen.err.contains("freeze a version first"))
        #expect(Run(["freeze", workshop.modelPath, workshop.file("Frozen"), "--json"]).code == .usage)
        #expect(freeze(workshop).code == .ok)
        #expect(Run(["freeze", "--check", "--force", workshop.modelPath, workshop.file("Frozen")]).code == .usage)
        let unknown = Run(["freeze", "--check", workshop.modelPath, workshop.file("Frozen"), "--name", "1.1"])
        #expect(unknown.code == .failure && unknown.err.contains("1.0"))
        try workshop.makeStore()
        let inferred = Run(["freeze", workshop.storePath, workshop.file("Frozen")])
        #expect(inferred.code == .failure && inferred.err.contains("--model PATH"))
        let named = Run(["freeze", workshop.storePath, workshop.file("Frozen"), "--model", workshop.modelPath])
        #expect(named.code == .ok, "\(named.err)")
    }

    @Test func `Swift names are made from the names of the model and the version`() throws {
        func names(_ version: String, _ model: String) throws -> FrozenNames {
            try FrozenNames(version: version, model: model)
        }
        #expect(try names("1.0", "Library").namespace == "LibraryV1_0")
        #expect(try names("1.0", "Library").schemaName == "LibrarySchemaV1_0")
        #expect(try names("Library 2", "Library").namespace == "LibraryV2")
        #expect(try names("v3", "my books").namespace == "MyBooksV3")
        #expect(try names("first", "1password").namespace == "Model1passwordVFirst")
        #expect(try names("Library", "Library").namespace == "LibraryVLibrary")
        #expect(try names("é", "é").namespace == "ModelV1")
        #expect(try names("2.31.0", "a").numbers == (2, 31, 0))
        #expect(try names("Library 2", "Library").numbers == (2, 0, 0))
        #expect(try names("first", "a").numbers == (1, 0, 0))
    }
}
