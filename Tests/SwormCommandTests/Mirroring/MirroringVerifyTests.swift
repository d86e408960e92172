import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("verify of mirrored stores")
struct MirroringVerifyTests {
    /// What `verify` finds after a change, as the severity and the kind of each finding.
    private func findings(
        _ generation: MirroringSQL.Generation = .assetTables, _ change: (Workshop) throws -> Void
    ) throws -> [String] {
        let workshop = try Workshop()
        try workshop.makeExportedStore(generation)
        try change(workshop)
        let run = workshop.run("verify")
        #expect(run.code == (run.out.contains("fault: ") ? .found : .ok))
        return run.lines.compactMap { line in
            guard let kind = line.split(separator: "[").last, line.hasSuffix("]") else { return nil }
            return "\(line.prefix { $0 != ":" }) \(kind.dropLast())"
        }
    }

    private func findings(_ generation: MirroringSQL.Generation = .assetTables, sql: String) throws -> [String] {
        try findings(generation) { try $0.execute(sql) }
    }

    @Test(arguments: MirroringSQL.Generation.allCases)
    func `an exported store has no faults, and neither has one with changes that wait`(
        _ generation: MirroringSQL.Generation
    ) throws {
        #expect(try findings(generation) { _ in } == [])
        #expect(try findings(generation) { try $0.insertTags(3) } == [])
        #expect(
            try findings(generation) { workshop in
                try workshop.change { request, _ in
                    request.deletions.append(.init(row: .init(entity: 5, key: 1), version: nil))
                }
            } == [])
        #expect(
            try findings(
                generation,
                sql: """
                    DELETE FROM Z_2TAGS WHERE Z_8TAGS = 1; DELETE FROM ZTAG WHERE Z_PK = 1;
                    UPDATE ANSCKRECORDMETADATA SET ZNEEDSUPLOAD = 1, ZNEEDSCLOUDDELETE = 1 WHERE ZENTITYID = 8 AND ZENTITYPK = 1
                    """) == [])
    }

    @Test func `a store that was never exported may have rows without records`() throws {
        let workshop = try Workshop()
        try workshop.makeMirroredStore()
        try workshop.execute(MirroringSQL.raiseKeys)
        #expect(workshop.run("verify").out == "no faults\n")
    }

    @Test(arguments: MirroringSQL.Generation.allCases)
    func `pairs that nothing explains are warnings`(_ generation: MirroringSQL.Generation) throws {
        #expect(
            try findings(generation, sql: "DELETE FROM Z_2TAGS; DELETE FROM ZTAG WHERE Z_PK = 1")
                == ["warning mirroring-record"])
        #expect(
            try findings(
                generation,
                sql:
                    "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (2, 7, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 7"
            ) == ["warning mirroring-row"])
    }

    @Test func `records of no entity, repeated values that must be unique, and lower keys are faults`() throws {
        #expect(
            try findings(sql: "UPDATE ANSCKRECORDMETADATA SET ZENTITYID = 30 WHERE ZENTITYID = 7")
                == ["fault mirroring-entity", "warning mirroring-row"])
        #expect(
            try findings(
                sql: """
                    DROP INDEX Z_NSCKRecordMetadata_UNIQUE_entityId_entityPK;
                    UPDATE ANSCKRECORDMETADATA SET ZENTITYPK = 1 WHERE ZENTITYID = 8
                    """) == ["fault mirroring-unique", "warning mirroring-row"])
        #expect(
            try findings(
                sql: """
                    DROP INDEX Z_NSCKRecordMetadata_UNIQUE_ckRecordName_recordZone;
                    UPDATE ANSCKRECORDMETADATA SET ZCKRECORDNAME = 'same'
                    """) == ["fault mirroring-unique"])
        #expect(
            try findings(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'NSCKRecordMetadata'")
                == ["fault key-behind"])
    }

    @Test func `unfamiliar columns are no faults`() throws {
        #expect(
            try findings(
                sql: """
                    ALTER TABLE ANSCKRECORDMETADATA RENAME COLUMN ZENTITYPK TO ZROW;
                    ALTER TABLE ANSCKRECORDMETADATA RENAME COLUMN ZCKRECORDNAME TO ZNAME;
                    ALTER TABLE ANSCKMETADATAENTRY RENAME COLUMN ZKEY TO ZWORD
                    """) == [])
    }
}
