public import Foundation
import SwormPredicates

/// The way in which an index stores an element.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// Sorted by value.
    case binary = 0
    /// As ranges of numbers, in an R-tree.
    case rTree = 1
}

/// One property of an index.
open class NSFetchIndexElementDescription: NSObject, NSCopying {
    /// The subject of an element of an index.
    package enum Target: Hashable, Sendable {
        case property(String)
        /// The expression `self`: the object's key.
        case primaryKey
        /// The expression `entity`: the object's most specific entity.
        case entity
    }

    /// The indexed property; nil if the element represents the object or its entity.
    open private(set) var property: NSPropertyDescription?

    private let givenTarget: Target

    /// The way in which the element is stored.
    open var collationType: NSFetchIndexElementType { didSet { indexDescription?.entity?.changed() } }

    /// Whether the smallest value comes first. The default is true.
    open var isAscending: Bool = true { didSet { indexDescription?.entity?.changed() } }

    /// The index that contains this element.
    open internal(set) weak var indexDescription: NSFetchIndexDescription?

    /// The subject of the element; a property by its current name.
    package var target: Target { property.map { .property($0.name) } ?? givenTarget }

    /// The name of the indexed property.
    open var propertyName: String? {
        switch target {
        case .property(let name): name
        case .primaryKey: "self"
        case .entity: "entity"
        }
    }

    /// Creates an element.
    ///
    /// - Parameters:
    ///   - property: The property to index, which the index's entity must declare or inherit, or an
    ///     ``NSExpressionDescription`` whose expression is the name of one, `self` for the object's key, or `entity`.
    ///   - collationType: The way in which the element is stored.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property.isComputed ? nil : property
        self.collationType = collationType
        givenTarget = property.isComputed ? Target(computed: property) : .property(property.name)
        super.init()
    }

    /// Creates an element from its subject; a property is found by its name.
    init(target: Target, collationType: NSFetchIndexElementType = .binary, isAscending: Bool = true) {
        givenTarget = target
        self.collationType = collationType
        self.isAscending = isAscending
        super.init()
    }

    /// Returns a copy that belongs to no index.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    /// Returns a copy that stores the name of its property, so that it finds the property of the entity that it will
    /// belong to.
    final func duplicate() -> NSFetchIndexElementDescription {
        NSFetchIndexElementDescription(target: target, collationType: collationType, isAscending: isAscending)
    }
}

extension NSFetchIndexElementDescription.Target {
    /// Creates the subject of an expression. An expression that is no key gives its own text, which names no property.
    fileprivate init(computed property: NSPropertyDescription) {
        let keys = try? property.computingExpression?.tree().pathKeys
        switch keys {
        case []?, ["self"]?: self = .primaryKey
        case ["entity"]?: self = .entity
        case let keys?: self = .property(keys.joined(separator: "."))
        case nil: self = .property(property.computingExpression?.content.text ?? property.name)
        }
    }
}
