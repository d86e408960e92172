package import Foundation

/// The exact content of a column, whatever the type of its attribute.
package enum ExactValue: Sendable, Hashable {
    case integer(Int64)
    case real(Double)
    /// The bytes of a string, which may be invalid UTF-8.
    case text(Data)
    case blob(Data)
}
