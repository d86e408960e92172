public import Foundation
import SwormPredicates

/// A value that an attribute cannot take or give.
public enum AttributeError: LocalizedError, Sendable, CustomStringConvertible {
    /// A stored value that stands for no value of the attribute's type; nil when nothing is stored.
    case badInput((any Sendable)?)

    /// An attribute that could not be read or written, with the reason.
    case badAttribute(Context)

    /// Where reading or writing went wrong, and why.
    public struct Context: Sendable {
        /// The attribute's name.
        public let name: String

        /// The name of the attribute's entity.
        public let entity: String

        /// The type that the table gives to the attribute.
        public let expectedType: String

        /// The value that did not fit, shortened; nil when a value was to be encoded.
        public let value: String?

        /// Why it did not fit.
        public let originalError: any Error

        package init(
            name: String, entity: String, expectedType: String, value: String? = nil, originalError: any Error
        ) {
            self.name = name
            self.entity = entity
            self.expectedType = expectedType
            self.value = value
            self.originalError = originalError
        }
    }

    /// What `localizedDescription` says where nobody knows this type: the ``description``.
    public var errorDescription: String? { description }

    /// A sentence that names the entity, the attribute and the value.
    public var description: String {
        switch self {
        case .badInput(nil): "there is no value"
        case .badInput(let value?): "the value \(excerpt(value)) does not fit"
        case .badAttribute(let context):
            if let value = context.value {
                "\(context.entity).\(context.name): cannot make \(context.expectedType) from \(value): "
                    + "\(context.originalError)"
            } else {
                "\(context.entity).\(context.name): cannot store this \(context.expectedType): "
                    + "\(context.originalError)"
            }
        }
    }
}

/// A value in a message: never more than some eighty characters of it.
func excerpt(_ value: Any) -> String {
    let text = (value as? Date)?.safeDescription ?? String(describing: value)
    return text.count > 80 ? text.prefix(77) + "..." : text
}
