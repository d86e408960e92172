import Foundation
import SwormStore

/// The content of an object: its values, the objects that it refers to, the objects that refer to it, and its last changes.
struct ObjectFacts {
    struct Attribute {
        var name: String
        /// The value as text for people; nil for none.
        var text: String?
        /// The value as JSON.
        var json: JSONValue
        var isHidden = false
    }

    /// An object at the other end of a relationship.
    struct Link {
        var name: ObjectName
        var label: String?
        /// Whether the object exists.
        var exists = true
    }

    /// The objects that a relationship of the object refers to.
    struct Target {
        var relationship: String
        var isToMany: Bool
        var count: Int
        /// The first of them.
        var links: [Link]
    }

    /// The objects that refer to the object by a relationship.
    struct Source {
        /// The entity that declares the relationship.
        var entity: String
        var relationship: String
        var count: Int
        /// The first of them.
        var links: [Link]

        var name: String { "\(entity).\(relationship)" }
    }

    var name: ObjectName
    var label: String?
    /// The number of times that the object was saved.
    var version: Int64
    var attributes: [Attribute]
    var targets: [Target]
    var sources: [Source]
    /// The last changes, the latest first; nil for a store without a history.
    var changes: [ObjectChange]?
}

/// A change of one object in a transaction of the history.
struct ObjectChange {
    enum Kind: String { case inserted, updated, deleted }

    var transaction: Int64
    var date: Date
    var author: String?
    var process: String?
    var kind: Kind
    /// The properties that an update changed; nil if they are unknown.
    var properties: [String]?
}
