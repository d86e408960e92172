import Foundation
import SwormPredicates

/// Loosely typed arguments of a format string; managed objects and ids stand for their identity.
func predicateArguments(_ arguments: [Any]) throws -> [PredicateArgument] {
    try PredicateArgument.make(from: arguments, object: objectReference)
}

/// Loosely typed values of a predicate's variables.
func predicateVariables(_ values: [String: Any]) throws -> [String: PredicateArgument] {
    try PredicateArgument.make(from: values, object: objectReference)
}

private func objectReference(_ value: Any) -> ObjectReference? {
    if let object = value as? NSManagedObject { return object.objectID.reference }
    return (value as? NSManagedObjectID)?.reference
}
