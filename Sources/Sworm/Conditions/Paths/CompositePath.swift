import SwormPredicates

/// A composite attribute in the closure form of a condition.
///
/// Its members are the elements: `$0.address.city == "Kyiv"`. A composite that may be nil has the same members, which have no
/// value if it is nil.
@dynamicMemberLookup
public struct CompositePath<Root: ManagedObjectConvertible, Composite: CompositeConvertible>: Sendable {
    let operand: Operand

    init(_ operand: Operand) { self.operand = operand }

    /// Returns an element.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<Composite, V> & Sendable
    ) -> Term<Root, V, V> {
        Term(operand.element(keyPath))
    }

    /// Returns an element that may be nil.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<Composite, V?> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.element(keyPath))
    }
}

/// A composite attribute that may be nil, in the closure form of a condition.
///
/// Its members are the elements, which have no value if the composite is nil: `$0.home.city == nil`.
@dynamicMemberLookup
public struct OptionalCompositePath<Root: ManagedObjectConvertible, Composite: CompositeConvertible>: Sendable {
    let operand: Operand

    init(_ operand: Operand) { self.operand = operand }

    /// Returns an element.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<Composite, V> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.element(keyPath))
    }

    /// Returns an element that may be nil.
    public subscript<V: SupportedAttributeType>(
        dynamicMember keyPath: any KeyPath<Composite, V?> & Sendable
    ) -> Term<Root, V, V?> {
        Term(operand.element(keyPath))
    }
}

extension OptionalCompositePath {
    /// Returns a condition that the composite is nil: that no element has a value.
    public static func == (left: OptionalCompositePath, right: _OptionalNilComparisonType) -> Condition<Root> {
        left.all {
            Condition($0, by: .equal, with: Operand(.value(.null)))
        } combinedBy: {
            $0 && $1
        }
    }

    /// Returns a condition that the composite is not nil: that an element has a value.
    public static func != (left: OptionalCompositePath, right: _OptionalNilComparisonType) -> Condition<Root> {
        left.all {
            Condition($0, by: .notEqual, with: Operand(.value(.null)))
        } combinedBy: {
            $0 || $1
        }
    }

    private func all(
        _ test: (Operand) -> Condition<Root>, combinedBy combine: (Condition<Root>, Condition<Root>) -> Condition<Root>
    ) -> Condition<Root> {
        let tests = Composite.composite.paths.map { test($0.reduce(operand) { $0.key($1) }) }
        // A table without elements is an issue that opening the store reports.
        return tests.dropFirst().reduce(tests.first ?? test(operand), combine)
    }
}

extension CompositePath where Composite: CompositeOwner {
    /// Returns a composite element.
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<Composite, V> & Sendable
    ) -> CompositePath<Root, V> {
        CompositePath<Root, V>(operand.element(keyPath))
    }

    /// Returns a composite element that may be nil.
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<Composite, V?> & Sendable
    ) -> OptionalCompositePath<Root, V> {
        OptionalCompositePath<Root, V>(operand.element(keyPath))
    }
}

extension OptionalCompositePath where Composite: CompositeOwner {
    /// Returns a composite element.
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<Composite, V> & Sendable
    ) -> OptionalCompositePath<Root, V> {
        OptionalCompositePath<Root, V>(operand.element(keyPath))
    }

    /// Returns a composite element that may be nil.
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<Composite, V?> & Sendable
    ) -> OptionalCompositePath<Root, V> {
        OptionalCompositePath<Root, V>(operand.element(keyPath))
    }
}

// Composite attributes of rows.
extension EntityPath where T: CompositeOwner {
    /// Returns a composite attribute.
    @_disfavoredOverload
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> CompositePath<Root, V> {
        CompositePath(operand.composite(keyPath))
    }

    /// Returns a composite attribute that may be nil.
    @_disfavoredOverload
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> OptionalCompositePath<Root, V> {
        OptionalCompositePath(operand.composite(keyPath))
    }
}

// Composite attributes of the destination of a relation, which may be missing.
extension OptionalPath where T: CompositeOwner {
    /// Returns a composite attribute.
    @_disfavoredOverload
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<T, V> & Sendable
    ) -> OptionalCompositePath<Root, V> {
        OptionalCompositePath(operand.composite(keyPath))
    }

    /// Returns a composite attribute that may be nil.
    @_disfavoredOverload
    public subscript<V: CompositeConvertible>(
        dynamicMember keyPath: any KeyPath<T, V?> & Sendable
    ) -> OptionalCompositePath<Root, V> {
        OptionalCompositePath(operand.composite(keyPath))
    }
}

extension Operand {
    /// Returns the composite attribute that a key path refers to, in the row that this operand represents.
    fileprivate func composite<T: ManagedObjectConvertible>(_ keyPath: PartialKeyPath<T>) -> Operand {
        if let composite = T.mapping.composite(at: keyPath) { return key(composite.name) }
        // The same error as for an attribute that is not in the table.
        return attribute(keyPath)
    }

    /// Returns the element that a key path refers to, in the composite that this operand represents.
    fileprivate func element<V: CompositeConvertible>(_ keyPath: PartialKeyPath<V>) -> Operand {
        if let element = V.composite.element(at: keyPath) { return key(element.name) }
        var result = key("unknown")
        result.failure =
            failure
            ?? StoreError(
                .unknownKeyPath,
                "\(keyPathName(keyPath).text) is not in the table of attributes of \(V.self). Add it to `attributes`.")
        return result
    }
}
