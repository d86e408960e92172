extension CoreDataError {
    /// Throws nothing, the only error, or one error that holds all of them.
    package static func throwAll(_ errors: [CoreDataError]) throws {
        if let only = errors.first, errors.count == 1 { throw only }
        guard !errors.isEmpty else { return }
        let text = errors.map { "- \($0.message)" }.joined(separator: "\n")
        throw CoreDataError(
            NSValidationMultipleErrorsError, "The changes are not valid:\n\(text)",
            objects: errors.flatMap(\.objects), details: errors)
    }

    /// The errors themselves where this one only groups them.
    package var flattened: [CoreDataError] {
        errorCode == NSValidationMultipleErrorsError && !details.isEmpty ? details.flatMap(\.flattened) : [self]
    }
}
