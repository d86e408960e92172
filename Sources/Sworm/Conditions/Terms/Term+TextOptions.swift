import SwormPredicates

// Comparisons between strings of the row, and comparisons with options.

extension Term where Base.PrimitiveAttributeType == String {
    /// Returns a condition that the string equals the other one, compared with the options.
    public func equals<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, by: .equal, with: other.operand, options: options)
    }

    /// Returns a condition that the string starts with the other one.
    public func hasPrefix<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, by: .beginsWith, with: other.operand, options: options)
    }

    /// Returns a condition that the string ends with the other one.
    public func hasSuffix<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, by: .endsWith, with: other.operand, options: options)
    }

    /// Returns a condition that the string contains the other one.
    public func contains<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, by: .contains, with: other.operand, options: options)
    }

    /// Returns a condition that the string sorts before the given one by its bytes, after the options are applied to
    /// both.
    public func precedes(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .less, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the string sorts after the given one by its bytes, after the options are applied to
    /// both.
    public func follows(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, by: .greater, with: Operand(value: text), options: options)
    }

    /// Returns a condition that the string is one of the given strings, compared with the options.
    public func isIn(_ texts: some Sequence<String>, _ options: StringOptions) -> Condition<Root> {
        Condition(operand, by: .in, with: Operand(values: texts), options: options)
    }

    /// The string in uppercase.
    public var uppercased: Term { Term(operand.calling(.uppercase)) }

    /// The string in lowercase.
    public var lowercased: Term { Term(operand.calling(.lowercase)) }
}

extension Term where Base.PrimitiveAttributeType == String, Value == Base {
    /// The number of Unicode scalars in the string.
    public var length: Term<Root, Int, Int> { Term<Root, Int, Int>(operand.calling(.length)) }
}

extension Term where Base.PrimitiveAttributeType == String, Value == Base? {
    /// The number of Unicode scalars in the string, or a missing value if there is no string.
    public var length: Term<Root, Int, Int?> { Term<Root, Int, Int?>(operand.calling(.length)) }
}
