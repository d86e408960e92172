#if !canImport(CoreData)
import Foundation
package import OpenCoreData
import SwormPredicates
import SwormStore

/// Reads a model from a file, and throws an error that describes what is wrong with the file.
package func readModel(at url: URL) throws -> NSManagedObjectModel {
    try invalidModelIfFailing { try NSManagedObjectModel.load(contentsOf: url) }
}

extension NSManagedObjectModel {
    /// Throws an error that lists all issues of the model.
    func checkIssues() throws { try invalidModelIfFailing { _ = try compiled() } }
}

private func invalidModelIfFailing<R>(_ work: () throws -> R) throws -> R {
    do {
        return try work()
    } catch {
        throw StoreError(.invalidModel, (error as NSError).localizedDescription, cause: error)
    }
}

extension NSAttributeDescription {
    /// Sets the validation rules of the attribute, in a model that is created from tables.
    func setRules(_ traits: AttributeTraits) {
        var rules: [ValidationRule] = []
        if let minimum = traits.minimum { rules.append(.minimum(minimum)) }
        if let maximum = traits.maximum { rules.append(.maximum(maximum)) }
        if let length = traits.minimumLength { rules.append(.minimumLength(length)) }
        if let length = traits.maximumLength { rules.append(.maximumLength(length)) }
        if let pattern = traits.pattern { rules.append(.pattern(pattern)) }
        validationRules = rules
    }

    /// Sets the traits that the attribute has in a store on a server only, in a model that is created from tables.
    func setServerTraits(_ traits: AttributeTraits) {
        var own: ServerTraits = []
        if traits.isExact { own.insert(.exactDate) }
        if traits.textIndexes.contains(.folded) { own.insert(.foldedIndex) }
        if traits.textIndexes.contains(.searched) { own.insert(.searchColumn) }
        serverTraits = own
    }
}
#endif
