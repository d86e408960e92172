import TestSupport

@testable import SwormCommand

extension PlantedMirroring {
    // MARK: Faults

    static let broken: [PlantedMirroring] = [
        PlantedMirroring(
            "a record without a row, and a row without a record and without history",
            sql:
                "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (50, 7, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 50 WHERE Z_ENT = 7;"
                + MirroringSQL.insert(
                    "RecordMetadata",
                    [
                        "ZENTITYID": "2", "ZENTITYPK": "99", "ZNEEDSUPLOAD": "0", "ZNEEDSCLOUDDELETE": "0",
                        "ZCKRECORDNAME": "'\(MirroringSQL.recordPrefix)99'", "ZRECORDZONE": "1",
                    ]),
            merged(
                waits,
                [
                    "entities.Shelf.rows": "2", "entities.Shelf.rowsWithoutRecord": "1", "rowsWithoutRecord": "1",
                    "entities.Book.records": "4", "entities.Book.recordsWithoutRow": "1", "recordsWithoutRow": "1",
                    "zones.0.records": "14",
                ])),
        PlantedMirroring(
            "records of entities that the store does not have",
            sql: "UPDATE ANSCKRECORDMETADATA SET ZENTITYID = 42 WHERE ZENTITYID = 8",
            merged(
                waits,
                [
                    "strayRecords": "2", "recordsWithoutRow": "2", "rowsWithoutRecord": "2",
                    "entities.Tag.records": "0", "entities.Tag.rowsWithoutRecord": "2",
                ])),
        PlantedMirroring("a history that was cut") { workshop, _ in
            for _ in 0..<3 { try workshop.insertTags(1) }
            try workshop.execute(MirroringSQL.records(ofRowsIn: "ZTAG") + "DELETE FROM ATRANSACTION WHERE Z_PK < 4")
            return merged(
                waits,
                [
                    "history.isContinuous": "false", "history.unsent": nil, "history.unsent.0.author": "null",
                    "history.unsent.0.transactions": "1", "history.unsent.0.changes": "1", "entities.Tag.rows": "5",
                    "entities.Tag.records": "5", "zones.0.records": "16",
                ])
        },
        PlantedMirroring(
            "a token that cannot be read",
            sql: "UPDATE ANSCKMETADATAENTRY SET ZTRANSFORMEDVALUE = x'62706C697374' WHERE ZTRANSFORMEDVALUE <> x'00'",
            [
                "history.exported": "null", "history.lastExportedTransaction": "null", "history.isContinuous": "null",
                "history.unsent": "null", "nothingWaitsHere": "null",
            ]),
        PlantedMirroring("a token of another store") { workshop, _ in
            try workshop.execute("UPDATE Z_METADATA SET Z_UUID = '00000000-0000-0000-0000-000000000000'")
            return [
                "history.exported": "null", "history.lastExportedTransaction": "null", "history.isContinuous": "null",
                "history.unsent": "null", "nothingWaitsHere": "null",
            ]
        },
    ]

    // MARK: Unfamiliar tables

    static let unfamiliar: [PlantedMirroring] = [
        PlantedMirroring("columns that are missing") { workshop, _ in
            try workshop.execute(
                """
                DROP INDEX Z_NSCKRecordMetadata_UNIQUE_entityId_entityPK;
                ALTER TABLE ANSCKRECORDMETADATA RENAME COLUMN ZNEEDSUPLOAD TO ZHASCHANGES;
                ALTER TABLE ANSCKRECORDMETADATA RENAME COLUMN ZENTITYPK TO ZROW;
                ALTER TABLE ANSCKRECORDZONEMETADATA RENAME COLUMN ZNEEDSSHAREUPDATE TO ZSHARE;
                ALTER TABLE ANSCKEVENT RENAME TO ANSCKHAPPENING;
                """)
            var changes: [String: String?] = [
                "waiting.uploads": "null", "waiting.deletions": "null", "waiting.shares": "null",
                "waiting.total": "null", "finished.records": "null", "nothingWaitsHere": "null", "events": "null",
                "rowsWithoutRecord": "null", "recordsWithoutRow": "null",
            ]
            for name in ["Author", "Book", "Comic", "Poster", "Profile", "Shelf", "Tag"] {
                for fact in ["uploads", "deletions", "rowsWithoutRecord", "recordsWithoutRow"] {
                    changes["entities.\(name).\(fact)"] = "null"
                }
            }
            return changes
        },
        PlantedMirroring("tables of the first generation, whose names begin otherwise") { workshop, generation in
            for table in MirroringSQL.tableNames(generation) {
                try workshop.execute("ALTER TABLE \(table) RENAME TO Z\(table.dropFirst())")
            }
            return [:]
        },
        PlantedMirroring("values of other types") { workshop, _ in
            try workshop.execute(
                """
                UPDATE ANSCKRECORDMETADATA SET ZNEEDSUPLOAD = 'yes', ZENTITYID = 'Book' WHERE ZENTITYID = 7;
                UPDATE ANSCKRECORDMETADATA SET ZENTITYPK = 1e300 WHERE ZENTITYID = 6;
                UPDATE ANSCKRECORDZONEMETADATA SET ZLASTFETCHDATE = 'soon', ZCKRECORDZONENAME = x'FF', ZNEEDSIMPORT = 7;
                """)
            return merged(
                waits,
                [
                    "strayRecords": "1", "entities.Shelf.records": "0", "entities.Shelf.rowsWithoutRecord": "1",
                    "entities.Profile.rowsWithoutRecord": "1", "entities.Profile.recordsWithoutRow": "1",
                    "rowsWithoutRecord": "2", "recordsWithoutRow": "2", "zones.0.lastFetch": "null",
                    "zones.0.name": "null",
                ])
        },
    ]

    // MARK: Events and zones

    static let events: [PlantedMirroring] = [
        PlantedMirroring("events with and without errors") { workshop, _ in
            try workshop.execute(
                event(2, at: 50, end: nil, succeeded: 0)
                    + event(2, at: 40, end: nil, succeeded: 0, error: "'CKErrorDomain', 3")
                    + event(1, at: 30, end: 31, succeeded: 1)
                    + event(2, at: 20, end: 21, succeeded: 0, error: "'CKErrorDomain', 7")
                    + event(9, at: 10, end: 11, succeeded: 0, error: "'Own', 5"))
            return merged(
                event(
                    0,
                    [
                        "type": "export", "started": "2001-01-01T00:00:50.000Z", "ended": "null", "succeeded": "null",
                    ]),
                event(
                    1,
                    [
                        "type": "export", "started": "2001-01-01T00:00:40.000Z", "ended": "null", "succeeded": "false",
                        "errorDomain": "CKErrorDomain", "errorCode": "3",
                        "error": "there was no network (CKErrorDomain 3)",
                    ]),
                event(
                    2,
                    [
                        "type": "import", "started": "2001-01-01T00:00:30.000Z", "ended": "2001-01-01T00:00:31.000Z",
                        "succeeded": "true",
                    ]),
                event(
                    3,
                    [
                        "type": "export", "started": "2001-01-01T00:00:20.000Z", "ended": "2001-01-01T00:00:21.000Z",
                        "succeeded": "false", "errorDomain": "CKErrorDomain", "errorCode": "7",
                        "error": "the server limits the rate: too much was sent at once (CKErrorDomain 7)",
                    ]),
                event(
                    4,
                    [
                        "type": "null", "started": "2001-01-01T00:00:10.000Z", "ended": "2001-01-01T00:00:11.000Z",
                        "succeeded": "false", "errorDomain": "Own", "errorCode": "5",
                        "error": "an unknown error (Own 5)",
                    ]))
        }
    ]

    static let zones: [PlantedMirroring] = [
        PlantedMirroring("a zone of somebody else, and names that contain the user's") { workshop, _ in
            try workshop.execute(
                MirroringSQL.insert("DatabaseMetadata", ["ZDATABASESCOPENUM": "3"])
                    + MirroringSQL.insert(
                        "RecordZoneMetadata",
                        [
                            "ZDATABASE": "2", "ZCKOWNERNAME": "'_somebody'", "ZNEEDSIMPORT": "1",
                            "ZNEEDSRECOVERYFROMZONEDELETE": "1", "ZNEEDSSHAREUPDATE": "0", "ZNEEDSSHAREDELETE": "0",
                            "ZCKRECORDZONENAME": "'zone-\(MirroringSQL.userRecord)-1'",
                        ]))
            try workshop.insertTags(1, author: MirroringSQL.userRecord)
            return merged(
                waits, optional(MirroringFacts.zone(1, "zone-(user)-1", records: 0)),
                [
                    "zones.1.isOwnedByThisAccount": "false", "zones.1.database": "shared", "zones.1.lastFetch": "null",
                    "zones.1.hasChangeToken": "false", "zones.1.needs": nil, "zones.1.needs.0": "import",
                    "zones.1.needs.1": "recovery from a deleted zone", "history.unsent": nil, "entities.Tag.rows": "3",
                    "entities.Tag.rowsWithoutRecord": "1", "rowsWithoutRecord": "1",
                ], optional(MirroringFacts.unsent(0, author: "(user)", transactions: 1, changes: 1)))
        },
        PlantedMirroring("two names of the user's record, one of which contains the other") { workshop, _ in
            let names = [MirroringSQL.userRecord, MirroringSQL.userRecord + "-2"]
            try workshop.execute(
                MirroringSQL.insert(
                    "MetadataEntry",
                    [
                        "ZKEY": "'NSCloudKitMirroringDelegateCKIdentityRecordNameDefaultsKey'",
                        "ZSTRINGVALUE": "'\(names[1])'",
                    ]))
            try workshop.insertTags(1, author: names.joined(separator: "/"))
            return merged(
                waits,
                [
                    "hasAccount": "null", "history.unsent": nil, "entities.Tag.rows": "3",
                    "entities.Tag.rowsWithoutRecord": "1", "rowsWithoutRecord": "1",
                ], optional(MirroringFacts.unsent(0, author: "(user)/(user)", transactions: 1, changes: 1)))
        },
    ]
}
