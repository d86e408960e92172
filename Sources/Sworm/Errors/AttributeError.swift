public import Foundation
import SwormPredicates

/// An error about a value that an attribute cannot store or return.
public enum AttributeError: LocalizedError, Sendable, CustomStringConvertible {
    /// The stored value does not represent a value of the attribute's type. It is nil if nothing is stored.
    case badInput((any Sendable)?)

    /// An attribute could not be read or written, for the given reason.
    case badAttribute(Context)

    /// The attribute and value that could not be read or written, and the reason.
    public struct Context: Sendable {
        /// The attribute's name.
        public let name: String

        /// The name of the attribute's entity.
        public let entity: String

        /// The type that the table declares for the attribute.
        public let expectedType: String

        /// The value that did not fit, shortened, or nil if a value could not be encoded.
        public let value: String?

        /// The reason why the value did not fit.
        public let originalError: any Error

        init(
            name: String, entity: String, expectedType: String, value: String? = nil, originalError: any Error
        ) {
            self.name = name
            self.entity = entity
            self.expectedType = expectedType
            self.value = value
            self.originalError = originalError
        }
    }

    /// The ``description``, for use by `localizedDescription`.
    public var errorDescription: String? { description }

    /// A sentence that names the entity, the attribute and the value.
    public var description: String {
        switch self {
        case .badInput(nil): "there is no value"
        case .badInput(let value?): "the value '\(excerpt(value))' is not valid"
        case .badAttribute(let context):
            if let value = context.value {
                "\(context.entity).\(context.name): cannot decode a value of the type \(context.expectedType) from \(value): "
                    + "\(context.originalError)"
            } else {
                "\(context.entity).\(context.name): cannot store this value of the type \(context.expectedType): "
                    + "\(context.originalError)"
            }
        }
    }
}

/// Returns a description of a value for a message, truncated to about eighty characters.
func excerpt(_ value: Any) -> String {
    let text = (value as? Date)?.safeDescription ?? String(describing: value)
    return text.count > 80 ? text.prefix(77) + "..." : text
}
