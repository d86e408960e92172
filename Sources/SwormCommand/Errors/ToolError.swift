/// An error of the tool: what happened, and the way out of it.
package struct ToolError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across releases.
    package struct Code: Sendable, Hashable {
        package let description: String

        /// The arguments are not ones that the tool takes.
        package static let usage = Code(description: "usage")
        /// A model is needed and none was given.
        package static let modelNeeded = Code(description: "modelNeeded")
        /// The model that was given has no version that the store was written with.
        package static let modelMismatch = Code(description: "modelMismatch")
        /// There is no entity of a name.
        package static let unknownEntity = Code(description: "unknownEntity")
        /// A predicate, a sort key or a column is not understood.
        package static let query = Code(description: "query")
        /// There is a file already, and it was not asked to be replaced.
        package static let fileExists = Code(description: "fileExists")
        /// A file cannot be read or written.
        package static let file = Code(description: "file")
        /// A dump is not one, or is damaged.
        package static let dump = Code(description: "dump")
    }

    package let code: Code
    package var message: String
    /// What to do instead.
    package let hint: String?

    package init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    package var description: String { message }
}

/// How a run of the tool ended.
package enum ExitCode: Int32, Sendable {
    case ok = 0
    /// Differences or faults were found.
    case found = 1
    case usage = 2
    case failure = 3
}
