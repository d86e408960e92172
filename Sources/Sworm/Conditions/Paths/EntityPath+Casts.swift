import SwormPredicates

// Sub-entities of the rows of an enum of structs.
extension EntityPath {
    /// Returns the row as one of a sub-entity; it is missing if the row belongs to another entity.
    ///
    /// ```swift
    /// Media.all.where { $0.as(Book.self).pages > 300 }
    /// ```
    /// - Parameter type: The struct of a case.
    public func `as`<Sub: ManagedObjectConvertible>(_ type: Sub.Type) -> OptionalPath<Root, Sub>
    where Sub.Superentity == T { OptionalPath(operand.cast(to: Sub.self)) }
}

extension OptionalPath {
    /// Returns the row as one of a sub-entity; it is missing if the row is missing or belongs to another entity.
    ///
    /// ```swift
    /// Reader.all.where { $0.favourite.as(Book.self).pages > 300 }
    /// ```
    /// - Parameter type: The struct of a case.
    public func `as`<Sub: ManagedObjectConvertible>(_ type: Sub.Type) -> OptionalPath<Root, Sub>
    where Sub.Superentity == T { OptionalPath<Root, Sub>(operand.cast(to: Sub.self)) }
}

extension Operand {
    fileprivate func cast<T: ManagedObjectConvertible>(to type: T.Type) -> Operand { key(T.mapping.castKey) }
}
