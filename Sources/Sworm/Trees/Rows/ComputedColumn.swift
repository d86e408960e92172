import SwormPredicates

/// A computed column of values.
struct ComputedColumn<Value>: Sendable {
    let expression: ExpressionTree
    let failure: StoreError?
    let kind: PrimitiveKind
    /// Writes the column into a value.
    let write: @Sendable (UnsafeMutablePointer<Value>, AttributeValue) throws -> Void
}
