/// A rule of Core Data's files that a store breaks.
package struct StoreFault: Sendable, Hashable, CustomStringConvertible {
    /// Which rule, stable across releases.
    package struct Kind: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        private init(_ description: String) { self.description = description }

        /// SQLite itself finds the file damaged.
        package static let integrity = Kind("integrity")
        /// The version hashes are not those of the model.
        package static let model = Kind("model")
        /// A table or a column of the model is not there.
        package static let schema = Kind("schema")
        /// The metadata are not what every store has.
        package static let metadata = Kind("metadata")
        /// The digest or the checksum of the version hashes is not theirs.
        package static let digest = Kind("digest")
        /// An entity's row in `Z_PRIMARYKEY` is missing, or says something else than the model.
        package static let entityRecord = Kind("entity-record")
        /// An entity has an older name in `Z_PRIMARYKEY`.
        package static let staleName = Kind("stale-name")
        /// The highest key on record is lower than one in use.
        package static let keyBehind = Kind("key-behind")
        /// A key is on record where none belongs.
        package static let keyRecord = Kind("key-record")
        /// A key is not above zero.
        package static let key = Kind("key")
        /// A row has no version.
        package static let version = Kind("version")
        /// A row is of no entity, or of an entity that has another table.
        package static let rowEntity = Kind("row-entity")
        /// A row is of an abstract entity.
        package static let abstractRow = Kind("abstract-row")
        /// A value is not of its attribute's type.
        package static let type = Kind("type")
        /// A value is missing that the model demands.
        package static let required = Kind("required")
        /// Several rows have the same unique values.
        package static let unique = Kind("unique")
        /// A derived value is not what its derivation gives.
        package static let derived = Kind("derived")
        /// A relationship leads to an object that is not there.
        package static let dangling = Kind("dangling")
        /// A relationship leads to an object that does not lead back.
        package static let inverse = Kind("inverse")
        /// The entity on record of a relationship's object is not the object's.
        package static let destinationRecord = Kind("destination-record")
        /// A relationship leads to an object of an entity that it may not lead to.
        package static let destination = Kind("destination")
        /// A member of an ordered relationship has no place, or a place without being a member.
        package static let orderMissing = Kind("order-missing")
        /// Several members of an ordered relationship have one place.
        package static let orderShared = Kind("order-shared")
        /// A value of external binary data has no marker, or none that is known.
        package static let externalMarker = Kind("external-marker")
        /// The file of a value of external binary data is not there.
        package static let externalMissing = Kind("external-missing")
        /// No value names a file of external binary data.
        package static let externalOrphan = Kind("external-orphan")
        /// A change of the history belongs to no transaction.
        package static let historyTransaction = Kind("history-transaction")
        /// A transaction of the history names a text that is not there.
        package static let historyReference = Kind("history-reference")
        /// A change of the history is of no kind, or of an entity that is not there.
        package static let historyChange = Kind("history-change")
    }

    package enum Severity: String, Sendable, Hashable {
        /// Core Data can fail because of it.
        case fault
        /// Core Data lives with it.
        case warning
    }

    package var kind: Kind
    package var severity: Severity
    package var message: String
    package var entity: String?
    package var property: String?
    /// Whether it is a rule of the model, and not of the file: a save of Core Data's would have checked it.
    package var isRuleOfModel: Bool

    package init(
        _ kind: Kind, _ message: String, severity: Severity = .fault, entity: String? = nil, property: String? = nil,
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
