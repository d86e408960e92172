#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

extension PostgresStore {
    /// Returns an error of the driver as an error of the store, with the names of the model, and any other error
    /// unchanged.
    ///
    /// - Parameters:
    ///   - action: The action that failed, for the message: "read", "save".
    ///   - token: If it has stopped the work, its reason is the error.
    ///   - writeTimeout: The limit of statements that keep all other programs from writing, if it applied.
    func translated(
        _ error: any Error, while action: String, token: InterruptToken?, writeTimeout: Duration? = nil
    ) -> any Error {
        guard var error = (error as? ServerError).map(history.checked) else { return error }
        dropKeys(after: error)
        if let reason = reason(of: error, token: token) { return reason }
        if let writeTimeout, error.state == .queryCanceled, error.kind == .timeout {
            error.message =
                "the statement ran longer than \(writeTimeout), the limit in a `write`, which keeps all other programs from writing; use `perform` or `write(locking:)`, write less at a time, or raise the timeout `write` of the configuration"
        }
        return CoreDataError(error, while: action, place: place, schema: schema)
    }

    /// Returns the reason for which this process has stopped the work, or nil if the error has another cause.
    private func reason(of error: ServerError, token: InterruptToken?) -> (any Error)? {
        switch error.kind {
        case .cancelled, .timeout, .unavailable:
            if let failure = token?.failure { return failure }
            guard error.kind != .timeout else { return nil }
            // Closing the store stops its statements and ends its connections.
            do { _ = try currentWatch() } catch { return error }
            return nil
        default: return nil
        }
    }
}
#endif
