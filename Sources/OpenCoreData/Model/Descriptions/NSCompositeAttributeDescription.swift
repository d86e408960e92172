import Foundation
import SwormStore

/// An attribute that combines several attributes under one name.
///
/// Its value is a dictionary with the names of the elements as keys; each element has a separate column in the store.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes that make up the value, in the order in which their columns are declared.
    open var elements: [NSAttributeDescription] = [] {
        didSet {
            for element in oldValue where element.enclosingComposite === self { element.enclosingComposite = nil }
            for element in elements { element.enclosingComposite = self }
            changed()
        }
    }

    /// Creates a composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSCompositeAttributeDescription, nestingDepth <= ModelLimits.compositeDepth else {
            return
        }
        copy.elements = elements.compactMap { $0.duplicate() as? NSAttributeDescription }
    }

    /// The nesting depth of composites, including this one. A value beyond the limit means that a composite may contain
    /// itself.
    var nestingDepth: Int {
        var level: [NSCompositeAttributeDescription] = [self]
        var depth = 0
        while !level.isEmpty, depth <= ModelLimits.compositeDepth {
            depth += 1
            var seen: Set<ObjectIdentifier> = []
            level = level.flatMap(\.elements).compactMap { $0 as? NSCompositeAttributeDescription }
                .filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return depth
    }
}
