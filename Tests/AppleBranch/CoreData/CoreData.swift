// A stand-in for Apple's framework: our engine under its name, so that the code for Apple's platforms can be compiled and
// tested where there is no such framework. It shows that this code type-checks against the public API and behaves on our
// engine; it says nothing about Apple's.
@_exported public import OpenCoreData

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
