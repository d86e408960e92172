/// A relation to one object, or to none.
///
/// ```swift
/// let author = ToOneRelation<Author>("author", inverse: \.books)
/// ```
/// Name the inverse on one side only, or declare the type of the property on one side: the compiler cannot infer two
/// properties from each other.
public struct ToOneRelation<Destination: ManagedObjectConvertible>: Relation {
    /// The name of the relation in the model.
    public let name: String
    /// The inverse relation of the destination, if this end names it.
    public let inverse: RelationInverse?
    /// The rule that decides what happens to the destination when the object at this end is deleted.
    public let deleteRule: DeleteRule
    /// The additional options of the relation.
    public let options: [RelationOption]

    /// ``RelationKind/toOne``.
    public static var kind: RelationKind { .toOne }

    /// Creates a relation whose inverse, if it has one, is named at the other end.
    public init(_ name: String, deleteRule: DeleteRule = .nullify, _ options: RelationOption...) {
        self.name = name
        self.inverse = nil
        self.deleteRule = deleteRule
        self.options = options
    }

    /// Creates a relation and names its inverse.
    ///
    /// - Parameters:
    ///   - name: The name of the relation in the model.
    ///   - inverse: The inverse relation of the destination.
    ///   - deleteRule: The rule that decides what happens to the destination when the object at this end is deleted.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<R: Relation>(
        _ name: String, inverse: any KeyPath<Destination.Relations, R> & Sendable,
        deleteRule: DeleteRule = .nullify, _ options: RelationOption...
    ) {
        self.name = name
        self.inverse = RelationInverse(inverse, from: Destination.self)
        self.deleteRule = deleteRule
        self.options = options
    }
}

/// A relation to any number of objects, without an order.
///
/// ```swift
/// let books = ToManyRelation<Book>("books")
/// ```
/// Name the inverse on one side only, or declare the type of the property on one side: the compiler cannot infer two
/// properties from each other.
public struct ToManyRelation<Destination: ManagedObjectConvertible>: ManyRelation {
    /// The name of the relation in the model.
    public let name: String
    /// The inverse relation of the destination, if this end names it.
    public let inverse: RelationInverse?
    /// The rule that decides what happens to the destination when the object at this end is deleted.
    public let deleteRule: DeleteRule
    /// The additional options of the relation.
    public let options: [RelationOption]

    /// ``RelationKind/toMany``.
    public static var kind: RelationKind { .toMany }

    /// Creates a relation whose inverse, if it has one, is named at the other end.
    public init(_ name: String, deleteRule: DeleteRule = .nullify, _ options: RelationOption...) {
        self.name = name
        self.inverse = nil
        self.deleteRule = deleteRule
        self.options = options
    }

    /// Creates a relation and names its inverse.
    ///
    /// - Parameters:
    ///   - name: The name of the relation in the model.
    ///   - inverse: The inverse relation of the destination.
    ///   - deleteRule: The rule that decides what happens to the destination when the object at this end is deleted.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<R: Relation>(
        _ name: String, inverse: any KeyPath<Destination.Relations, R> & Sendable,
        deleteRule: DeleteRule = .nullify, _ options: RelationOption...
    ) {
        self.name = name
        self.inverse = RelationInverse(inverse, from: Destination.self)
        self.deleteRule = deleteRule
        self.options = options
    }
}

/// A relation to any number of objects, which preserves their order.
///
/// ```swift
/// let reviews = ToManyOrderedRelation<Review>("reviews", inverse: \.book, deleteRule: .cascade)
/// ```
/// Name the inverse on one side only, or declare the type of the property on one side: the compiler cannot infer two
/// properties from each other.
public struct ToManyOrderedRelation<Destination: ManagedObjectConvertible>: ManyRelation {
    /// The name of the relation in the model.
    public let name: String
    /// The inverse relation of the destination, if this end names it.
    public let inverse: RelationInverse?
    /// The rule that decides what happens to the destination when the object at this end is deleted.
    public let deleteRule: DeleteRule
    /// The additional options of the relation.
    public let options: [RelationOption]

    /// ``RelationKind/toManyOrdered``.
    public static var kind: RelationKind { .toManyOrdered }

    /// Creates a relation whose inverse, if it has one, is named at the other end.
    public init(_ name: String, deleteRule: DeleteRule = .nullify, _ options: RelationOption...) {
        self.name = name
        self.inverse = nil
        self.deleteRule = deleteRule
        self.options = options
    }

    /// Creates a relation and names its inverse.
    ///
    /// - Parameters:
    ///   - name: The name of the relation in the model.
    ///   - inverse: The inverse relation of the destination.
    ///   - deleteRule: The rule that decides what happens to the destination when the object at this end is deleted.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<R: Relation>(
        _ name: String, inverse: any KeyPath<Destination.Relations, R> & Sendable,
        deleteRule: DeleteRule = .nullify, _ options: RelationOption...
    ) {
        self.name = name
        self.inverse = RelationInverse(inverse, from: Destination.self)
        self.deleteRule = deleteRule
        self.options = options
    }
}
