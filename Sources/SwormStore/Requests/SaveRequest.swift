package import SwormPredicates

/// What a context asks a store to write, as a value: one transaction.
package struct SaveRequest: Sendable {
    package struct Insertion: Sendable {
        /// The row with its temporary, negative key, or with the key that was obtained before.
        package var row: RowID
        /// By attribute slot. Transient and derived attributes are passed over.
        package var attributes: [AttributeValue]
        /// By attribute slot: what columns get as it is, instead of the value above. For copies of stores whose columns hold
        /// what no value of the attribute's type is written as.
        package var exact: [Int: ExactValue] = [:]
        /// By relationship slot; nil for a to-many relationship, and for a to-one without destination.
        package var toOnes: [RowID?]
        /// The last known version of a row that was there under this key, and is written anew; nil for none. The new row goes
        /// on above it: others may still hold the old one, and must not take the two for the same.
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
        /// The version that the row must still have; nil to write regardless.
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
        /// The to-many relationships all of whose members are to go with the row, and whose links no version guards.
        package var emptied: [Emptied]
        package init(row: RowID, version: Int64?, emptied: [Emptied] = []) {
            self.row = row
            self.version = version
            self.emptied = emptied
        }
    }

    /// A relationship that is to have no members but those which go too.
    package struct Emptied: Sendable {
        package var relationship: Int
        /// The keys of the members that are unlinked by will, and stay.
        package var unlinked: Set<Int64>
        package init(relationship: Int, unlinked: Set<Int64>) {
            self.relationship = relationship
            self.unlinked = unlinked
        }
    }

    /// A change of a many-to-many relationship, or of one without inverse; named from one side only.
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

    /// The place of one object in an ordered relationship.
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
    package var addedLinks: [Link] = []
    package var removedLinks: [Link] = []
    /// Order keys to write, after links have been added.
    package var positions: [Position] = []
    /// Who makes the changes, for the store's history.
    package var author: String?
    /// The name of the context that makes them, for the store's history.
    package var contextName: String?

    package init() {}

    /// Whether there is nothing to write. Who would have written it does not matter.
    package var isEmpty: Bool {
        insertions.isEmpty && updates.isEmpty && deletions.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty
            && positions.isEmpty
    }
}

/// What a store answers to a save.
package struct SaveResult: Sendable {
    /// The keys given to inserted rows, by their temporary keys.
    package var keys = AssignedKeys()
    /// The versions after the save of the updated rows, in the order of the request's updates.
    package var updatedVersions: [Int64] = []
    /// The versions of the rows that were written anew.
    package var renewedVersions: [RowID: Int64] = [:]
    /// The ordered relationships whose members got other order keys than the request asked for: others had taken those.
    package var rearranged: [(owner: RowID, relationship: Int)] = []
    /// What the store itself has worked out, by row and attribute slot: of rows of the request and of others.
    package var derived: [RowID: [Int: AttributeValue]] = [:]
    package init() {}
}

/// The rows of a save that had changed in the file, or had gone, since the context read them. Nothing was written.
package struct SaveConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        package var row: RowID
        /// The version that the context had read.
        package var expected: Int64
        /// Whether the row is still there.
        package var exists: Bool
        package init(row: RowID, expected: Int64, exists: Bool) {
            self.row = row
            self.expected = expected
            self.exists = exists
        }
    }
    package var conflicts: [Conflict]
    package init(conflicts: [Conflict]) { self.conflicts = conflicts }
}

/// To-one relationships that a save would have left without their other side, and links whose delete rules it has not
/// followed. Nothing was written.
///
/// Others made them since the context read what it has changed: the rows that it writes were not changed themselves.
package struct LinkConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        /// The row that leads to the other one.
        package var row: RowID
        /// The slot of the to-one relationship by which it does.
        package var relationship: Int
        package var destination: RowID
        /// Whether the save deletes the destination. If not, it is one that does not lead back.
        package var isDeletion: Bool
        package init(row: RowID, relationship: Int, destination: RowID, isDeletion: Bool) {
            self.row = row
            self.relationship = relationship
            self.destination = destination
            self.isDeletion = isDeletion
        }
    }
    /// A member of a to-many relationship whose delete rule was not followed for it.
    package struct Member: Sendable {
        /// The row that the save deletes.
        package var owner: RowID
        /// The slot of the to-many relationship by which it leads to the member.
        package var relationship: Int
        package var member: RowID
        package init(owner: RowID, relationship: Int, member: RowID) {
            self.owner = owner
            self.relationship = relationship
            self.member = member
        }
    }

    package var conflicts: [Conflict]
    package var members: [Member]
    package init(conflicts: [Conflict] = [], members: [Member] = []) {
        self.conflicts = conflicts
        self.members = members
    }
}

/// Unique values of a save that other rows of the file hold already. Nothing was written.
package struct UniquenessConflicts: Error, Sendable {
    package struct Conflict: Sendable {
        /// The row that was to be written.
        package var row: RowID
        /// The row that holds the values.
        package var existing: RowID
        package var constraint: [String]
        package init(row: RowID, existing: RowID, constraint: [String]) {
            self.row = row
            self.existing = existing
            self.constraint = constraint
        }
    }
    package var conflicts: [Conflict]
    package init(conflicts: [Conflict]) { self.conflicts = conflicts }
}
