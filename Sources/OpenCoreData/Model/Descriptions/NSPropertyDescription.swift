public import Foundation
import SwormStore

/// A property of an entity: an attribute, a relationship or a fetched property.
///
/// Create one of the subclasses. A description may be changed at any time on the thread that owns its model; a change
/// after a store was opened with the model has no effect on that store.
open class NSPropertyDescription: NSObject, NSCopying {
    /// The property's name: letters, digits and underscores, unique among the entity's own and inherited properties, and
    /// not the name of a method of `NSManagedObject` without parameters.
    open var name: String = "" { didSet { changed() } }

    /// Whether the property may be nil when its object is saved. The default is true.
    open var isOptional: Bool = true { didSet { changed() } }

    /// Whether the property is in memory only, and not saved in the store.
    open var isTransient: Bool = false { didSet { changed() } }

    /// Custom information of the application. It is not part of the version hash.
    open var userInfo: [AnyHashable: Any]?

    private var givenPredicates: [NSPredicate] = []

    /// The predicates that validate the value when its object is saved. They use `SELF` for the value.
    ///
    /// The predicates of attributes are evaluated; those of other properties are only stored.
    open var validationPredicates: [NSPredicate] { givenPredicates }

    /// The warnings that were set with the predicates.
    open private(set) var validationWarnings: [Any] = []

    /// Sets the predicates that validate the value when its object is saved.
    ///
    /// Limits, lengths (`length >= 3`) and regular expressions (`SELF MATCHES %@`) have specific error codes.
    ///
    /// - Parameters:
    ///   - validationPredicates: Predicates that use `SELF` for the value. An error in the format of one of them is an
    ///     issue of the model.
    ///   - validationWarnings: A string for each predicate. It is only stored; errors describe the value and the failed
    ///     condition.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        givenPredicates = validationPredicates ?? []
        self.validationWarnings = validationWarnings ?? []
        changed()
    }

    /// Whether the older API requests a single-attribute index. Prefer the entity's `indexes`.
    open var isIndexed: Bool = false {
        didSet {
            hasFetchIndex = false
            changed()
        }
    }

    /// Whether the flag only indicates that a fetch index has the attribute as its only element, and requests no other
    /// index.
    final var hasFetchIndex = false

    /// Whether the property is part of the system's search index. The flag is stored and has no effect here.
    open var isIndexedBySpotlight: Bool = false

    /// A string that makes the version hash differ although nothing else changed; nil for none.
    open var versionHashModifier: String? { didSet { changed() } }

    private var givenRenamingIdentifier: String?

    /// The name by which a migration finds this property in the earlier model. The default is the property's name.
    open var renamingIdentifier: String? {
        get { givenRenamingIdentifier ?? (name.isEmpty ? nil : name) }
        set { givenRenamingIdentifier = newValue }
    }

    /// The entity that declares the property; nil if it is part of no entity.
    weak var declaringEntity: NSEntityDescription? { didSet { oldValue?.changed() } }

    /// The composite attribute that contains this element.
    weak var enclosingComposite: NSCompositeAttributeDescription?

    /// The entity that declares the property. For an inherited property, this is the ancestor that declares it.
    ///
    /// For a property that is part of no entity, this is a new, empty entity.
    open var entity: NSEntityDescription { declaringEntity ?? NSEntityDescription() }

    /// Invalidates the results that the model has computed.
    final func changed() {
        var composite = enclosingComposite
        var depth = 0
        while let outer = composite?.enclosingComposite, depth < ModelLimits.compositeDepth {
            composite = outer
            depth += 1
        }
        (composite?.declaringEntity ?? declaringEntity)?.changed()
    }

    /// Whether an expression computes the property.
    var isComputed: Bool { false }

    /// The expression that computes the property; nil for a stored property.
    var computingExpression: NSExpression? { nil }

    /// Returns a new description of the same class. Each subclass overrides it.
    func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    /// Copies the values to a description that `makeEmptyCopy` created.
    func copyValues(to copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.userInfo = userInfo
        copy.isIndexed = isIndexed
        copy.hasFetchIndex = hasFetchIndex
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.versionHashModifier = versionHashModifier
        copy.givenRenamingIdentifier = givenRenamingIdentifier
        copy.givenPredicates = givenPredicates
        copy.validationWarnings = validationWarnings
    }

    /// Returns a copy that belongs to no entity.
    ///
    /// The copy of a relationship has the same destination and the same inverse as the original.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    final func duplicate() -> NSPropertyDescription {
        let copy = makeEmptyCopy()
        copyValues(to: copy)
        return copy
    }

    /// The property's entity and name, for messages and logs.
    open override var description: String {
        let owner = declaringEntity?.name.map { $0 + "." } ?? ""
        return "\(Swift.type(of: self)) \(owner)\(name)"
    }
}
