import SwormPredicates

extension Term where Base.PrimitiveAttributeType == String {
    /// The text is this one, as the options see it.
    public func equals(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .equal, Operand(value: text), options)
    }

    /// The text begins with this one.
    public func hasPrefix(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .beginsWith, Operand(value: text), options)
    }

    /// The text ends with this one.
    public func hasSuffix(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .endsWith, Operand(value: text), options)
    }

    /// The text contains this one.
    public func contains(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .contains, Operand(value: text), options)
    }

    /// The whole text is like this pattern: `*` stands for any text, `?` for one character.
    public func like(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .like, Operand(value: text), options)
    }

    /// The whole text matches this regular expression.
    public func matches(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .matches, Operand(value: text), options)
    }
}
