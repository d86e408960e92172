import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// The messages for errors of the underlying libraries.
enum ErrorText {
    static func message(of error: any Error) -> String {
        switch error.asCoreData ?? error {
        case let error as CoreDataError: error.message
        case let error as QueryError: error.description
        case let error as SQLiteError: error.message
        case let error as ToolError: error.message
        default: (error as NSError).localizedDescription
        }
    }

    static func hint(for error: any Error) -> String? {
        guard let error = error.asCoreData else { return nil }
        let look =
            "'sworm-tool verify' finds damage, and 'sworm-tool rebuild' creates a new store from all readable data"
        switch error.errorCode {
        case NSPersistentStoreIncompatibleVersionHashError:
            return "use the model that the store was written with: --model PATH"
        case NSPersistentStoreTypeMismatchError:
            return "name a file that was written by Core Data or Sworm"
        case NSPersistentStoreIncompatibleSchemaError: return look
        case NSInferredMappingModelError:
            return "change the new model as described; '--dry-run' counts the affected objects"
        case CocoaError.Code.fileReadCorruptFile.rawValue:
            // Model files are read without SQLite.
            switch (error.cause as? SQLiteError)?.code {
            case SQLiteError.notADatabase?:
                return "a store is a SQLite file; if this was one, it is encrypted or overwritten: restore a backup"
            case SQLiteError.corrupt?: return look
            default: return nil
            }
        default: return nil
        }
    }
}
