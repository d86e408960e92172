import Foundation
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

/// A planted state in one of the forms of the tables.
struct PlantedGeneration: Sendable, CustomTestStringConvertible {
    var state: PlantedMirroring
    var generation: MirroringSQL.Generation
    var testDescription: String { "\(state.testDescription), \(generation)" }

    static let all = MirroringSQL.Generation.allCases.flatMap { generation in
        PlantedMirroring.all.map { PlantedGeneration(state: $0, generation: generation) }
    }
}

@Suite("inspect --cloudkit")
struct CloudKitInspectionTests {
    private func inspect(_ workshop: Workshop, _ words: String...) -> Run {
        Run(["inspect", workshop.storePath, "--cloudkit"] + words, width: 200)
    }

    @Test(arguments: PlantedGeneration.all)
    func `a planted state is what is shown`(_ planted: PlantedGeneration) throws {
        let workshop = try Workshop()
        let generation = planted.generation
        if planted.state.isExported {
            try workshop.makeExportedStore(generation)
        } else {
            try workshop.makeMirroredStore(generation)
        }
        let expected = MirroringFacts.exported(generation).replacing(try planted.state.plant(workshop, generation))
        let before = try workshop.contents()
        let run = inspect(workshop, "--json")
        #expect(run.code == .ok, "\(run.err)")
        #expect(try MirroringFacts(json: run.out).differences(from: expected) == [])
        let text = inspect(workshop)
        #expect(text.code == .ok && text.err == "", "\(text.err)")
        let conclusions = [
            "true": "Nothing waits here.", "false": "Changes wait here.",
            "null": "It is unknown whether something waits here.",
        ]
        let plain = try #require(conclusions[expected.values["nothingWaitsHere"] ?? ""])
        let conclusion = planted.state.conclusion ?? plain
        #expect(text.out.contains(conclusion + " This is the state of this file. The state of the server"))
        for output in [run.out, text.out] {
            #expect(!output.contains(MirroringSQL.userRecord) && !output.contains(MirroringSQL.recordPrefix))
            #expect(!output.contains("_somebody"))
        }
        #expect(try workshop.contents() == before)
    }

    @Test func `a store that is not mirrored says so`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        #expect(inspect(workshop).out == "the store is not mirrored to CloudKit: it has no tables of a mirroring\n")
        let json = try #require(try inspect(workshop, "--json").json() as? [String: Any])
        #expect(json["mirrored"] as? Bool == false)
    }

    @Test func `the text names entities, authors, errors and zones`() throws {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        try workshop.insertTags(2, author: "server")
        try workshop.execute(
            """
            INSERT INTO ANSCKEVENT (ZCLOUDKITEVENTTYPE, ZSTARTEDAT, ZENDEDAT, ZSUCCEEDED, ZERRORDOMAIN, ZERRORCODE)
            VALUES (2, 10, 11, 0, 'NSCocoaErrorDomain', 134301)
            """)
        let run = inspect(workshop)
        for line in [
            "mirroring   18 tables, records in tables of their own", "account     there has been one",
            "exported    up to transaction 1", "waiting     0", "            0 records, of which 0 deletions",
        ] { #expect(run.lines.contains(line), "\(line) in \(run.out)") }
        let cells = run.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(cells.contains(["Tag", "4", "2", "0", "0", "2", "0"]) && cells.contains(["server", "1", "2"]))
        for part in [
            "failed: the history was deleted after the last export",
            "NSCocoaErrorDomain 134301", "com.apple.coredata.cloudkit.zone", "this account", "private",
            "Changes wait here.",
        ] { #expect(run.out.contains(part), "\(part) in \(run.out)") }
    }

    @Test func `errors and the exported part are not cut at the width of the terminal`() throws {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        for _ in 0..<3 { try workshop.insertTags(1) }
        try workshop.execute(
            "DELETE FROM ATRANSACTION WHERE Z_PK < 4;"
                + PlantedMirroring.event(2, at: 20, end: nil, succeeded: 0)
                + PlantedMirroring.event(2, at: 10, end: 11, succeeded: 0, error: "'NSCocoaErrorDomain', 134301"))
        let run = Run(["inspect", workshop.storePath, "--cloudkit"], width: 80)
        for part in [
            "up to transaction 1; the history does not continue from there, so the mirroring begins anew\n",
            "the history was deleted after the last export, so the mirroring begins anew (NSCocoaErrorDomain 134301)\n",
            " not finished\n",
        ] { #expect(run.out.contains(part), "\(part) in \(run.out)") }
    }

    @Test func `what the file does not show is unknown`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        try workshop.execute("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY); INSERT INTO ANSCKEVENT VALUES (1)")
        let run = inspect(workshop)
        #expect(run.code == .ok)
        for line in [
            "mirroring   1 table, columns of an unknown form", "account     unknown", "exported    unknown",
            "waiting     unknown", "            unknown records, of which unknown deletions",
            "transactions after the last exported one: unknown", "zones: unknown",
            "records of entities that the store does not have: unknown", "deleted     unknown",
        ] { #expect(run.lines.contains(line), "\(line) in \(run.out)") }
        let cells = run.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(cells.contains(["Tag", "2", "unknown", "unknown", "unknown", "unknown", "unknown"]))
        #expect(run.out.contains("It is unknown whether something waits here."))
        #expect(!run.out.contains("clears away") && !run.out.contains("not finished"))
    }

    @Test func `an unknown number of deletions is not one that the next export clears away`() {
        func words(_ records: Int64?, _ relationships: Int64?) -> String? {
            MirroringWords.finished(MirroringReport.Finished(records: records, relationships: relationships))
        }
        let end = "that the next export clears away"
        #expect(words(nil, nil) == "unknown" && words(0, nil) == "unknown" && words(nil, 0) == "unknown")
        #expect(words(0, 0) == nil)
        #expect(words(0, 1) == "0 records and 1 relationship " + end)
        #expect(words(1, nil) == "1 record and unknown relationships " + end)
        #expect(words(nil, 2) == "unknown records and 2 relationships " + end)
    }

    @Test func `inspect without the option leads to it`() throws {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        let run = workshop.run("inspect", width: 200)
        #expect(run.out.contains("mirrored to CloudKit") && run.out.contains("--cloudkit"))
        #expect(!run.out.contains("ANSCKEVENT is not part of the model"))
    }

    @Test func `a store without a copy of its model is inspected by the names in the file`() throws {
        let workshop = try Workshop()
        try workshop.makeExportedStore()
        try workshop.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
        let facts = try MirroringFacts(json: inspect(workshop, "--json").out)
        #expect(facts.values["entities.Tag.records"] == "2" && facts.values["entities.Tag.rows"] == "2")
        #expect(facts.values["nothingWaitsHere"] == "true")
    }
}
