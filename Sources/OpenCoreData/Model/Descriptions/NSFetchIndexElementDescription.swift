public import Foundation

/// The manner in which an index keeps an element.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// In order of the values.
    case binary = 0
    /// As ranges of numbers.
    case rTree = 1
}

/// One property of an index.
open class NSFetchIndexElementDescription: NSObject, NSCopying {
    /// What an element of an index stands for.
    package enum Target: Hashable, Sendable {
        case property(String)
        /// The expression `self`: the object's key.
        case primaryKey
        /// The expression `entity`: the object's own entity.
        case entity
    }

    /// The property that is indexed; nil where the element stands for the object or its entity.
    open private(set) var property: NSPropertyDescription?

    private let givenTarget: Target

    /// The manner in which the element is kept.
    open var collationType: NSFetchIndexElementType { didSet { indexDescription?.entity?.changed() } }

    /// Whether the smallest value comes first. True unless set.
    open var isAscending: Bool = true { didSet { indexDescription?.entity?.changed() } }

    /// The index of which this is an element.
    open internal(set) weak var indexDescription: NSFetchIndexDescription?

    /// What the element stands for; a property by the name that it has now.
    package var target: Target { property.map { .property($0.name) } ?? givenTarget }

    /// The name of the property that is indexed.
    open var propertyName: String? {
        switch target {
        case .property(let name): name
        case .primaryKey: "self"
        case .entity: "entity"
        }
    }

    /// Makes an element.
    ///
    /// - Parameters:
    ///   - property: The property to be indexed, of the index's entity or inherited by it.
    ///   - collationType: The manner in which it is kept.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        givenTarget = .property(property.name)
        super.init()
    }

    /// Makes an element from what it stands for; a property is found by its name.
    package init(target: Target, collationType: NSFetchIndexElementType = .binary, isAscending: Bool = true) {
        givenTarget = target
        self.collationType = collationType
        self.isAscending = isAscending
        super.init()
    }

    /// Makes a copy that belongs to no index.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    /// The copy names its property, so that it finds the one of the entity that it will belong to.
    final func duplicate() -> NSFetchIndexElementDescription {
        NSFetchIndexElementDescription(target: target, collationType: collationType, isAscending: isAscending)
    }
}
