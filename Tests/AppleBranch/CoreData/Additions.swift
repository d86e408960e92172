// API of Apple's framework that the engine does not have, and that the branch uses.
#if !TEXT_INTERFACE
public import OpenCoreData
#endif

extension NSManagedObjectContext {
    /// The context to which saves are pushed. The engine has none.
    public var parent: NSManagedObjectContext? { nil }
}

extension NSDerivedAttributeDescription {
    /// An expression of a model, which the engine keeps as a string.
    public struct Expression: CustomStringConvertible {
        /// The expression as in the model file.
        public let description: String
    }

    /// The expression from which the value is computed.
    public var derivationExpression: Expression? { derivation.map { Expression(description: $0) } }
}
