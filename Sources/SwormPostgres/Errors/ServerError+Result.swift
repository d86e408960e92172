#if PostgreSQL
import CSwormPQ

extension ServerError {
    /// Creates the error of a result that is not a success. Detail and hint are not read, because they contain values of
    /// rows.
    ///
    /// - Parameters:
    ///   - isStopped: Whether the driver asked the server to stop the statement, which the server reports with the same
    ///     code as a timeout.
    init(result: OpaquePointer?, sql: String?, isStopped: Bool = false) {
        func field(_ code: Character) -> String? { Self.field(code, of: result) }
        guard let code = field("C") else {
            self.init(.unavailable, "the server's answer could not be read", sql: sql)
            return
        }
        let state = SQLState(rawValue: code)
        var message = state.explanation
        // A function, whose own messages may have values, is a part of the context.
        let isHarmless = state.hasHarmlessMessage(
            from: field("R"), hasPosition: field("P") != nil, hasContext: field("W") != nil)
        if isHarmless, let own = field("M") { message += ": " + own }
        if isStopped, state == .queryCanceled {
            self.init(.cancelled, "the statement was stopped", state: state, sql: sql)
        } else {
            self.init(Kind(state), message, state: state, sql: sql)
        }
        constraint = field("n")
        schema = field("s")
        table = field("t")
        column = field("c")
    }

    /// Whether a prepared statement failed because the server no longer knows it, or can no longer use its plan.
    static func isStalePlan(_ result: OpaquePointer) -> Bool {
        switch field("C", of: result).map({ SQLState(rawValue: $0) }) {
        case .invalidStatementName: true
        // The code has many other reasons.
        case .featureNotSupported: field("R", of: result) == "RevalidateCachedQuery"
        default: false
        }
    }

    private static func field(_ code: Character, of result: OpaquePointer?) -> String? {
        guard let result, let byte = code.asciiValue else { return nil }
        return PQresultErrorField(result, Int32(byte)).map { String(cString: $0) }
    }
}
#endif
