/// A violation of a rule of Core Data's file format, or of a model.
package struct StoreIssue: Sendable, Hashable, CustomStringConvertible {
    /// The violated rule; its description is stable across releases.
    package struct Kind: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }

        /// SQLite itself reports the file as damaged.
        static let integrity = Kind("integrity")
        /// The version hashes are not those of the model.
        package static let model = Kind("model")
        /// A table or a column of the model is missing.
        static let schema = Kind("schema")
        /// The metadata lacks entries that every store has, or has invalid ones.
        static let metadata = Kind("metadata")
        /// The digest or the checksum of the version hashes does not match them.
        static let digest = Kind("digest")
        /// An entity's row in `Z_PRIMARYKEY` is missing, or does not match the model.
        static let entityRecord = Kind("entity-record")
        /// An entity has an older name in `Z_PRIMARYKEY`.
        static let staleName = Kind("stale-name")
        /// The highest recorded key is lower than one in use.
        static let keyBehind = Kind("key-behind")
        /// A highest key is recorded for an entity that must not have one.
        static let keyRecord = Kind("key-record")
        /// A key is not greater than zero.
        static let key = Kind("key")
        /// A row has no version.
        static let version = Kind("version")
        /// A row belongs to no entity, or to an entity that has another table.
        static let rowEntity = Kind("row-entity")
        /// A row belongs to an abstract entity.
        static let abstractRow = Kind("abstract-row")
        /// A value does not have its attribute's type.
        static let type = Kind("type")
        /// A value that the model requires is missing.
        static let required = Kind("required")
        /// Several rows have the same values, which must be unique.
        static let unique = Kind("unique")
        /// A derived value differs from the result of its derivation.
        static let derived = Kind("derived")
        /// A relationship points to a missing object.
        static let dangling = Kind("dangling")
        /// A relationship points to an object that does not point back.
        static let inverse = Kind("inverse")
        /// The recorded entity of a relationship's object is not the object's entity.
        static let destinationRecord = Kind("destination-record")
        /// A relationship points to an object whose entity it does not allow.
        static let destination = Kind("destination")
        /// A member of an ordered relationship has no position, or an object has a position without being a member.
        static let orderMissing = Kind("order-missing")
        /// Several members of an ordered relationship have the same position.
        static let orderShared = Kind("order-shared")
        /// A value of external binary data has no marker, or an unknown one.
        static let externalMarker = Kind("external-marker")
        /// The file of a value of external binary data is missing.
        static let externalMissing = Kind("external-missing")
        /// No value references a file of external binary data.
        static let externalOrphan = Kind("external-orphan")
        /// A change of the history belongs to no transaction.
        static let historyTransaction = Kind("history-transaction")
        /// A transaction of the history references a missing string.
        static let historyReference = Kind("history-reference")
        /// A change of the history has an unknown type, or an entity that does not exist.
        static let historyChange = Kind("history-change")
        /// Rows of the mirroring's tables have the same values, which must be unique.
        static let mirroringUnique = Kind("mirroring-unique")
        /// A record of the mirroring belongs to an entity that does not exist.
        static let mirroringEntity = Kind("mirroring-entity")
        /// A record of the mirroring has no row, and its deletion does not wait for upload.
        static let mirroringRecord = Kind("mirroring-record")
        /// A row has no record, and its insertion does not wait for upload.
        static let mirroringRow = Kind("mirroring-row")
    }

    package enum Severity: String, Sendable, Hashable {
        /// Core Data can fail because of the finding. Scripts read the raw value in the output of `verify`.
        case error = "fault"
        /// Core Data tolerates the finding.
        case warning
        /// The store is as it should be, and the finding is good to know.
        case note
    }

    package var kind: Kind
    package var severity: Severity
    package var message: String
    package var entity: String?
    package var property: String?
    /// Whether a rule of the model is violated, and not one of the file: Core Data checks such rules when it saves.
    var isRuleOfModel: Bool

    package init(
        _ kind: Kind, _ message: String, severity: Severity = .error, entity: String? = nil, property: String? = nil,
        isRuleOfModel: Bool = false
    ) {
        self.kind = kind
        self.severity = severity
        self.message = message
        self.entity = entity
        self.property = property
        self.isRuleOfModel = isRuleOfModel
    }

    package var description: String { message }
}
