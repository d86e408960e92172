/// The tables of a mirroring to CloudKit as SQL, written from what is known of their schema.
package enum MirroringSQL {
    /// A form of the tables.
    package enum Generation: String, CaseIterable, Sendable {
        /// Records, system fields and shares are in tables of their own.
        case assetTables
        /// They are in columns of the tables that they belong to.
        case assetColumns
    }

    /// The name of the user's record in a planted account, which nothing may show.
    package static let userRecord = "_c0ffee5ecretuserrecord"
    /// The beginning of the names of planted records, which nothing may show.
    package static let recordPrefix = "record-name-"

    private static let asset = "ZBINARYDATA BLOB, ZEXTERNALBINARYDATA BLOB"
    private static let related =
        "ZCDENTITYNAME VARCHAR, ZRECORDNAME VARCHAR, ZRELATEDENTITYNAME VARCHAR, ZRELATEDRECORDNAME VARCHAR, ZRELATIONSHIPNAME VARCHAR"

    /// The entities and the columns of their tables, in the order of the entities' numbers.
    private static func tables(_ generation: Generation) -> [(name: String, columns: String)] {
        let isNew = generation == .assetTables
        let record = isNew ? "ZENCODEDRECORDASSET INTEGER, ZSYSTEMFIELDSASSET INTEGER, " : ""
        let recordBlobs =
            isNew ? "" : ", ZCKRECORDSYSTEMFIELDS BLOB, ZENCODEDRECORD BLOB, ZCKSHARE BLOB"
        let relationship = isNew ? "ZSYSTEMFIELDSASSET INTEGER, " : ""
        let relationshipBlobs = isNew ? "" : ", ZCKRECORDSYSTEMFIELDS BLOB"
        let zone = isNew ? "ZENCODEDSHAREASSET INTEGER, " : ""
        let zoneBlobs = isNew ? "" : ", ZENCODEDSHAREDATA BLOB"
        let all: [(name: String, columns: String)?] = [
            (
                "DatabaseMetadata",
                "ZDATABASESCOPENUM INTEGER, ZHASSUBSCRIPTIONNUM INTEGER, ZLASTFETCHDATE TIMESTAMP, ZDATABASENAME VARCHAR, ZCURRENTCHANGETOKEN BLOB"
            ),
            (
                "Event",
                "ZCLOUDKITEVENTTYPE INTEGER, ZCOUNTAFFECTEDOBJECTS INTEGER, ZCOUNTFINISHEDOBJECTS INTEGER, ZERRORCODE INTEGER, ZSUCCEEDED INTEGER, ZENDEDAT TIMESTAMP, ZSTARTEDAT TIMESTAMP, ZERRORDOMAIN VARCHAR, ZEVENTIDENTIFIER BLOB"
            ),
            (
                "ExportedObject",
                "ZCHANGETYPENUM INTEGER, ZTYPENUM INTEGER, ZOPERATION INTEGER, ZCKRECORDNAME VARCHAR, ZZONENAME VARCHAR"
            ), ("ExportMetadata", "ZEXPORTEDAT TIMESTAMP, ZIDENTIFIER VARCHAR, ZHISTORYTOKEN BLOB"),
            ("ExportOperation", "ZSTATUSNUM INTEGER, ZEXPORTMETADATA INTEGER, ZIDENTIFIER VARCHAR"),
            (
                "HistoryAnalyzerState",
                "ZENTITYID INTEGER, ZENTITYPK INTEGER, ZFINALCHANGETYPENUM INTEGER, ZFINALTRANSACTIONNUMBER INTEGER, ZORIGINALCHANGETYPENUM INTEGER, ZORIGINALTRANSACTIONNUMBER INTEGER, ZFINALCHANGEAUTHOR VARCHAR"
            ), ("ImportOperation", "ZIMPORTDATE TIMESTAMP, ZOPERATIONUUID BLOB, ZCHANGETOKENBYTES BLOB"),
            (
                "ImportPendingRelationship",
                "ZNEEDSDELETE INTEGER, ZOPERATION INTEGER, ZRECORDZONENAME VARCHAR, ZRECORDZONEOWNERNAME VARCHAR, \(related)"
            ),
            (
                "MetadataEntry",
                "ZBOOLVALUENUM INTEGER, ZINTEGERVALUE INTEGER, ZDATEVALUE TIMESTAMP, ZKEY VARCHAR, ZSTRINGVALUE VARCHAR, ZTRANSFORMEDVALUE BLOB"
            ),
            (
                "MirroredRelationship",
                "ZISPENDING INTEGER, ZISUPLOADED INTEGER, ZNEEDSDELETE INTEGER, ZRECORDZONE INTEGER, \(relationship)ZCKRECORDID VARCHAR, \(related)\(relationshipBlobs)"
            ), isNew ? ("MirroredRelationshipSystemFieldsAsset", "ZMIRROREDRELATIONSHIP INTEGER, \(asset)") : nil,
            (
                "RecordMetadata",
                "ZENTITYID INTEGER, ZENTITYPK INTEGER, ZLASTEXPORTEDTRANSACTIONNUMBER INTEGER, ZNEEDSCLOUDDELETE INTEGER, ZNEEDSLOCALDELETE INTEGER, ZNEEDSUPLOAD INTEGER, ZPENDINGEXPORTCHANGETYPENUMBER INTEGER, ZPENDINGEXPORTTRANSACTIONNUMBER INTEGER, \(record)ZRECORDZONE INTEGER, ZCKRECORDNAME VARCHAR\(recordBlobs)"
            ), isNew ? ("RecordMetadataEncodedRecordAsset", "ZRECORD INTEGER, \(asset)") : nil,
            isNew ? ("RecordMetadataSystemFieldsAsset", "ZRECORD INTEGER, \(asset)") : nil,
            (
                "RecordZoneMetadata",
                "ZHASRECORDZONENUM INTEGER, ZHASSUBSCRIPTIONNUM INTEGER, ZNEEDSIMPORT INTEGER, ZNEEDSNEWSHAREINVITATION INTEGER, ZNEEDSRECOVERYFROMIDENTITYLOSS INTEGER, ZNEEDSRECOVERYFROMUSERPURGE INTEGER, ZNEEDSRECOVERYFROMZONEDELETE INTEGER, ZNEEDSSHAREDELETE INTEGER, ZNEEDSSHAREUPDATE INTEGER, ZSUPPORTSATOMICCHANGES INTEGER, ZSUPPORTSFETCHCHANGES INTEGER, ZSUPPORTSRECORDSHARING INTEGER, ZSUPPORTSZONESHARING INTEGER, ZDATABASE INTEGER, \(zone)ZLASTFETCHDATE TIMESTAMP, ZCKOWNERNAME VARCHAR, ZCKRECORDZONENAME VARCHAR, ZCURRENTCHANGETOKEN BLOB\(zoneBlobs)"
            ), isNew ? ("RecordZoneMetadataEncodedShareAsset", "ZRECORDZONE INTEGER, \(asset)") : nil,
            (
                "RecordZoneMoveReceipt",
                "ZNEEDSCLOUDDELETE INTEGER, ZRECORDMETADATA INTEGER, ZMOVEDAT TIMESTAMP, ZOWNERNAME VARCHAR, ZRECORDNAME VARCHAR, ZZONENAME VARCHAR"
            ),
            (
                "RecordZoneQuery",
                "ZRECORDZONE INTEGER, ZLASTFETCHDATE TIMESTAMP, ZMOSTRECENTRECORDMODIFICATIONDATE TIMESTAMP, ZRECORDTYPE VARCHAR, ZPREDICATE BLOB, ZQUERYCURSOR BLOB"
            ),
        ]
        return all.compactMap(\.self)
    }

    private static let uniqueKeys: [(entity: String, properties: [String], columns: [String])] = [
        ("RecordMetadata", ["entityId", "entityPK"], ["ZENTITYID", "ZENTITYPK"]),
        ("RecordMetadata", ["ckRecordName", "recordZone"], ["ZCKRECORDNAME", "ZRECORDZONE"]),
        ("HistoryAnalyzerState", ["entityId", "entityPK"], ["ZENTITYID", "ZENTITYPK"]),
        ("MirroredRelationship", ["ckRecordID", "recordZone"], ["ZCKRECORDID", "ZRECORDZONE"]),
        (
            "RecordZoneMetadata", ["ckRecordZoneName", "ckOwnerName", "database"],
            ["ZCKRECORDZONENAME", "ZCKOWNERNAME", "ZDATABASE"]
        ), ("DatabaseMetadata", ["databaseScopeNum"], ["ZDATABASESCOPENUM"]),
        ("Event", ["eventIdentifier"], ["ZEVENTIDENTIFIER"]),
        ("RecordZoneQuery", ["recordType", "recordZone"], ["ZRECORDTYPE", "ZRECORDZONE"]),
    ]

    /// The statements that add the empty tables to a store, their unique indexes, and their rows of keys.
    package static func schema(_ generation: Generation = .assetTables) -> String {
        var statements: [String] = []
        for (index, table) in tables(generation).enumerated() {
            statements += [
                "CREATE TABLE \(name(table.name)) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(table.columns) )",
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(17_001 + index), 'NSCK\(table.name)', 0, 0)",
            ]
        }
        for key in uniqueKeys {
            let columns = key.columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
            statements.append(
                "CREATE UNIQUE INDEX Z_NSCK\(key.entity)_UNIQUE_\(key.properties.joined(separator: "_")) ON \(name(key.entity)) (\(columns))"
            )
        }
        statements.append("CREATE INDEX ANSCKRECORDMETADATA_ZRECORDZONE_INDEX ON ANSCKRECORDMETADATA (ZRECORDZONE)")
        return statements.joined(separator: ";\n") + ";\n"
    }

    /// The names of the tables.
    package static func tableNames(_ generation: Generation = .assetTables) -> [String] {
        tables(generation).map { name($0.name) }
    }

    private static func name(_ entity: String) -> String { "ANSCK" + entity.uppercased() }

    /// Inserts a row into a table. The values are SQL.
    package static func insert(_ entity: String, _ values: KeyValuePairs<String, String>) -> String {
        let columns = ["Z_ENT", "Z_OPT"] + values.map(\.key)
        let number = "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'NSCK\(entity)')"
        let all = [number, "1"] + values.map(\.value)
        return
            "INSERT INTO \(name(entity)) (\(columns.joined(separator: ", "))) VALUES (\(all.joined(separator: ", ")));\n"
    }

    /// Inserts a record for each row of a table that has none.
    ///
    /// - Parameter identity: The SQL of the end of a record's name.
    package static func records(
        ofRowsIn table: String, identity: String = "Z_ENT || '-' || Z_PK", needsUpload: Bool = false
    ) -> String {
        """
        INSERT INTO ANSCKRECORDMETADATA (Z_ENT, Z_OPT, ZENTITYID, ZENTITYPK, ZLASTEXPORTEDTRANSACTIONNUMBER, \
        ZNEEDSCLOUDDELETE, ZNEEDSLOCALDELETE, ZNEEDSUPLOAD, ZRECORDZONE, ZCKRECORDNAME) \
        SELECT (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'NSCKRecordMetadata'), 1, Z_ENT, Z_PK, 1, 0, 0, \
        \(needsUpload ? 1 : 0), 1, '\(recordPrefix)' || \(identity) FROM \(table) AS t WHERE NOT EXISTS \
        (SELECT 1 FROM ANSCKRECORDMETADATA AS r WHERE r.ZENTITYPK = t.Z_PK AND r.ZENTITYID = t.Z_ENT);

        """
    }

    /// Inserts the usual zone and its database.
    package static let zone =
        insert(
            "DatabaseMetadata", ["ZDATABASESCOPENUM": "2", "ZHASSUBSCRIPTIONNUM": "1", "ZDATABASENAME": "'Private'"])
        + insert(
            "RecordZoneMetadata",
            [
                "ZHASRECORDZONENUM": "1", "ZNEEDSIMPORT": "0", "ZNEEDSSHAREDELETE": "0", "ZNEEDSSHAREUPDATE": "0",
                "ZDATABASE": "1", "ZLASTFETCHDATE": "800000000", "ZCKOWNERNAME": "'__defaultOwner__'",
                "ZCKRECORDZONENAME": "'com.apple.coredata.cloudkit.zone'", "ZCURRENTCHANGETOKEN": "x'01'",
            ])

    /// Inserts the metadata that exist without an account.
    package static let metadata =
        insert("MetadataEntry", ["ZKEY": "'PFCloudKitMetadataClientVersionHashesKey'", "ZTRANSFORMEDVALUE": "x'00'"])
        + insert("MetadataEntry", ["ZKEY": "'PFCloudKitMetadataFrameworkVersionKey'", "ZINTEGERVALUE": "1522"])
        + insert("MetadataEntry", ["ZKEY": "'PFCloudKitMetadataModelVersionHashesKey'", "ZTRANSFORMEDVALUE": "x'00'"])
        + insert("MetadataEntry", ["ZKEY": "'PFCloudKitMetadataNeedsMetadataMigrationKey'", "ZBOOLVALUENUM": "0"])

    /// Inserts the metadata of an account.
    package static let account =
        insert(
            "MetadataEntry",
            [
                "ZKEY": "'NSCloudKitMirroringDelegateCKIdentityRecordNameDefaultsKey'",
                "ZSTRINGVALUE": "'\(userRecord)'",
            ])
        + insert(
            "MetadataEntry",
            ["ZKEY": "'NSCloudKitMirroringDelegateCheckedCKIdentityDefaultsKey'", "ZBOOLVALUENUM": "1"])

    /// Replaces the archived token of the last exported transaction.
    ///
    /// - Parameter archive: The archive in hexadecimal digits.
    package static func token(_ archive: String) -> String {
        let key = "'NSCloudKitMirroringDelegateLastHistoryTokenKey'"
        return "DELETE FROM ANSCKMETADATAENTRY WHERE ZKEY = \(key);\n"
            + insert("MetadataEntry", ["ZKEY": key, "ZTRANSFORMEDVALUE": "x'\(archive)'"])
    }

    /// Records the highest keys of the tables that have rows, as Core Data does.
    package static let raiseKeys = tables(.assetColumns).map {
        "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, (SELECT ifnull(max(Z_PK), 0) FROM \(name($0.name)))) WHERE Z_NAME = 'NSCK\($0.name)';\n"
    }.joined()
}
