/// A value of a row in the closure form of a condition: an attribute, a count, or a computed value.
///
/// `Base` is the type that the term is compared with. `Value` is `Base`, or `Base?` if the value may be missing.
public struct Term<Root: ManagedObjectConvertible, Base: SupportedAttributeType, Value>: Sendable {
    @usableFromInline let operand: Operand

    @usableFromInline
    init(_ operand: Operand) {
        self.operand = operand
    }
}
