/// The result of a function.
package enum FunctionResult: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A real number. NaN becomes NULL.
    case real(Double)
    case text(String)
    case blob([UInt8])
}
