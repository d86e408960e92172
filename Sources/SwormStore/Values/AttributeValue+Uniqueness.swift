import Foundation
package import SwormPredicates

extension AttributeValue {
    /// A value that identifies equal values as the store compares them: Swift also considers strings equal whose bytes
    /// differ.
    package var uniqueKey: AttributeValue {
        if case .string(let text) = self { return .data(Data(text.utf8)) }
        return self
    }
}
