public import Foundation
public import SwormPredicates

/// An error of the library.
///
/// It states its kind, the entity and attribute that it is about, and how to fix it.
///
/// Identify errors by their ``code``, which does not change between versions. The message is meant for people.
///
/// ```swift
/// do { try store.perform { ... } }
/// catch StoreError.Code.unknownKeyPath { ... }
/// ```
public struct StoreError: LocalizedError, Sendable, CustomStringConvertible {
    // A single reference, because conditions and requests may carry an error, and are copied often.
    private let content: Content

    private final class Content: Sendable {
        let code: Code
        let message: String
        let entity: String?
        let attribute: String?
        let cause: (any Error)?
        let rows: [ObjectReference]
        let path: String?
        let issues: [StoreError]
        let savedTrees: Int?

        init(
            _ code: Code, message: String, entity: String?, attribute: String?, cause: (any Error)?,
            rows: [ObjectReference], path: String?, issues: [StoreError], savedTrees: Int?
        ) {
            self.code = code
            self.message = message
            self.entity = entity
            self.attribute = attribute
            self.cause = cause
            self.rows = rows
            self.path = path
            self.issues = issues
            self.savedTrees = savedTrees
        }
    }

    /// The kind of the error.
    public var code: Code { content.code }

    /// A sentence that names the entity, the attribute and the value, and states how to fix the error.
    public var message: String { content.message }

    /// The entity that the error is about, or nil.
    public var entity: String? { content.entity }

    /// The attribute or relation that the error is about, or nil.
    public var attribute: String? { content.attribute }

    /// The rows that the error is about, for example those of a conflict.
    ///
    /// If a write is based on a snapshot that is no longer the newest, the error is a conflict without rows.
    public var rows: [ObjectReference] { content.rows }

    /// The position in the trees of a save that the error is about, such as `[3].reviews[1].mark`, or nil.
    public var path: String? { content.path }

    /// All invalid values of a save of trees, at most a hundred; empty for other errors.
    public var issues: [StoreError] { content.issues }

    /// The number of trees at the start of an asynchronous sequence that are in the store although its save failed; nil for
    /// other errors.
    ///
    /// See ``PersistentContainer/save(contentsOf:on:batchSize:repeats:isolation:)``.
    public var savedTrees: Int? { content.savedTrees }

    /// The underlying error, or nil.
    public var cause: (any Error)? { content.cause }

    /// The message, followed by the cause if the cause adds information.
    public var description: String {
        guard let cause = cause.map({ "\($0)" }), !message.contains(cause) else { return message }
        return "\(message) (\(cause))"
    }

    /// The ``description``, for use by `localizedDescription`.
    public var errorDescription: String? { description }

    package init(
        _ code: Code, _ message: String, entity: String? = nil, attribute: String? = nil, cause: (any Error)? = nil,
        rows: [ObjectReference] = [], path: String? = nil, issues: [StoreError] = [], savedTrees: Int? = nil
    ) {
        content = Content(
            code, message: message, entity: entity, attribute: attribute, cause: cause, rows: rows, path: path,
            issues: issues, savedTrees: savedTrees)
    }
}

extension StoreError {
    /// A stable name for a kind of error.
    ///
    /// New codes may be added, so keep a `default` when you switch over them.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as it appears in logs.
        public let description: String

        package init(_ name: String) {
            description = name
        }

        /// A key path is not in the table of its entity.
        public static let unknownKeyPath = Code("unknownKeyPath")

        /// A condition is invalid: malformed text, a wrong argument, or a meaningless combination.
        public static let invalidCondition = Code("invalidCondition")

        /// A request has an invalid limit, offset or sort order.
        public static let invalidRequest = Code("invalidRequest")

        /// A table of attributes or relations has issues.
        public static let invalidTable = Code("invalidTable")

        /// A URL is not an object id.
        public static let invalidObjectID = Code("invalidObjectID")

        /// Returns whether an error has this code, so that codes can be used in `catch` patterns.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? StoreError)?.code == code
        }
    }
}
