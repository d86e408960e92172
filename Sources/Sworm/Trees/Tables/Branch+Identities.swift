public import Foundation
import SwormPredicates

extension Branch {
    /// Creates an entry for the id of the tree's object: nil in a tree that was not read from a store.
    ///
    /// A save finds the object by the id, if there is one.
    ///
    /// - Parameter property: The key path of the property.
    public static func id(
        _ property: any WritableKeyPath<Tree, ManagedObjectID<Tree.Entity>?> & Sendable
    ) -> Branch {
        Branch(content: IdentifierBranch(PropertyAccess(property)))
    }

    /// Creates an entry for an attribute that is the version of the tree's object, so that a save does not overwrite what
    /// other users have changed since the tree was read.
    ///
    /// A save of a known object throws a ``StoreError`` with the code `conflict` if the stored version is another one. If it
    /// changes an attribute of the object, a relation, or an object that belongs to it, it increases the version: an integer by
    /// one, and a date to the current time. Objects behind ``BranchOption/owned`` branches belong to their owner, and so do those behind
    /// relations with the delete rule `.cascade`. A tree of an unknown object is a conflict too, unless its version is
    /// that of a new tree, the default of the property: the object was deleted. For a tree with an id, the error has the code
    /// `objectNotFound`. A call with `retrying:` is not repeated after such a conflict.
    ///
    /// - Parameter property: The key path of a property that is in the table of attributes.
    public static func version(_ property: any KeyPath<Tree, Int> & Sendable) -> Branch {
        Branch(content: VersionBranch(property: property))
    }

    /// Creates an entry for an attribute that is the version of the tree's object, a date.
    ///
    /// A save sets it to the current time and compares it exactly, so that a client must return it with its fraction of a
    /// second. The default of the property must be a constant, such as `Date.distantPast`, which is the version of a new tree.
    ///
    /// - Parameter property: The key path of a property that is in the table of attributes.
    public static func version(_ property: any KeyPath<Tree, Date> & Sendable) -> Branch {
        Branch(content: VersionBranch(property: property))
    }

    /// Creates an entry for a version that is optional.
    ///
    /// With ``AttributePresence/ifPresent``, a tree with nil leaves its version out, and nothing is compared. Without it, the
    /// attribute is optional, and nil is the version of an object that has none yet: a save compares it, too.
    ///
    /// - Parameter property: The key path of a property that is in the table of attributes.
    public static func version(_ property: any KeyPath<Tree, Int?> & Sendable) -> Branch {
        Branch(content: VersionBranch(property: property))
    }

    /// Creates an entry for a version that is an optional date.
    ///
    /// With ``AttributePresence/ifPresent``, a tree with nil leaves its version out, and nothing is compared. Without it, the
    /// attribute is optional, and nil is the version of an object that has none yet: a save compares it, too.
    ///
    /// - Parameter property: The key path of a property that is in the table of attributes.
    public static func version(_ property: any KeyPath<Tree, Date?> & Sendable) -> Branch {
        Branch(content: VersionBranch(property: property))
    }
}

/// A property that holds the id of its tree's object.
struct IdentifierBranch<Tree: ManagedTreeConvertible>: BranchContent {
    private let access: PropertyAccess<Tree, ManagedObjectID<Tree.Entity>?>

    init(_ access: PropertyAccess<Tree, ManagedObjectID<Tree.Entity>?>) { self.access = access }

    var property: any PartialKeyPath<Tree> & Sendable { access.keyPath }
    var memory: Range<Int>? { access.memory }

    func set(_ reference: ObjectReference, of tree: UnsafeMutablePointer<Tree>) {
        access.set(ManagedObjectID<Tree.Entity>(reference), of: tree)
    }

    func reference(of tree: Tree) -> ObjectReference? { tree[keyPath: access.keyPath]?.reference }
}

/// An attribute that is the version of its tree's object.
struct VersionBranch<Tree: ManagedTreeConvertible>: BranchContent {
    /// The key path of the attribute, which the table of attributes maps.
    let property: any PartialKeyPath<Tree> & Sendable
    var memory: Range<Int>? { nil }
}
