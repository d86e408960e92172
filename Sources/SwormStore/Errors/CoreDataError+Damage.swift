import Foundation

// Rows that say something that no row can.
extension CoreDataError {
    /// A row says that it is of an entity that its table, or the part of it that was asked for, does not hold.
    package static func wrongEntity(ofRow key: Int64, number: Int64, in name: String) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The row \(key) of \(name) says that it is of the entity number \(number), which is none of \(name)'s. The store is damaged there.",
            entity: name)
    }

    /// A row has a key below 1.
    package static func wrongKey(_ key: Int64, in name: String) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "A row of \(name) has the primary key \(key), but keys begin at 1. The store is damaged there.",
            entity: name)
    }
}
