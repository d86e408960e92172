import TestSupport

@testable import SwormCommand

extension PlantedMirroring {
    private static let unconnected =
        "It is unknown whether something waits here: the history does not continue from the last exported transaction."
    private static let incomplete =
        "It is unknown whether something waits here: transactions after the last exported one may be missing from the history."

    /// Plants three tags with records, so that nothing but the history can show that they were not exported.
    private static func insertTags(_ workshop: Workshop, sql: String) throws -> [String: String?] {
        for _ in 0..<3 { try workshop.insertTags(1) }
        try workshop.execute(MirroringSQL.records(ofRowsIn: "ZTAG") + sql)
        return [
            "nothingWaitsHere": "null", "entities.Tag.rows": "5", "entities.Tag.records": "5", "zones.0.records": "16",
        ]
    }

    /// Histories in which nothing is left to send, but from which transactions are missing.
    static let gaps: [PlantedMirroring] = [
        PlantedMirroring("a history that was cut up to an import", conclusion: unconnected) { workshop, _ in
            let facts = try insertTags(
                workshop,
                sql: """
                    DELETE FROM ATRANSACTION WHERE Z_PK < 4;
                    INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, 'NSCloudKitMirroringDelegate.import');
                    UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT max(Z_PK) FROM ATRANSACTIONSTRING);
                    """)
            return merged(facts, ["history.isContinuous": "false"])
        },
        PlantedMirroring("a history without its end", conclusion: incomplete) { workshop, _ in
            let facts = try insertTags(workshop, sql: "DELETE FROM ATRANSACTION WHERE Z_PK > 1")
            return merged(facts, ["history.isContinuous": "null"])
        },
        PlantedMirroring("a history with a gap in its middle", conclusion: incomplete) { workshop, _ in
            let facts = try insertTags(
                workshop,
                sql: """
                    DELETE FROM ATRANSACTION WHERE Z_PK = 3;
                    INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, 'NSCloudKitMirroringDelegate.import');
                    UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT max(Z_PK) FROM ATRANSACTIONSTRING);
                    """)
            return merged(facts, ["history.isContinuous": "null"])
        },
        PlantedMirroring("a history that was emptied", conclusion: unconnected) { workshop, _ in
            let facts = try insertTags(workshop, sql: "DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
            return merged(facts, ["history.isContinuous": "false"])
        },
        PlantedMirroring("a token above the highest transaction", conclusion: unconnected) { workshop, _ in
            try workshop.exportHistory(upTo: 9)
            return [
                "nothingWaitsHere": "null", "history.isContinuous": "false", "history.lastExportedTransaction": "9",
            ]
        },
    ]
}
