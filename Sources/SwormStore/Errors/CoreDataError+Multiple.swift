extension CoreDataError {
    /// Throws nothing if there is no error, the error if there is only one, or an error that contains all of them.
    package static func throwAll(_ errors: [CoreDataError]) throws {
        if let only = errors.first, errors.count == 1 { throw only }
        guard !errors.isEmpty else { return }
        let text = errors.map { "- \($0.message)" }.joined(separator: "\n")
        throw CoreDataError(
            NSValidationMultipleErrorsError, "The changes are not valid:\n\(text)",
            objects: errors.flatMap(\.objects), details: errors)
    }

    /// The contained errors if this error only groups them; otherwise this error.
    package var flattened: [CoreDataError] {
        errorCode == NSValidationMultipleErrorsError && !details.isEmpty ? details.flatMap(\.flattened) : [self]
    }
}
