#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

package func readModel(at url: URL) throws -> NSManagedObjectModel {
    guard let model = NSManagedObjectModel(contentsOf: url) else {
        throw StoreError(
            .invalidModel, "Cannot read the model at '\(url.path)': it does not exist, or is not a compiled model.")
    }
    return model
}

extension NSManagedObjectModel {
    /// Does nothing: Core Data reports the issues of a model when a store is opened with it.
    func checkIssues() throws {}
}

extension NSAttributeDescription {
    func setRules(_ traits: AttributeTraits) {
        var rules: [(format: String, argument: Any)] = []
        if let minimum = traits.minimum?.keyedValue { rules.append(("SELF >= %@", minimum)) }
        if let maximum = traits.maximum?.keyedValue { rules.append(("SELF <= %@", maximum)) }
        if let length = traits.minimumLength { rules.append(("length >= %@", NSNumber(value: length))) }
        if let length = traits.maximumLength { rules.append(("length <= %@", NSNumber(value: length))) }
        if let pattern = traits.pattern { rules.append(("SELF MATCHES %@", pattern)) }
        guard !rules.isEmpty else { return }
        setValidationPredicates(
            rules.map { NSPredicate(format: $0.format, argumentArray: [$0.argument]) },
            withValidationWarnings: rules.map { "does not satisfy \($0.format) \($0.argument)" })
    }

    /// Does nothing: Core Data has no stores on servers.
    func setServerTraits(_ traits: AttributeTraits) {}
}
#endif
