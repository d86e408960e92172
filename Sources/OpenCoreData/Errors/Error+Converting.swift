import Foundation
import SwormPredicates
import SwormSQLite
import SwormStore

extension Error {
    /// Returns an error of the framework as the error that its public calls throw; any other error unchanged.
    ///
    /// - Parameter finder: The finder of the objects that the error is about.
    func converted(findingObjectsIn finder: (any ErrorObjectFinder)?) -> any Error {
        switch self {
        case let error as CoreDataError: error.cocoaError(findingObjectsIn: finder)
        case let error as QueryError:
            CoreDataError(NSCoreDataError, error.description, cause: error).cocoaError(findingObjectsIn: finder)
        case let error as SQLiteError:
            CoreDataError(NSSQLiteError, error.message, cause: error).cocoaError(findingObjectsIn: finder)
        default: self
        }
    }
}

extension CoreDataError {
    /// Returns the error as the framework's public calls throw it.
    ///
    /// - Parameter finder: The finder of the objects that the error is about.
    /// - Returns: A `CocoaError` that contains this error, or the error that the application has thrown.
    func cocoaError(findingObjectsIn finder: (any ErrorObjectFinder)?) -> any Error {
        if isOfApplication, let cause { return cause }
        var info = errorUserInfo
        info[Self.userInfoKey] = self
        var seen: Set<ObjectIdentifier> = []
        let found = objects.compactMap { finder?.object(of: $0) }.filter { seen.insert(ObjectIdentifier($0)).inserted }
        info[NSAffectedObjectsErrorKey] = found.isEmpty ? nil : found
        if isOfOneObject { info[NSValidationObjectErrorKey] = found.first }
        if !details.isEmpty { info[NSDetailedErrorsKey] = details.map { $0.cocoaError(findingObjectsIn: finder) } }
        if let own = cause as? CoreDataError {
            info[NSUnderlyingErrorKey] = own.cocoaError(findingObjectsIn: finder)
        }
        if let attachment = attachment as? any ErrorAttachment {
            info.merge(attachment.userInfo(findingObjectsIn: finder)) { $1 }
        }
        return CocoaError(CocoaError.Code(rawValue: errorCode), userInfo: info)
    }

    /// Whether the error is about one value or relationship that is not valid.
    private var isOfOneObject: Bool {
        errorCode != NSValidationMultipleErrorsError
            && (NSManagedObjectValidationError...NSValidationInvalidURIError).contains(errorCode)
    }
}
