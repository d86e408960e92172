public import Foundation
import SwormStore

/// An entity of a model: a kind of object, with its properties and its place in the inheritance.
///
/// An entity belongs to one model at a time. It keeps its properties and sub-entities alive; it does not keep its model,
/// its super-entity or the destinations of its relationships alive, the model does that.
open class NSEntityDescription: NSObject, NSCopying {
    /// The entity's name: letters, digits and underscores, unique in the model.
    open var name: String? { didSet { changed() } }

    /// The name of the class of the entity's objects; `NSManagedObject` unless set.
    open var managedObjectClassName: String! = "NSManagedObject" { didSet { changed() } }

    /// Whether there are no objects of this very entity, only of its sub-entities.
    open var isAbstract: Bool = false { didSet { changed() } }

    /// Any information that the application attaches. It has no part in the version hash.
    open var userInfo: [AnyHashable: Any]?

    /// Text that makes the version hash differ where nothing else does; nil for none.
    open var versionHashModifier: String? { didSet { changed() } }

    private var givenRenamingIdentifier: String?

    /// The name under which a migration finds this entity in the earlier model; the entity's name unless set.
    open var renamingIdentifier: String? {
        get { givenRenamingIdentifier ?? name }
        set { givenRenamingIdentifier = newValue }
    }

    /// The entity that this one inherits from. Set it through the other one's `subentities`.
    open internal(set) weak var superentity: NSEntityDescription? { didSet { changed() } }

    /// The model that the entity belongs to; nil for none.
    package internal(set) weak var owningModel: NSManagedObjectModel? { didSet { oldValue?.changed() } }

    /// The model that the entity belongs to. An entity that belongs to none answers a new, empty model.
    open var managedObjectModel: NSManagedObjectModel { owningModel ?? NSManagedObjectModel() }

    /// The entities that inherit from this one directly. They must be among the model's entities too.
    open var subentities: [NSEntityDescription] = [] {
        didSet {
            for entity in oldValue where entity.superentity === self { entity.superentity = nil }
            for entity in subentities { entity.superentity = self }
            changed()
        }
    }

    /// The properties that the entity declares itself, in the order in which they were set.
    package internal(set) var ownProperties: [NSPropertyDescription] = []

    /// The entity's properties: the inherited ones, from the root down, then its own.
    ///
    /// To set it sets the entity's own properties; inherited ones among them are passed over.
    open var properties: [NSPropertyDescription] {
        get { lineage.flatMap(\.ownProperties) }
        set {
            let inherited = Set(lineage.dropLast().flatMap(\.ownProperties).map(ObjectIdentifier.init))
            for property in ownProperties where property.declaringEntity === self { property.declaringEntity = nil }
            ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
            for property in ownProperties { property.declaringEntity = self }
            changed()
        }
    }

    /// The indexes that the entity itself declares.
    open var indexes: [NSFetchIndexDescription] = [] {
        didSet {
            for index in oldValue where index.entity === self { index.entity = nil }
            for index in indexes { index.entity = self }
            changed()
        }
    }

    /// Groups of properties whose values no two objects of the entity have in common.
    ///
    /// Each group is an array of attributes or to-one relationships, given as names or as descriptions.
    open var uniquenessConstraints: [[Any]] = [] { didSet { changed() } }

    /// Indexes over several properties in the old manner, as arrays of names or descriptions. Prefer `indexes`.
    open var compoundIndexes: [[Any]] = [] { didSet { changed() } }

    /// Makes a copy that belongs to no model and has no super-entity.
    ///
    /// Its own properties, indexes and sub-entities are copied with it. Relationships between the copied entities lead to
    /// the copies; others lead where they did.
    open func copy(with zone: NSZone? = nil) -> Any {
        EntityCopier(copying: [self]).roots.first ?? NSEntityDescription()
    }

    /// Tells the model that what was worked out from it no longer holds.
    final func changed() { owningModel?.changed() }

    final func copyOwnValues(to copy: NSEntityDescription) {
        copy.name = name
        copy.managedObjectClassName = managedObjectClassName
        copy.isAbstract = isAbstract
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.givenRenamingIdentifier = givenRenamingIdentifier
        copy.uniquenessConstraints = uniquenessNames
        copy.compoundIndexes = compoundIndexNames
        copy.indexes = indexes.map { $0.duplicate() }
    }

    /// The entity's name, for messages and logs.
    open override var description: String { "NSEntityDescription \(name ?? "without name")" }
}
