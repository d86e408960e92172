public import Foundation
public import SwormPredicates

/// An error of the library: what went wrong, where, and the way out.
///
/// Tell errors apart by their ``code``, which stays the same from version to version; the message is for people.
///
/// ```swift
/// do { try store.perform { ... } }
/// catch StoreError.Code.unknownKeyPath { ... }
/// ```
public struct StoreError: LocalizedError, Sendable, CustomStringConvertible {
    // One reference: conditions and requests carry the error that they may have, and are copied often.
    private let content: Content

    private final class Content: Sendable {
        let code: Code
        let message: String
        let entity: String?
        let attribute: String?
        let cause: (any Error)?
        let rows: [ObjectReference]

        init(
            _ code: Code, _ message: String, _ entity: String?, _ attribute: String?, _ cause: (any Error)?,
            _ rows: [ObjectReference]
        ) {
            self.code = code
            self.message = message
            self.entity = entity
            self.attribute = attribute
            self.cause = cause
            self.rows = rows
        }
    }

    /// What kind of thing went wrong.
    public var code: Code { content.code }

    /// A sentence that names the entity, the attribute and the value, and says what to do.
    public var message: String { content.message }

    /// The entity that the error is about, if it is about one.
    public var entity: String? { content.entity }

    /// The attribute or relation that the error is about, if it is about one.
    public var attribute: String? { content.attribute }

    /// The rows that the error is about, where it is about rows: those of a conflict, for example.
    ///
    /// A write that follows from a snapshot which is not the newest any more is a conflict without rows.
    public var rows: [ObjectReference] { content.rows }

    /// The error that led to this one.
    public var cause: (any Error)? { content.cause }

    /// The message, with the cause behind it where it says more.
    public var description: String {
        guard let cause = cause.map({ "\($0)" }), !message.contains(cause) else { return message }
        return "\(message) (\(cause))"
    }

    /// What `localizedDescription` says where nobody knows this type: the ``description``.
    public var errorDescription: String? { description }

    package init(
        _ code: Code, _ message: String, entity: String? = nil, attribute: String? = nil, cause: (any Error)? = nil,
        rows: [ObjectReference] = []
    ) {
        content = Content(code, message, entity, attribute, cause, rows)
    }
}

extension StoreError {
    /// A stable name for a kind of error.
    ///
    /// New codes may be added, so keep a `default` when you switch over them.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as it stands in logs.
        public let description: String

        package init(_ name: String) {
            description = name
        }

        /// A key path that is not in the table of its entity.
        public static let unknownKeyPath = Code("unknownKeyPath")

        /// A condition that cannot be understood: bad text, a wrong argument, or a combination with no meaning.
        public static let invalidCondition = Code("invalidCondition")

        /// A request with a limit, offset or order that makes no sense.
        public static let invalidRequest = Code("invalidRequest")

        /// A table of attributes or relations with faults.
        public static let invalidTable = Code("invalidTable")

        /// A URL that is no object id.
        public static let invalidObjectID = Code("invalidObjectID")

        /// Matches an error that has this code, so that codes can stand in `catch`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? StoreError)?.code == code
        }
    }
}
