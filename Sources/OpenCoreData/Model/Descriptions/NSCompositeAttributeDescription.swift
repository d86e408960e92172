import Foundation
import SwormStore

/// An attribute that holds several attributes under one name.
///
/// Its value is a dictionary by the names of the elements; each element has a column of its own in the store.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes of which the value consists, in the order in which their columns are declared.
    open var elements: [NSAttributeDescription] = [] {
        didSet {
            for element in oldValue where element.enclosingComposite === self { element.enclosingComposite = nil }
            for element in elements { element.enclosingComposite = self }
            changed()
        }
    }

    /// Makes a composite attribute without elements.
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

    /// How deep composites are nested, this one included; more than the limit says that one may contain itself.
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
