import SwormPredicates

// Text against other text of the row, and text of which not every difference counts.

extension Term where Base.PrimitiveAttributeType == String {
    /// The text is the other one, as the options see it.
    public func equals<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, .equal, other.operand, options)
    }

    /// The text begins with the other one.
    public func hasPrefix<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, .beginsWith, other.operand, options)
    }

    /// The text ends with the other one.
    public func hasSuffix<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, .endsWith, other.operand, options)
    }

    /// The text contains the other one.
    public func contains<Base2, Value2>(
        _ other: Term<Root, Base2, Value2>, _ options: StringOptions = []
    ) -> Condition<Root> where Base2.PrimitiveAttributeType == String {
        Condition(operand, .contains, other.operand, options)
    }

    /// The text comes before this one in the order of bytes, once both are as the options see them.
    public func precedes(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .less, Operand(value: text), options)
    }

    /// The text comes after this one in the order of bytes, once both are as the options see them.
    public func follows(_ text: String, _ options: StringOptions = []) -> Condition<Root> {
        Condition(operand, .greater, Operand(value: text), options)
    }

    /// The text is one of these, as the options see it.
    public func isIn(_ texts: some Sequence<String>, _ options: StringOptions) -> Condition<Root> {
        Condition(operand, .in, Operand(values: texts), options)
    }

    /// The text in capital letters.
    public var uppercased: Term { Term(operand.calling(.uppercase)) }

    /// The text in small letters.
    public var lowercased: Term { Term(operand.calling(.lowercase)) }
}

extension Term where Base.PrimitiveAttributeType == String, Value == Base {
    /// How many Unicode scalars the text has.
    public var length: Term<Root, Int, Int> { Term<Root, Int, Int>(operand.calling(.length)) }
}

extension Term where Base.PrimitiveAttributeType == String, Value == Base? {
    /// How many Unicode scalars the text has, if there is one.
    public var length: Term<Root, Int, Int?> { Term<Root, Int, Int?>(operand.calling(.length)) }
}
