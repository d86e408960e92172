import Foundation
import SwormPredicates

/// Converts the untyped arguments of a format string. Managed objects and ids are converted to their identity.
func predicateArguments(_ arguments: [Any]) throws -> [PredicateArgument] {
    try PredicateArgument.make(from: arguments, object: objectReference)
}

/// Converts the untyped values of a predicate's variables.
func predicateVariables(_ values: [String: Any]) throws -> [String: PredicateArgument] {
    try PredicateArgument.make(from: values, object: objectReference)
}

private func objectReference(_ value: Any) -> ObjectReference? {
    if let object = value as? NSManagedObject { return object.objectID.reference }
    return (value as? NSManagedObjectID)?.reference
}
