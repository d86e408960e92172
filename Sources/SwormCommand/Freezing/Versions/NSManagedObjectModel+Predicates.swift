import OpenCoreData
import SwormPredicates

extension NSManagedObjectModel {
    /// Adds the predicates of fetched properties and of partial indexes that the model lacks and its document has.
    ///
    /// The copy of a model in a store lacks the predicates that have no form in an archive, and those that the parser
    /// rejects.
    func addMissingPredicates(of document: NSManagedObjectModel) {
        let documented = document.entitiesByName
        for entity in entities {
            guard let other = documented[entity.name ?? ""] else { continue }
            for case let fetched as NSFetchedPropertyDescription in entity.ownProperties
            where fetched.request.predicateText == nil {
                let same = other.ownProperties.first { $0.name == fetched.name } as? NSFetchedPropertyDescription
                fetched.request.predicateText = same?.request.predicateText
            }
            for index in entity.indexes where !index.isPartial {
                let same = other.indexes.first { $0.name == index.name }
                index.partialPredicate = same?.partialPredicate
                index.partialPredicateText = same?.partialPredicateText
            }
        }
    }
}

extension NSFetchIndexDescription {
    /// Whether the index has a predicate.
    var isPartial: Bool { partialPredicate != nil || partialPredicateText != nil }
}
