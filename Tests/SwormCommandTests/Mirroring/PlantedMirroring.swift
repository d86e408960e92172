import Foundation
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

/// A state of a mirrored store that is planted, and in which facts it differs from a store that was exported.
struct PlantedMirroring: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Whether all objects were exported before.
    var isExported = true
    /// The first sentence of the conclusion, if it has a reason.
    var conclusion: String?
    /// Plants the state, and returns the facts that are different.
    var plant: @Sendable (Workshop, MirroringSQL.Generation) throws -> [String: String?]

    init(
        _ name: String, isExported: Bool = true, conclusion: String? = nil,
        plant: @escaping @Sendable (Workshop, MirroringSQL.Generation) throws -> [String: String?]
    ) {
        testDescription = name
        self.isExported = isExported
        self.conclusion = conclusion
        self.plant = plant
    }

    init(_ name: String, sql: String, _ changes: [String: String?]) {
        self.init(name) { workshop, _ in
            try workshop.execute(sql)
            return changes
        }
    }

    static let waits: [String: String?] = ["nothingWaitsHere": "false"]
    /// Event rows need no more than these columns.
    static func event(_ type: Int, at start: Int, end: Int?, succeeded: Int?, error: String = "NULL, NULL")
        -> String
    {
        "INSERT INTO ANSCKEVENT (ZCLOUDKITEVENTTYPE, ZSTARTEDAT, ZENDEDAT, ZSUCCEEDED, ZERRORDOMAIN, ZERRORCODE, ZEVENTIDENTIFIER) VALUES (\(type), \(start), \(end.map(String.init) ?? "NULL"), \(succeeded.map(String.init) ?? "NULL"), \(error), randomblob(16));"
    }

    static func event(_ index: Int, _ facts: [String: String?]) -> [String: String?] {
        var result: [String: String?] = ["events": nil]
        let empty: [String: String?] = ["errorDomain": "null", "errorCode": "null", "error": "null"]
        for (name, value) in empty.merging(facts, uniquingKeysWith: { $1 }) {
            result["events.\(index).\(name)"] = value
        }
        return result
    }

    static func merged(_ parts: [String: String?]...) -> [String: String?] {
        parts.reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    static func optional(_ facts: [String: String]) -> [String: String?] { facts.mapValues { $0 } }

    static let all = Array([waiting, sent, starting, broken, gaps, unfamiliar, events, zones].joined())

    // MARK: What waits

    static let waiting: [PlantedMirroring] = [
        PlantedMirroring("inserted rows that were analyzed") { workshop, _ in
            try workshop.insertTags(2)
            try workshop.execute(MirroringSQL.records(ofRowsIn: "ZTAG", needsUpload: true))
            try workshop.exportHistory()
            return merged(
                waits,
                [
                    "waiting.uploads": "2", "waiting.total": "2", "entities.Tag.rows": "4", "entities.Tag.records": "4",
                    "entities.Tag.uploads": "2", "history.lastExportedTransaction": "2", "zones.0.records": "15",
                ])
        },
        PlantedMirroring("inserted rows that were not analyzed") { workshop, _ in
            try workshop.insertTags(2, author: "server")
            try workshop.insertTags(1)
            return merged(
                waits,
                [
                    "entities.Tag.rows": "5", "entities.Tag.rowsWithoutRecord": "3", "rowsWithoutRecord": "3",
                    "history.unsent": nil, "history.unsent.0.author": "null",
                ], optional(MirroringFacts.unsent(1, author: "server", transactions: 1, changes: 2)),
                ["history.unsent.0.transactions": "1", "history.unsent.0.changes": "1"])
        },
        PlantedMirroring(
            "updates", sql: "UPDATE ANSCKRECORDMETADATA SET ZNEEDSUPLOAD = 1 WHERE ZENTITYID IN (2, 3)",
            merged(
                waits,
                [
                    "waiting.uploads": "4", "waiting.total": "4", "entities.Book.uploads": "3",
                    "entities.Comic.uploads": "1",
                ])),
        PlantedMirroring(
            "deletions that were analyzed",
            sql:
                "DELETE FROM ZSHELF; UPDATE ANSCKRECORDMETADATA SET ZNEEDSUPLOAD = 1, ZNEEDSCLOUDDELETE = 1 WHERE ZENTITYID = 7",
            merged(
                waits,
                [
                    "waiting.uploads": "1", "waiting.deletions": "1", "waiting.total": "1",
                    "entities.Shelf.rows": "0", "entities.Shelf.uploads": "1", "entities.Shelf.deletions": "1",
                    "entities.Shelf.recordsWithoutRow": "1", "recordsWithoutRow": "1",
                ])),
        PlantedMirroring("a deletion that was not analyzed") { workshop, _ in
            try workshop.change(author: "server") { request, _ in
                request.deletions.append(.init(row: .init(entity: 6, key: 1), version: nil))
                request.updates.append(
                    .init(
                        row: .init(entity: 1, key: 1), version: nil, attributes: SlotValues(),
                        toOnes: [(slot: 1, destination: nil)]))
            }
            return merged(
                waits,
                [
                    "entities.Profile.rows": "0", "entities.Profile.recordsWithoutRow": "1", "recordsWithoutRow": "1",
                    "history.unsent": nil,
                ], optional(MirroringFacts.unsent(0, author: "server", transactions: 1, changes: 2)))
        },
        PlantedMirroring(
            "links",
            sql: "UPDATE ANSCKMIRROREDRELATIONSHIP SET ZISUPLOADED = 0 WHERE Z_PK < 3",
            merged(waits, ["waiting.relationships": "2", "waiting.total": "2"])),
        PlantedMirroring(
            "shares",
            sql:
                "UPDATE ANSCKRECORDZONEMETADATA SET ZNEEDSSHAREUPDATE = 1; INSERT INTO ANSCKRECORDZONEMETADATA (ZCKRECORDZONENAME, ZCKOWNERNAME, ZDATABASE, ZNEEDSSHAREDELETE, ZNEEDSSHAREUPDATE) VALUES ('shared', '__defaultOwner__', 1, 1, 0)",
            merged(
                waits, optional(MirroringFacts.zone(1, "shared", records: 0)),
                [
                    "waiting.shares": "2", "waiting.total": "2", "zones.0.needs": nil,
                    "zones.0.needs.0": "update of the share", "zones.1.needs": nil,
                    "zones.1.needs.0": "deletion of the share", "zones.1.lastFetch": "null",
                    "zones.1.hasChangeToken": "false",
                ])),
        PlantedMirroring(
            "a moved record",
            sql: MirroringSQL.insert("RecordZoneMoveReceipt", ["ZNEEDSCLOUDDELETE": "1", "ZRECORDMETADATA": "3"])
                + MirroringSQL.insert("RecordZoneMoveReceipt", ["ZNEEDSCLOUDDELETE": "0", "ZRECORDMETADATA": "4"]),
            merged(waits, ["waiting.movedRecords": "1", "waiting.total": "1"])),
    ]

    // MARK: What was sent

    static let sent: [PlantedMirroring] = [
        PlantedMirroring("everything was exported") { _, _ in [:] },
        PlantedMirroring(
            "a deletion that was sent",
            sql:
                "DELETE FROM ZSHELF; UPDATE ANSCKRECORDMETADATA SET ZNEEDSCLOUDDELETE = 1 WHERE ZENTITYID = 7",
            [
                "finished.records": "1", "entities.Shelf.rows": "0", "entities.Shelf.recordsWithoutRow": "1",
                "recordsWithoutRow": "1",
            ]),
        PlantedMirroring(
            "a deleted link that was sent",
            sql: "UPDATE ANSCKMIRROREDRELATIONSHIP SET ZNEEDSDELETE = 1 WHERE Z_PK = 1",
            ["finished.relationships": "1"]),
        PlantedMirroring("changes that came from the server") { workshop, _ in
            // An import is written by Core Data, never by this library.
            try workshop.insertTags(1)
            try workshop.execute(
                """
                INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, 'NSCloudKitMirroringDelegate.import');
                UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT max(Z_PK) FROM ATRANSACTIONSTRING) WHERE Z_PK = 2;
                """ + MirroringSQL.records(ofRowsIn: "ZTAG"))
            return ["entities.Tag.rows": "3", "entities.Tag.records": "3", "zones.0.records": "14"]
        },
    ]

    // MARK: Beginnings

    static let starting: [PlantedMirroring] = [
        PlantedMirroring("nobody has signed in", isExported: false) { workshop, _ in
            try workshop.execute(event(0, at: 10, end: 11, succeeded: 0, error: "'NSCocoaErrorDomain', 134400"))
            return merged(
                MirroringFacts.nothingExported, event(0, setupWithoutAccount),
                ["hasAccount": "false", "zones": "[]"])
        },
        PlantedMirroring("a reset") { workshop, _ in
            try workshop.execute(
                """
                DELETE FROM ANSCKRECORDMETADATA; DELETE FROM ANSCKMIRROREDRELATIONSHIP;
                DELETE FROM ANSCKRECORDZONEMETADATA;
                DELETE FROM ANSCKMETADATAENTRY WHERE ZKEY LIKE '%LastHistoryTokenKey';
                INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, 'NSCloudKitMirroringDelegate.reset');
                INSERT INTO ATRANSACTION (Z_ENT, ZAUTHORTS, ZTIMESTAMP) SELECT 16002, max(Z_PK), 1 FROM ATRANSACTIONSTRING;
                """)
            return merged(MirroringFacts.nothingExported, ["zones": "[]"])
        },
        PlantedMirroring("migrated by this library") { workshop, _ in
            let bell =
                #"<entity name="Bell" representedClassName="Bell"><attribute name="tone" optional="YES" attributeType="String"/></entity>"#
            let text = LibraryXML.text.replacingOccurrences(
                of: #"<entity name="Book""#, with: bell + #"<entity name="Book""#)
            try workshop.write(text, model: "Library")
            let run = Run(["migrate", workshop.storePath, "--model", workshop.modelPath, "--mirrored"])
            guard run.code == .ok else { return ["migrated": run.err] }
            var changes: [String: String?] = ["fetchesZonesAgain": "true"]
            for (name, number) in [
                "Book": 3, "Comic": 4, "Poster": 6, "Profile": 7, "Shelf": 8, "Tag": 9, "Bell": 2,
            ] { changes["entities.\(name).number"] = "\(number)" }
            changes["entities.Bell.name"] = "Bell"
            for fact in [
                "rows", "records", "uploads", "deletions", "rowsWithoutRecord", "recordsWithoutRow",
            ] { changes["entities.Bell." + fact] = "0" }
            return changes
        },
    ]

    static let setupWithoutAccount: [String: String?] = [
        "type": "setup", "started": "2001-01-01T00:00:10.000Z", "ended": "2001-01-01T00:00:11.000Z",
        "succeeded": "false", "errorDomain": "NSCocoaErrorDomain", "errorCode": "134400",
        "error": "there is no account that can be used (NSCocoaErrorDomain 134400)",
    ]
}
