/// A relation to one object, or to none.
///
/// ```swift
/// let author = ToOneRelation<Author>("author", inverse: \.books)
/// ```
/// Name the inverse on one side only, or write the type of the property on one side: the compiler cannot infer two
/// properties from each other.
public struct ToOneRelation<Destination: ManagedObjectConvertible>: Relation {
    /// The name of the relation in the model.
    public let name: String
    /// The relation back from the destination, where this end names it.
    public let inverse: RelationInverse?
    /// What happens to the destination when the object at this end is deleted.
    public let deleteRule: DeleteRule
    /// What the table says beyond that.
    public let options: [RelationOption]

    /// ``RelationKind/toOne``.
    public static var kind: RelationKind { .toOne }

    /// Makes a relation whose inverse, if there is one, is named at the other end.
    public init(_ name: String, deleteRule: DeleteRule = .nullify, _ options: RelationOption...) {
        self.name = name
        self.inverse = nil
        self.deleteRule = deleteRule
        self.options = options
    }

    /// Makes a relation.
    ///
    /// - Parameters:
    ///   - name: The name of the relation in the model.
    ///   - inverse: The relation back from the destination.
    ///   - deleteRule: What happens to the destination when the object at this end is deleted.
    ///   - options: What is to be said beyond that, for a model made from the tables.
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

/// A relation to any number of objects, in no order.
///
/// ```swift
/// let books = ToManyRelation<Book>("books")
/// ```
/// Name the inverse on one side only, or write the type of the property on one side: the compiler cannot infer two
/// properties from each other.
public struct ToManyRelation<Destination: ManagedObjectConvertible>: Relation {
    /// The name of the relation in the model.
    public let name: String
    /// The relation back from the destination, where this end names it.
    public let inverse: RelationInverse?
    /// What happens to the destination when the object at this end is deleted.
    public let deleteRule: DeleteRule
    /// What the table says beyond that.
    public let options: [RelationOption]

    /// ``RelationKind/toMany``.
    public static var kind: RelationKind { .toMany }

    /// Makes a relation whose inverse, if there is one, is named at the other end.
    public init(_ name: String, deleteRule: DeleteRule = .nullify, _ options: RelationOption...) {
        self.name = name
        self.inverse = nil
        self.deleteRule = deleteRule
        self.options = options
    }

    /// Makes a relation.
    ///
    /// - Parameters:
    ///   - name: The name of the relation in the model.
    ///   - inverse: The relation back from the destination.
    ///   - deleteRule: What happens to the destination when the object at this end is deleted.
    ///   - options: What is to be said beyond that, for a model made from the tables.
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

/// A relation to any number of objects, in an order that is kept.
///
/// ```swift
/// let reviews = ToManyOrderedRelation<Review>("reviews", inverse: \.book, deleteRule: .cascade)
/// ```
/// Name the inverse on one side only, or write the type of the property on one side: the compiler cannot infer two
/// properties from each other.
public struct ToManyOrderedRelation<Destination: ManagedObjectConvertible>: Relation {
    /// The name of the relation in the model.
    public let name: String
    /// The relation back from the destination, where this end names it.
    public let inverse: RelationInverse?
    /// What happens to the destination when the object at this end is deleted.
    public let deleteRule: DeleteRule
    /// What the table says beyond that.
    public let options: [RelationOption]

    /// ``RelationKind/toManyOrdered``.
    public static var kind: RelationKind { .toManyOrdered }

    /// Makes a relation whose inverse, if there is one, is named at the other end.
    public init(_ name: String, deleteRule: DeleteRule = .nullify, _ options: RelationOption...) {
        self.name = name
        self.inverse = nil
        self.deleteRule = deleteRule
        self.options = options
    }

    /// Makes a relation.
    ///
    /// - Parameters:
    ///   - name: The name of the relation in the model.
    ///   - inverse: The relation back from the destination.
    ///   - deleteRule: What happens to the destination when the object at this end is deleted.
    ///   - options: What is to be said beyond that, for a model made from the tables.
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
