public import Foundation
import SwormStore

/// An entity of a model: a kind of object, with its properties and its position in the inheritance hierarchy.
///
/// An entity belongs to one model at a time. It retains its properties and sub-entities. It does not retain its model,
/// its super-entity or the destinations of its relationships; the model retains those.
open class NSEntityDescription: NSObject, NSCopying {
    /// The entity's name: letters, digits and underscores, unique in the model.
    open var name: String? { didSet { changed() } }

    /// The name of the class of the entity's objects. The default is `NSManagedObject`.
    ///
    /// The names that Xcode writes are found: `Module.Dog`, and `Dog` and `.Dog` for a class of the program's own module, or
    /// of a module of which the program has asked a context of the model for a class, with `Dog(context:)` or an
    /// `NSFetchRequest<Dog>`.
    open var managedObjectClassName: String! = "NSManagedObject" { didSet { changed() } }

    /// Whether the entity has no objects itself, only objects of its sub-entities.
    open var isAbstract: Bool = false { didSet { changed() } }

    /// Custom information of the application. It is not part of the version hash.
    open var userInfo: [AnyHashable: Any]?

    /// A string that makes the version hash differ although nothing else changed; nil for none.
    open var versionHashModifier: String? { didSet { changed() } }

    private var givenRenamingIdentifier: String?

    /// The name by which a migration finds this entity in the earlier model. The default is the entity's name.
    open var renamingIdentifier: String? {
        get { givenRenamingIdentifier ?? name }
        set { givenRenamingIdentifier = newValue }
    }

    /// The entity that this one inherits from. Set it with the `subentities` of that entity.
    open internal(set) weak var superentity: NSEntityDescription? { didSet { changed() } }

    /// The model that the entity belongs to; nil for none.
    weak var owningModel: NSManagedObjectModel? { didSet { oldValue?.changed() } }

    /// The model that the entity belongs to. For an entity without a model, this is a new, empty model.
    open var managedObjectModel: NSManagedObjectModel { owningModel ?? NSManagedObjectModel() }

    /// The entities that directly inherit from this one. They must also be in the model's entities.
    open var subentities: [NSEntityDescription] = [] {
        didSet {
            for entity in oldValue where entity.superentity === self { entity.superentity = nil }
            for entity in subentities { entity.superentity = self }
            changed()
        }
    }

    /// The properties that the entity itself declares, in the order in which they were set.
    package internal(set) var ownProperties: [NSPropertyDescription] = []

    /// The entity's properties: the inherited ones, from the root down, followed by its own.
    ///
    /// Setting it replaces the entity's own properties; inherited properties in the new value are ignored.
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

    /// The groups of properties whose values must be unique among the objects of the entity.
    ///
    /// Each group is an array of attributes or to-one relationships, as names or as descriptions.
    open var uniquenessConstraints: [[Any]] = [] { didSet { changed() } }

    /// The compound indexes of the older API, as arrays of names or descriptions. Prefer `indexes`.
    open var compoundIndexes: [[Any]] = [] { didSet { changed() } }

    /// Returns a copy that belongs to no model and has no super-entity.
    ///
    /// Its own properties, indexes and sub-entities are also copied. Relationships between the copied entities refer to
    /// the copies; other relationships keep their destinations.
    open func copy(with zone: NSZone? = nil) -> Any {
        EntityCopier(copying: [self]).roots.first ?? NSEntityDescription()
    }

    /// Invalidates the results that the model has computed.
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
