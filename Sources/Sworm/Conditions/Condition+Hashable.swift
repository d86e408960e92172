extension Condition: Hashable {
    /// Whether two conditions are put together in the same way from the same comparisons.
    ///
    /// `a && b` and `b && a` select the same objects and are different conditions.
    public static func == (left: Condition, right: Condition) -> Bool { left.content.body == right.content.body }

    /// Feeds what the condition says into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(content.body) }
}
