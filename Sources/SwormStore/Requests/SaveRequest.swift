package import SwormPredicates

/// The changes that a context asks a store to write in one transaction.
package struct SaveRequest: Sendable {
    package struct Insertion: Sendable {
        /// The row with its temporary, negative key, or with the key that was obtained in advance.
        package var row: RowID
        /// The attribute values by slot. Transient and derived attributes are ignored.
        package var attributes: [AttributeValue]
        /// The exact contents of columns by attribute slot, which replace the values above. They are used for copies
        /// of stores whose columns hold contents that no value of the attribute's type is written as.
        package var exact: [Int: ExactValue] = [:]
        /// The destinations by relationship slot; nil for a to-many relationship, and for a to-one relationship
        /// without a destination.
        package var toOnes: [RowID?]
        /// The last known version of an earlier row with this key that is recreated, or nil for a new row.
        ///
        /// The recreated row gets a higher version, because other contexts may still hold the old row and must not
        /// mistake one for the other.
        package var lostVersion: Int64?
        package init(row: RowID, attributes: [AttributeValue], toOnes: [RowID?], lostVersion: Int64? = nil) {
            self.row = row
            self.attributes = attributes
            self.toOnes = toOnes
            self.lostVersion = lostVersion
        }
    }

    package struct Update: Sendable {
        package var row: RowID
        /// The version that the row must still have, or nil to write unconditionally.
        package var version: Int64?
        package var attributes: SlotValues
        package var toOnes: [(slot: Int, destination: RowID?)]
        package init(
            row: RowID, version: Int64?, attributes: SlotValues, toOnes: [(slot: Int, destination: RowID?)]
        ) {
            self.row = row
            self.version = version
            self.attributes = attributes
            self.toOnes = toOnes
        }
    }

    package struct Deletion: Sendable {
        package var row: RowID
        package var version: Int64?
        /// The to-many relationships whose members must all be deleted with the row, and whose links are not guarded
        /// by a version.
        var emptied: [Emptied]
        package init(row: RowID, version: Int64?, emptied: [Emptied] = []) {
            self.row = row
            self.version = version
            self.emptied = emptied
        }
    }

    /// A relationship that must not have members other than those that are deleted too.
    package struct Emptied: Sendable {
        var relationship: Int
        /// The keys of the members that are unlinked deliberately and are not deleted.
        var unlinked: Set<Int64>
        package init(relationship: Int, unlinked: Set<Int64>) {
            self.relationship = relationship
            self.unlinked = unlinked
        }
    }

    /// A row that is not written, and must nevertheless have the version that was read.
    package struct Expectation: Sendable {
        package var row: RowID
        package var version: Int64
        package init(row: RowID, version: Int64) {
            self.row = row
            self.version = version
        }
    }

    /// A change of a many-to-many relationship, or of a relationship without an inverse, listed from one side only.
    package struct Link: Sendable, Hashable {
        package var owner: RowID
        package var relationship: Int
        package var destination: RowID
        package init(owner: RowID, relationship: Int, destination: RowID) {
            self.owner = owner
            self.relationship = relationship
            self.destination = destination
        }
    }

    /// The position of one object in an ordered relationship.
    package struct Position: Sendable, Hashable {
        package var link: Link
        package var orderKey: Int64
        package init(link: Link, orderKey: Int64) {
            self.link = link
            self.orderKey = orderKey
        }
    }

    package var insertions: [Insertion] = []
    package var updates: [Update] = []
    package var deletions: [Deletion] = []
    package var expectations: [Expectation] = []
    /// Rows that keep their values while their members change, and that only one of several concurrent transactions may
    /// change so. A store in which every later commit is a conflict for a transaction ignores them.
    package var touched: [RowID] = []
    package var addedLinks: [Link] = []
    package var removedLinks: [Link] = []
    /// The order keys to write after links are added.
    package var positions: [Position] = []
    /// The author of the changes, for the store's history.
    package var author: String?
    /// The name of the context that makes the changes, for the store's history.
    package var contextName: String?
    /// Whether rows of the request may have the same unique values. They are then compared before anything is written,
    /// because a file may lack the index that reports them.
    package var mayRepeatValues = false

    package init() {}

    /// Whether there is nothing to write, regardless of the author and the context.
    package var isEmpty: Bool {
        insertions.isEmpty && updates.isEmpty && deletions.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty
            && positions.isEmpty
    }

    /// Whether the request changes nothing but the values of attributes of rows that exist.
    var changesOnlyAttributes: Bool {
        insertions.isEmpty && deletions.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty && positions.isEmpty
            && updates.allSatisfy(\.toOnes.isEmpty)
    }
}

/// The result of a save.
package struct SaveResult: Sendable {
    /// The keys assigned to inserted rows, by their temporary keys.
    package var keys = AssignedKeys()
    /// The versions of the updated rows after the save, in the order of the request's updates.
    package var updatedVersions: [Int64] = []
    /// The versions of the rows that were recreated.
    package var renewedVersions: [RowID: Int64] = [:]
    /// The ordered relationships whose members got different order keys than requested, because other contexts had
    /// already used those.
    package var rearranged: [(owner: RowID, relationship: Int)] = []
    /// The values that the store computed, by row and attribute slot. They can belong to rows that are not part of the
    /// request.
    package var derived: [RowID: [Int: AttributeValue]] = [:]
    /// The number of the transaction that was added to the store's history; nil if the store has none.
    package var historyNumber: Int64?
    package init() {}
}

/// The rows of a save that were changed or deleted in the file after the context read them. Nothing was written.
package struct SaveConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        package var row: RowID
        /// The version that the context had read.
        package var expected: Int64
        /// Whether the row still exists.
        package var exists: Bool
        init(row: RowID, expected: Int64, exists: Bool) {
            self.row = row
            self.expected = expected
            self.exists = exists
        }
    }
    package var conflicts: [Conflict]
    init(conflicts: [Conflict]) { self.conflicts = conflicts }
}

/// To-one relationships that the save would have left without their other side, and links whose delete rules it did
/// not follow. Nothing was written.
///
/// Other contexts created these links after this context had read the objects that it changes. The rows that it writes
/// were not changed themselves.
package struct LinkConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        /// The row that refers to the destination.
        package var row: RowID
        /// The slot of the to-one relationship that refers to the destination.
        package var relationship: Int
        package var destination: RowID
        /// Whether the save deletes the destination. If not, the destination does not refer back.
        package var isDeletion: Bool
        init(row: RowID, relationship: Int, destination: RowID, isDeletion: Bool) {
            self.row = row
            self.relationship = relationship
            self.destination = destination
            self.isDeletion = isDeletion
        }
    }
    /// A member of a to-many relationship to which the delete rule was not applied.
    package struct Member: Sendable {
        /// The row that the save deletes.
        package var owner: RowID
        /// The slot of the to-many relationship that contains the member.
        package var relationship: Int
        package var member: RowID
        init(owner: RowID, relationship: Int, member: RowID) {
            self.owner = owner
            self.relationship = relationship
            self.member = member
        }
    }

    package var conflicts: [Conflict]
    package var members: [Member]
    init(conflicts: [Conflict] = [], members: [Member] = []) {
        self.conflicts = conflicts
        self.members = members
    }
}

/// Unique values of a save that already belong to other rows of the file, or that two rows of the save have. Nothing was
/// written.
package struct UniquenessConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        /// The row to write.
        package var row: RowID
        /// The row that already has the values.
        package var existing: RowID
        package var constraint: [String]
        /// Whether the other row gets the values in the same save, so that the store does not have them yet.
        package var isInSave: Bool
        package init(row: RowID, existing: RowID, constraint: [String], isInSave: Bool = false) {
            self.row = row
            self.existing = existing
            self.constraint = constraint
            self.isInSave = isInSave
        }
    }
    package var conflicts: [Conflict]
    package init(conflicts: [Conflict]) { self.conflicts = conflicts }
}
