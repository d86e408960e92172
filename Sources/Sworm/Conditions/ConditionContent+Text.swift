import Foundation
import SwormPredicates

extension ConditionContent {
    /// Parses text in the predicate language.
    init(format: String, arguments: [Any?]) {
        do {
            let arguments = try PredicateArgument.make(from: arguments.map { try storable($0) })
            do {
                self.init(try parsePredicate(format, arguments: arguments).joiningChains)
            } catch {
                self.init(text: format, arguments: arguments, failure: .notUnderstood(format, cause: error))
            }
        } catch {
            self.init(text: format, arguments: [], failure: .notUnderstood(format, cause: error))
        }
    }

    /// The condition as text, with `%@` instead of values.
    var format: String {
        switch body {
        case .tree(let tree): tree.template.format
        case .text(let text, _): text
        }
    }

    /// The values for the placeholders in the text.
    var values: [PredicateArgument] {
        switch body {
        case .tree(let tree): tree.template.arguments
        case .text(_, let values): values
        }
    }

    /// The values as Swift and Foundation values.
    var arguments: [Any] {
        values.map { $0.foundationValue ?? NSNull() }
    }
}

/// Returns an argument in a form that the predicate language accepts: values of the user's types are encoded, and ids
/// become references.
private func storable(_ argument: Any?) throws -> Any? {
    switch argument {
    case nil: nil
    case let id as any ObjectIdentifying: id.reference
    case let value as any SupportedAttributeType: try value.encoded().attributeValue
    case let values as [Any]: try values.map { try storable($0) }
    case let values as Set<AnyHashable>: try values.map { try storable($0.base) }
    default: argument
    }
}

extension StoreError {
    fileprivate static func notUnderstood(_ format: String, cause error: any Error) -> StoreError {
        StoreError(.invalidCondition, "The condition '\(excerpt(format))' cannot be parsed: \(error)", cause: error)
    }
}
