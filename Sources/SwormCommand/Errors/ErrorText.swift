import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// The messages for errors of the underlying libraries.
enum ErrorText {
    static func message(of error: any Error) -> String {
        switch error {
        case let error as CoreDataError: error.message
        case let error as QueryError: error.description
        case let error as SQLiteError: error.message
        case let error as ToolError: error.message
        default: (error as NSError).localizedDescription
        }
    }

    static func hint(for error: any Error) -> String? {
        guard let error = error as? CoreDataError else { return nil }
        let look =
            "'sworm-tool verify' looks for damage, and 'sworm-tool rebuild' makes a new store of what can be read"
        switch error.errorCode {
        case NSPersistentStoreIncompatibleVersionHashError:
            return "give the model that the store was written with as --model PATH"
        case NSPersistentStoreTypeMismatchError:
            return "name the file that Core Data, or Sworm, has written"
        case NSPersistentStoreIncompatibleSchemaError: return look
        case NSInferredMappingModelError:
            return "change the new model as the reasons say; '--dry-run' counts the objects that they are about"
        case CocoaError.Code.fileReadCorruptFile.rawValue:
            // Model files are read without SQLite.
            switch (error.cause as? SQLiteError)?.code {
            case SQLiteError.notADatabase?:
                return "a store is a SQLite file; if this was one, it is encrypted or written over: restore a copy"
            case SQLiteError.corrupt?: return look
            default: return nil
            }
        default: return nil
        }
    }
}
