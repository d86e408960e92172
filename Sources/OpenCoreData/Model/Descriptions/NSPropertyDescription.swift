public import Foundation
import SwormStore

/// A property of an entity: an attribute, a relationship or a fetched property.
///
/// Make one of the subclasses. A description may be changed at any time on the thread that owns its model; a change
/// after a store was opened with the model has no effect on that store.
open class NSPropertyDescription: NSObject, NSCopying {
    /// The property's name: letters, digits and underscores, unique among the entity's own and inherited properties, and
    /// not the name of a method of `NSManagedObject` without parameters.
    open var name: String = "" { didSet { changed() } }

    /// Whether the property may be without a value when its object is saved. True unless set.
    open var isOptional: Bool = true { didSet { changed() } }

    /// Whether the property is only kept in memory, not in the store.
    open var isTransient: Bool = false { didSet { changed() } }

    /// Any information that the application attaches. It has no part in the version hash.
    open var userInfo: [AnyHashable: Any]?

    private var givenPredicates: [NSPredicate] = []

    /// What a value must satisfy when its object is saved, as predicates over the value, which they call `SELF`.
    ///
    /// Those of attributes are checked; those of other properties are only kept.
    open var validationPredicates: [NSPredicate] { givenPredicates }

    /// What was said about each of the predicates when they were set.
    open private(set) var validationWarnings: [Any] = []

    /// Sets what a value must satisfy when its object is saved.
    ///
    /// Limits, lengths (`length >= 3`) and regular expressions (`SELF MATCHES %@`) are told by their own error codes.
    ///
    /// - Parameters:
    ///   - validationPredicates: Predicates over the value, which they call `SELF`. A mistake in the format of one is a
    ///     fault of the model.
    ///   - validationWarnings: A text for each of them. It is kept; errors say what the value is and what was asked of it.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        givenPredicates = validationPredicates ?? []
        self.validationWarnings = validationWarnings ?? []
        changed()
    }

    /// Whether a single-attribute index is asked for in the old manner. Prefer the entity's `indexes`.
    open var isIndexed: Bool = false {
        didSet {
            hasFetchIndex = false
            changed()
        }
    }

    /// Whether the flag says only that a fetch index has the attribute to itself, and asks for no other index.
    final var hasFetchIndex = false

    /// Whether the property is to be part of the system's search index. It is kept and has no effect here.
    open var isIndexedBySpotlight: Bool = false

    /// Text that makes the version hash differ where nothing else does; nil for none.
    open var versionHashModifier: String? { didSet { changed() } }

    private var givenRenamingIdentifier: String?

    /// The name under which a migration finds this property in the earlier model; the property's name unless set.
    open var renamingIdentifier: String? {
        get { givenRenamingIdentifier ?? (name.isEmpty ? nil : name) }
        set { givenRenamingIdentifier = newValue }
    }

    /// The entity that declares the property; nil while it is part of none.
    package internal(set) weak var declaringEntity: NSEntityDescription? { didSet { oldValue?.changed() } }

    /// The composite attribute of which this is an element.
    weak var enclosingComposite: NSCompositeAttributeDescription?

    /// The entity that declares the property. An inherited property answers the ancestor that declares it.
    ///
    /// A property that is part of no entity answers a new, empty entity.
    open var entity: NSEntityDescription { declaringEntity ?? NSEntityDescription() }

    /// Tells the model that what was worked out from it no longer holds.
    final func changed() {
        var composite = enclosingComposite
        var depth = 0
        while let outer = composite?.enclosingComposite, depth < ModelLimits.compositeDepth {
            composite = outer
            depth += 1
        }
        (composite?.declaringEntity ?? declaringEntity)?.changed()
    }

    /// A description of the same class; each subclass makes its own.
    func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    /// Copies the values to a description that `makeEmptyCopy` made.
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

    /// Makes a copy that belongs to no entity.
    ///
    /// The copy of a relationship leads to the same destination and names the same inverse as the original.
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
