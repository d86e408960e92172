package import Foundation

/// What a column holds, whatever its attribute's type makes of it.
package enum ExactValue: Sendable, Hashable {
    case integer(Int64)
    case real(Double)
    /// The bytes of a text, which need not be UTF-8.
    case text(Data)
    case blob(Data)
}
