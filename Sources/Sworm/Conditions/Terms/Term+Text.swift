import SwormPredicates

extension Term where Base.PrimitiveAttributeType == String {
    /// Returns a condition that the string equals the given one, compared with the options.
    public func equals(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .equal, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the string starts with the given one.
    public func hasPrefix(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .beginsWith, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the string ends with the given one.
    public func hasSuffix(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .endsWith, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the string contains the given one.
    public func contains(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .contains, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the whole string matches a pattern: `*` matches any characters, `?` a single one.
    public func like(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .like, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the whole string matches a regular expression.
    public func matches(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .matches, with: Operand(value: text), options: options)
    }
}
