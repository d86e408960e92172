import Foundation
import TestSupport
import Testing

@testable import SwormCommand

@Suite("copy, import, rebuild and migrate of mirrored stores")
struct MirroredCommandTests {
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        return workshop
    }

    /// Makes a store that is not mirrored.
    private func makePlain(_ workshop: Workshop) throws { try workshop.makeStore("Plain.sqlite", keepsModel: true) }

    private func isRefused(_ run: Run, in workshop: Workshop, before: [String: Data]) throws {
        #expect(run.code == .failure && run.err.contains("mirrored to CloudKit"), "\(run.err)")
        #expect(try workshop.contents() == before)
    }

    @Test func `a copy has the state of the mirroring, and says that it mirrors as if it were the original`() throws {
        let workshop = try workshop()
        let copy = workshop.file("Copy.sqlite")
        let run = Run(["copy", workshop.storePath, copy])
        #expect(run.code == .ok)
        #expect(run.err.contains("warning: the copy is mirrored to CloudKit like its original"))
        #expect(run.err.contains("as if it were the original"))
        let facts = [workshop.storePath, copy].map {
            try? MirroringFacts(json: Run(["inspect", $0, "--cloudkit", "--json"]).out)
        }
        #expect(facts[0] != nil && facts[0] == facts[1])
        try makePlain(workshop)
        #expect(Run(["copy", workshop.file("Plain.sqlite"), workshop.file("Other.sqlite")]).err == "")
    }

    @Test func `a mirrored store is replaced by nothing`() throws {
        let workshop = try workshop()
        try makePlain(workshop)
        let plain = workshop.file("Plain.sqlite")
        let dump = Run(["dump", plain])
        try Data(dump.out.utf8).write(to: workshop.url("dump.ndjson"))
        let before = try workshop.contents()
        let words = ["--model", workshop.modelPath, "--force"]
        try isRefused(
            Run(["import", workshop.file("dump.ndjson"), workshop.storePath] + words), in: workshop, before: before)
        try isRefused(Run(["copy", plain, workshop.storePath, "--force"]), in: workshop, before: before)
        try isRefused(Run(["rebuild", plain, workshop.storePath] + words), in: workshop, before: before)
    }

    @Test func `a mirrored store whose metadata are damaged is replaced by nothing`() throws {
        let workshop = try workshop()
        try makePlain(workshop)
        try workshop.execute("UPDATE Z_METADATA SET Z_PLIST = x'00'")
        let before = try workshop.contents()
        let plain = workshop.file("Plain.sqlite")
        try isRefused(Run(["copy", plain, workshop.storePath, "--force"]), in: workshop, before: before)
        // Without the tables of the mirroring, a store with such metadata is replaced.
        let other = workshop.file("Other.sqlite")
        #expect(Run(["copy", plain, other]).code == .ok)
        try workshop.execute("UPDATE Z_METADATA SET Z_PLIST = x'00'", on: "Other.sqlite")
        #expect(Run(["copy", plain, other, "--force"]).code == .ok)
    }

    @Test func `a rebuilt store is not mirrored, and says so`() throws {
        let workshop = try workshop()
        let run = Run(["rebuild", workshop.storePath, workshop.file("New.sqlite"), "--model", workshop.modelPath])
        #expect(run.code == .ok, "\(run.out)\(run.err)")
        #expect(run.err.contains("warning: the store is mirrored to CloudKit, and the new store is not"))
        #expect(
            Run(["inspect", workshop.file("New.sqlite"), "--cloudkit"]).out.contains("is not mirrored to CloudKit"))
    }

    // MARK: Migrations

    private func migrate(_ workshop: Workshop, _ change: (old: String, new: String), _ words: String...) throws -> Run {
        try workshop.write(
            LibraryXML.text.replacingOccurrences(of: change.old, with: change.new), model: "New")
        return Run(["migrate", workshop.storePath, "--model", workshop.file("New.xcdatamodel")] + words)
    }

    private let renamed = (
        old: #"<entity name="Shelf" representedClassName="Shelf">"#,
        new: #"<entity name="Board" representedClassName="Board" elementID="Shelf">"#
    )

    @Test func `a mirrored store is migrated only if that is asked for`() throws {
        let workshop = try workshop()
        let before = try workshop.contents()
        for words in [[], ["--dry-run"]] {
            let run = Run(
                ["migrate", workshop.storePath, "--model", workshop.modelPath] + words)
            #expect(run.code == .failure && run.err.contains("--mirrored"), "\(run.err)")
        }
        #expect(try workshop.contents() == before)
        #expect(try migrate(workshop, renamed, "--mirrored", "--dry-run").code == .ok)
        #expect(
            try workshop.contents().filter { $0.key.hasPrefix("Library.sqlite") }["Library.sqlite"]
                == before["Library.sqlite"])
        #expect(try migrate(workshop, renamed, "--mirrored").code == .ok)
        let facts = try MirroringFacts(json: Run(["inspect", workshop.storePath, "--cloudkit", "--json"]).out)
        #expect(facts.values["entities.Board.records"] == "1" && facts.values["nothingWaitsHere"] == "true")
        #expect(facts.values["fetchesZonesAgain"] == "true")
        let model = workshop.file("New.xcdatamodel")
        #expect(Run(["verify", workshop.storePath, "--model", model]).out == "no faults\n")
    }

    @Test func `an entity that has records cannot be dropped`() throws {
        let workshop = try workshop()
        let before = try workshop.contents()
        // The new entity has another name, and nothing that leads back to the old one.
        let dropped = (old: renamed.old, new: #"<entity name="Board" representedClassName="Board">"#)
        let rehearsal = try migrate(workshop, dropped, "--mirrored", "--dry-run")
        #expect(rehearsal.code == .found)
        #expect(rehearsal.out.contains("refused: the new model has no entity for 'Shelf', to which 1 row belongs"))
        let run = try migrate(workshop, dropped, "--mirrored")
        #expect(run.code == .failure)
        for part in ["'Shelf'", "1 row belongs", "Leave the entity in the model", "Nothing was changed"] {
            #expect(run.err.contains(part), "\(part) in \(run.err)")
        }
        #expect(try workshop.contents()["Library.sqlite"] == before["Library.sqlite"])
    }
}
