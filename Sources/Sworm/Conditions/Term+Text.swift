import SwormPredicates

extension Term where Base.PrimitiveAttributeType == String {
    /// Returns a condition that the string equals the given one, compared with the options.
    public func equals(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .equal, Operand(value: text), options)
    }

    /// Returns a condition that the string starts with the given one.
    public func hasPrefix(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .beginsWith, Operand(value: text), options)
    }

    /// Returns a condition that the string ends with the given one.
    public func hasSuffix(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .endsWith, Operand(value: text), options)
    }

    /// Returns a condition that the string contains the given one.
    public func contains(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .contains, Operand(value: text), options)
    }

    /// Returns a condition that the whole string matches a pattern: `*` matches any characters, `?` a single one.
    public func like(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .like, Operand(value: text), options)
    }

    /// Returns a condition that the whole string matches a regular expression.
    public func matches(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .matches, Operand(value: text), options)
    }
}
