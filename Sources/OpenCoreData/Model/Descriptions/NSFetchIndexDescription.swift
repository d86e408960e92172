public import Foundation
package import SwormPredicates

/// An index that a store maintains for an entity.
open class NSFetchIndexDescription: NSObject, NSCopying {
    /// The name of the index, unique among the entity's indexes.
    open var name: String { didSet { entity?.changed() } }

    /// The indexed elements, most significant first.
    open var elements: [NSFetchIndexElementDescription] { didSet { adopt() } }

    /// The entity that has the index.
    open internal(set) weak var entity: NSEntityDescription?

    /// The condition of the rows in a partial index; nil for all rows.
    ///
    /// Setting a predicate that is not made from a format leaves the index out of stores.
    open var partialIndexPredicate: NSPredicate? {
        get { partialPredicate.map { FormatPredicate(tree: $0) } }
        set {
            partialPredicate = newValue.flatMap { try? $0.tree() }
            partialPredicateText = partialPredicate?.format ?? newValue?.description
        }
    }

    /// The predicate of the rows in a partial index; nil for all rows.
    package var partialPredicate: PredicateTree? { didSet { entity?.changed() } }

    /// The format of `partialPredicate` as in the model file.
    package var partialPredicateText: String?

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - elements: The indexed elements, most significant first.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adopt()
    }

    private func adopt() {
        for element in elements { element.indexDescription = self }
        entity?.changed()
    }

    /// Returns a copy that belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    final func duplicate() -> NSFetchIndexDescription {
        let copy = NSFetchIndexDescription(name: name, elements: elements.map { $0.duplicate() })
        copy.partialPredicate = partialPredicate
        copy.partialPredicateText = partialPredicateText
        return copy
    }
}
