extension Condition: Hashable {
    /// Returns whether two conditions are composed of the same comparisons in the same way.
    ///
    /// `a && b` and `b && a` find the same objects, but are different conditions.
    public static func == (left: Condition, right: Condition) -> Bool { left.content.body == right.content.body }

    /// Feeds the content of the condition into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(content.body) }
}
