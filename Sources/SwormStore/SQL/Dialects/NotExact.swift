import Foundation
import SwormPredicates

/// An error for a part of a request that a dialect cannot express with exactly the result that the part has in memory.
///
/// The part is valid: a store evaluates it in memory. See ``SQLCompiler/split(_:)``.
struct NotExact: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The construct that has no exact form. Its description completes the sentence "… in memory, because".
    struct Reason: Sendable, Hashable, CustomStringConvertible {
        let description: String

        /// `[l]`
        static let locale = Reason(description: "[l] follows Foundation's root collation, which no server has")
        static let regularExpression = Reason(description: "MATCHES uses ICU's regular expressions")
        /// LIKE with a pattern that is not a constant.
        static let computedPattern = Reason(description: "LIKE has a pattern that differs from row to row")
        static let letterCase = Reason(description: "Foundation's letter case is not that of a server")
        /// A power, a root, a logarithm, or a similar function.
        static let realFunction = Reason(description: "the last digits of the function differ on a server")
        /// A shift by a distance that is not a constant from 0 to 63.
        static let shift = Reason(description: "a server shifts by the distance modulo 64")
        /// A comparison that would convert an integer of 64 bits to a real.
        static let largeInteger = Reason(description: "an integer of 64 bits is compared with a real")
        /// A comparison that would convert a decimal to a real.
        static let decimalAndReal = Reason(description: "a decimal is compared with a real")
        /// A number that is an integer or a real, depending on the row.
        static let mixedNumbers = Reason(description: "it is an integer or a real, depending on the row")
        static let realAsDecimal = Reason(description: "a server converts only 15 digits of a real to a decimal")
        static let zeroCharacter = Reason(description: "a server has no strings with the character U+0000")
        /// A part that has failed on the server.
        static let outOfRange = Reason(description: "a number is out of the range of the server's types")
        /// Distinct groups in an order that is not one of the columns.
        static let distinctOrder = Reason(description: "distinct groups are sorted by a value that is not selected")
    }

    let reason: Reason
    /// The path or the words for the value.
    var path: String
    /// The entity from which the path starts.
    var entity: String

    init(_ reason: Reason, path: String, entity: String) {
        (self.reason, self.path, self.entity) = (reason, path, entity)
    }

    init(_ reason: Reason, of value: QueryScalar) { self.init(reason, path: value.path, entity: value.entity) }

    var description: String { "\(path) of \(entity) is evaluated in memory, because \(reason)" }
    var errorDescription: String? { description }
}
