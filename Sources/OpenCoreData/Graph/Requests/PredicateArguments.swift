import Foundation
import SwormPredicates

/// Converts the untyped arguments of a format string. Managed objects and ids are converted to their identity, and
/// entities to their names.
func predicateArguments(_ arguments: [Any]) throws -> [PredicateArgument] {
    try PredicateArgument.make(from: try arguments.map(plainArgument), object: objectReference)
}

/// Converts the untyped values of a predicate's variables.
func predicateVariables(_ values: [String: Any]) throws -> [String: PredicateArgument] {
    try PredicateArgument.make(from: try values.mapValues(plainArgument), object: objectReference)
}

private func objectReference(_ value: Any) -> ObjectReference? {
    if let object = value as? NSManagedObject { return object.objectID.reference }
    if let transaction = value as? NSPersistentHistoryTransaction { return transaction.reference }
    return (value as? NSManagedObjectID)?.reference
}

/// Converts expressions to their trees, and what only predicates of a history are compared with: tokens and entities, and
/// arrays of them.
private func plainArgument(_ value: Any) throws -> Any {
    switch value {
    case let expression as NSExpression: try expression.tree()
    case let token as NSPersistentHistoryToken: token.variable
    case let entity as NSEntityDescription: entity.name ?? ""
    case let tokens as [NSPersistentHistoryToken] where !tokens.isEmpty: tokens.map(\.variable)
    case let entities as [NSEntityDescription] where !entities.isEmpty: entities.map { $0.name ?? "" }
    default: value
    }
}
