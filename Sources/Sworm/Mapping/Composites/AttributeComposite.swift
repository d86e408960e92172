import SwormPredicates

/// A composite attribute in the table of a type, or one that is contained in it.
struct AttributeComposite<Owner: SendableMetatype>: Sendable {
    /// The name of the attribute; for an element, the path `composite.element`.
    var name: String
    // Unsafe: key paths are not `Sendable` in general. The key paths of a table are, and those that are composed of them.
    nonisolated(unsafe) var keyPath: PartialKeyPath<Owner>
    let isOptional: Bool
    let options: [AttributeOption]
    let table: CompositeTable
    /// Removes the value of an optional composite.
    var clear: (@Sendable (inout Owner) -> Void)?

    init<V: CompositeConvertible>(
        _ keyPath: any WritableKeyPath<Owner, V> & Sendable, name: String, options: [AttributeOption],
        table: CompositeTable
    ) {
        (self.name, self.keyPath, self.options, self.table) = (name, keyPath, options, table)
        isOptional = false
    }

    init<V: CompositeConvertible>(
        optional keyPath: any WritableKeyPath<Owner, V?> & Sendable, name: String, options: [AttributeOption],
        table: CompositeTable
    ) {
        (self.name, self.keyPath, self.options, self.table) = (name, keyPath, options, table)
        isOptional = true
        clear = { $0[keyPath: keyPath] = nil }
    }

    /// Creates a composite that the cases of an enum of structs share.
    init(
        shared keyPath: PartialKeyPath<Owner>, name: String, isOptional: Bool, options: [AttributeOption],
        table: CompositeTable
    ) where Owner: SuperentityConvertible {
        self.init(name: name, keyPath: keyPath, isOptional: isOptional, options: options, table: table, clear: nil)
    }

    private init(
        name: String, keyPath: PartialKeyPath<Owner>, isOptional: Bool, options: [AttributeOption],
        table: CompositeTable, clear: (@Sendable (inout Owner) -> Void)?
    ) {
        (self.name, self.keyPath, self.isOptional) = (name, keyPath, isOptional)
        (self.options, self.table, self.clear) = (options, table, clear)
    }

    /// Returns the composite as part of an enum of structs whose cases share its owner.
    func shared<T: SuperentityConvertible>(_ property: PartialKeyPath<T>, of name: String) -> AttributeComposite<T> {
        AttributeComposite<T>(
            shared: property.appending(path: keyPath) ?? property, name: "\(name).\(self.name)", isOptional: isOptional,
            options: options, table: table)
    }

    /// Returns the composite as part of a type that has its owner as a property.
    func inside<T>(_ property: any WritableKeyPath<T, Owner> & Sendable, of name: String) -> AttributeComposite<T> {
        inside(property, named: "\(name).\(self.name)")
    }

    /// Returns the composite as part of a type that holds a whole value of its owner.
    func inside<T>(_ property: any WritableKeyPath<T, Owner> & Sendable) -> AttributeComposite<T> {
        inside(property, named: name)
    }

    private func inside<T>(
        _ property: any WritableKeyPath<T, Owner> & Sendable, named name: String
    ) -> AttributeComposite<T> {
        var clearInside: (@Sendable (inout T) -> Void)?
        if let clear { clearInside = { (owner: inout T) in clear(&owner[keyPath: property]) } }
        let path: PartialKeyPath<T> = property
        return AttributeComposite<T>(
            name: name, keyPath: path.appending(path: keyPath) ?? path, isOptional: isOptional, options: options,
            table: table, clear: clearInside)
    }
}
