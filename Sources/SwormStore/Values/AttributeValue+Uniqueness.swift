import Foundation
package import SwormPredicates

extension AttributeValue {
    /// Equal where the store takes the values for equal: Swift takes strings for equal whose bytes differ.
    package var uniqueKey: AttributeValue {
        if case .string(let text) = self { return .data(Data(text.utf8)) }
        return self
    }
}
