/// An error of the tool, with a hint on how to resolve it.
struct ToolError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across releases.
    package struct Code: Sendable, Hashable {
        let description: String

        /// The arguments are not valid.
        static let usage = Code(description: "usage")
        /// A model is required, but none was given.
        static let modelNeeded = Code(description: "modelNeeded")
        /// The given model has no version that the store was written with.
        static let modelMismatch = Code(description: "modelMismatch")
        /// The model names no classes.
        static let noClasses = Code(description: "noClasses")
        /// There is no entity with the given name.
        static let unknownEntity = Code(description: "unknownEntity")
        /// There is no object with the given name.
        static let noObject = Code(description: "noObject")
        /// The store keeps no history.
        static let noHistory = Code(description: "noHistory")
        /// A predicate, a sort key or a column is not valid.
        static let query = Code(description: "query")
        /// The file already exists, and replacing it was not requested.
        static let fileExists = Code(description: "fileExists")
        /// A file cannot be read or written.
        static let file = Code(description: "file")
        /// A dump is not valid, or is damaged.
        static let dump = Code(description: "dump")
    }

    let code: Code
    var message: String
    /// A suggestion to resolve the error.
    let hint: String?

    init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    package var description: String { message }
}

/// The exit code of the tool.
package enum ExitCode: Int32, Sendable {
    case ok = 0
    /// Differences or issues were found.
    case found = 1
    case usage = 2
    case failure = 3
}
