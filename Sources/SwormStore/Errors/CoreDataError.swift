import Foundation
package import SwormPredicates
import SwormSQLite

/// An error of this framework: a documented Cocoa code, a message that names the affected objects and suggests a
/// solution, and the cause.
///
/// `as NSError` returns an error with the domain `NSCocoaErrorDomain`, the code, and Core Data's user-information
/// keys.
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

    package init(
        _ code: Int, _ message: String, entity: String? = nil, key: String? = nil, value: AttributeValue? = nil,
        objects: [ObjectReference] = [], details: [CoreDataError] = [], cause: (any Error)? = nil,
        condition: StoreCondition? = nil
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
    }

    /// Whether a file of external data is missing.
    package var isOfMissingFile: Bool { errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue }

    package var description: String { message }
    package var errorDescription: String? { message }

    package var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let key { info[NSValidationKeyErrorKey] = key }
        if let value { info[NSValidationValueErrorKey] = value.foundationValue ?? NSNull() }
        if let entity { info["NSEntityName"] = entity }
        if !objects.isEmpty { info[NSAffectedObjectsErrorKey] = objects }
        if !details.isEmpty { info[NSDetailedErrorsKey] = details as [any Error] }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        if let code = (cause as? SQLiteError)?.extendedCode { info[NSSQLiteErrorDomain] = NSNumber(value: code) }
        if let condition { info[StoreCondition.userInfoKey] = condition.rawValue }
        return info
    }
}
