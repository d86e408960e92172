import Foundation

extension Error {
    /// This error as an error of the framework: as the framework throws it internally, or as the content of the
    /// `CocoaError` that its public calls throw; nil for any other error.
    package var asCoreData: CoreDataError? {
        if let error = self as? CoreDataError { return error }
        // An application may have thrown an error on as an NSError.
        let info = (self as? CocoaError)?.userInfo ?? ((self as Any) as? NSError)?.userInfo
        return info?[CoreDataError.userInfoKey] as? CoreDataError
    }
}

extension CoreDataError {
    /// The key of the error in the user information of a `CocoaError`.
    package static var userInfoKey: String { "SwormError" }
}
