import Foundation

// Errors for rows with impossible contents.
extension CoreDataError {
    /// Returns the error for a row with an entity number that its table, or the requested part of it, cannot contain.
    package static func wrongEntity(ofRow key: Int64, number: Int64, in name: String) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The row \(key) of \(name) has the entity number \(number), which is not \(name) or one of its sub-entities. The store is damaged.",
            entity: name)
    }

    /// Returns the error for a row with a key below 1.
    package static func wrongKey(_ key: Int64, in name: String) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "A row of \(name) has the primary key \(key), but keys begin at 1. The store is damaged.",
            entity: name)
    }
}
