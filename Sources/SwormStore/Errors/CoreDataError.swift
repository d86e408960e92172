import Foundation
package import SwormPredicates
import SwormSQLite

/// An error of this framework: a documented Cocoa code, a message that names the affected objects and suggests a
/// solution, and the cause.
///
/// The framework throws and catches it internally. Its public calls throw a `CocoaError` that contains it; `asCoreData`
/// returns it from either. `as NSError` returns an error with the domain `NSCocoaErrorDomain`, the code, and Core Data's
/// user-information keys.
package struct CoreDataError: Error, CustomNSError, LocalizedError, CustomStringConvertible, Sendable {
    package static var errorDomain: String { NSCocoaErrorDomain }

    package var errorCode: Int
    package var message: String
    package var entity: String?
    package var key: String?
    var value: AttributeValue?
    package var objects: [ObjectReference]
    package var details: [CoreDataError]
    package var cause: (any Error)?
    /// The condition of the store that caused the error, for conditions that share their Cocoa code with other
    /// failures.
    var condition: StoreCondition?
    /// A fact about the error that only a higher layer understands, such as the conflicts of a save.
    package var attachment: (any Sendable)?
    /// Whether the cause was thrown by code of the application. The application then receives the cause itself.
    package var isOfApplication = false

    package init(
        _ code: Int, _ message: String, entity: String? = nil, key: String? = nil, value: AttributeValue? = nil,
        objects: [ObjectReference] = [], details: [CoreDataError] = [], cause: (any Error)? = nil,
        condition: StoreCondition? = nil, attachment: (any Sendable)? = nil
    ) {
        errorCode = code
        self.message = message
        self.entity = entity
        self.key = key
        self.value = value
        self.objects = objects
        self.details = details
        self.cause = cause
        self.condition = condition
        self.attachment = attachment
    }

    /// Returns an error of the application as one of the errors of this framework.
    package static func ofApplication(
        _ error: any Error, _ message: String, entity: String, key: String? = nil, objects: [ObjectReference] = []
    ) -> CoreDataError {
        var own = CoreDataError(
            NSManagedObjectValidationError, message, entity: entity, key: key, objects: objects, cause: error)
        own.isOfApplication = true
        return own
    }

    /// Whether a file of external data is missing.
    package var isOfMissingFile: Bool { errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue }

    package var description: String { message }
    package var errorDescription: String? { message }

    package var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let key { info[NSValidationKeyErrorKey] = key }
        if let value { info[NSValidationValueErrorKey] = value.cocoaValue ?? NSNull() }
        if let entity { info["NSEntityName"] = entity }
        if !objects.isEmpty { info[NSAffectedObjectsErrorKey] = objects }
        if !details.isEmpty { info[NSDetailedErrorsKey] = details as [any Error] }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        if let code = (cause as? SQLiteError)?.extendedCode { info[NSSQLiteErrorDomain] = NSNumber(value: code) }
        if let condition { info[StoreCondition.userInfoKey] = condition.rawValue }
        return info
    }
}
