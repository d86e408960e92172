#if PostgreSQL
import CSwormPQ

extension ServerError {
    /// Creates the error of a result that is not a success. Detail, hint and context are not read, because they contain
    /// values of rows.
    ///
    /// - Parameters:
    ///   - isStopped: Whether the driver asked the server to stop the statement, which the server reports with the same
    ///     code as a timeout.
    init(result: OpaquePointer?, sql: String?, isStopped: Bool = false) {
        func field(_ code: Character) -> String? {
            guard let result, let byte = code.asciiValue else { return nil }
            return PQresultErrorField(result, Int32(byte)).map { String(cString: $0) }
        }
        guard let code = field("C") else {
            self.init(.unavailable, "the server's answer could not be read", sql: sql)
            return
        }
        let state = SQLState(rawValue: code)
        var message = state.explanation
        if state.hasHarmlessMessage(hasPosition: field("P") != nil), let own = field("M") { message += ": " + own }
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
}
#endif
