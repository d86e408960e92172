import SwormPredicates

/// The rows of a projection, together with the stored values by which they are compared.
struct LiveProjectionRows<Row: Sendable>: Sendable {
    let rows: [Row]
    let values: [[AttributeValue]]

    func isSame(as others: LiveProjectionRows) -> Bool {
        values.count == others.values.count && zip(values, others.values).allSatisfy { $0.isStoredSame(as: $1) }
    }
}
