extension ManagedObjectConvertible {
    /// Returns the table of attributes of this type, for a tree that holds a whole value of it.
    ///
    /// ```swift
    /// static let attributes = Book.attributes(in: \BookPage.book)
    /// ```
    /// - Parameter property: The tree's property.
    public static func attributes<Tree: ManagedTreeConvertible>(
        in property: any WritableKeyPath<Tree, Self> & Sendable
    ) -> Set<Attribute<Tree>> where Tree.Entity == Self {
        Set(attributes.map { Attribute<Tree>($0, in: property) })
    }
}

extension Attribute {
    /// Creates the entry of an attribute for a type that holds a whole value of its owner.
    fileprivate init<Whole: ManagedObjectConvertible>(
        _ entry: Attribute<Whole>, in whole: any WritableKeyPath<PlainObject, Whole> & Sendable
    ) {
        let path: PartialKeyPath<PlainObject> = whole
        let composites = entry.composites
        // Unsafe: a key path that is composed of two key paths of tables is as sendable as they are. `appending` does not
        // preserve that in the type.
        let appended = unsafeBitCast(
            path.appending(path: entry.keyPath) ?? path, to: (any PartialKeyPath<PlainObject> & Sendable).self)
        let start = MemoryLayout<PlainObject>.offset(of: whole)
        var inner: (@Sendable (Int) -> [AttributeComposite<PlainObject>])?
        if let composites { inner = { depth in composites(depth).map { $0.inside(whole) } } }
        self.init(
            entry, keyPath: appended, lines: { depth in entry.lines(depth).map { $0.inside(whole) } },
            composites: inner,
            memory: start.flatMap { start in entry.memory.map { start + $0.lowerBound..<start + $0.upperBound } })
    }
}
