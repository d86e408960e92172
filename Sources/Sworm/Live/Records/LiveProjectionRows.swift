import SwormPredicates

/// The rows of a projection, together with the stored values by which they are compared.
struct LiveProjectionRows<Row: Sendable>: Sendable {
    let rows: [Row]
    let values: [[AttributeValue]]
}
