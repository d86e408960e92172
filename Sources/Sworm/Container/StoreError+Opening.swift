import Foundation

extension StoreError {
    /// The reason why a store did not open; nil for an error of another kind.
    ///
    /// Errors that occur while an open store is read or written have the same reasons if the file is the cause.
    public var openingFailure: StoreOpeningFailure? {
        guard let cause = cause.map({ $0 as NSError }), cause.domain == NSCocoaErrorDomain else {
            return code == .incompatibleModel ? .needsMigration : nil
        }
        return cause.storeOpeningFailure
    }
}
