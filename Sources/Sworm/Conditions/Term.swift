/// A value of a row in the closure form of a condition: an attribute, a count, or something calculated.
///
/// `Base` is what the term compares with. `Value` is `Base`, or `Base?` where there may be no value.
public struct Term<Root: ManagedObjectConvertible, Base: SupportedAttributeType, Value>: Sendable {
    @usableFromInline let operand: Operand

    @usableFromInline
    init(_ operand: Operand) {
        self.operand = operand
    }
}
