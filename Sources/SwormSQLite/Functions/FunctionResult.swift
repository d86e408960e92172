/// What a function returns to SQLite.
package enum FunctionResult: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// NaN becomes NULL.
    case real(Double)
    case text(String)
    case blob([UInt8])
}
