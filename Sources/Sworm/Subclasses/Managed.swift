public import Foundation

/// A property of a subclass of `NSManagedObject` that the context stores, as `@NSManaged` declares one on Apple platforms.
///
/// ```swift
/// final class Book: NSManagedObject {
///     @Managed("title") var title: String
///     @Managed("year") var year: Int?
///     @Managed("kind", default: .novel) var kind: Kind
///     @Managed("author") var author: Author?
///     @Managed("tags") var tags: Set<Tag>
/// }
/// ```
/// The argument is the name of the property in the model. A property can be an attribute of any type that an
/// ``Attribute`` can have, or a relationship: to one as an optional object, to many as a set, and an ordered relationship
/// as an array or an `NSOrderedSet`.
///
/// Reading a property fires the object's fault, and setting one marks the object as changed. The name and the type are
/// checked against the model when the property is first used: with OpenCoreData, the next save or fetch throws an error that
/// names the property; Core Data raises its own exception. A property that has no value that its type can express, because
/// the attribute is nil or holds a value of another type, has its default: the one that is declared, or else zero, false or
/// empty. Reading allocates no memory beyond that of the value.
@propertyWrapper
public struct Managed<Value> {
    /// The name of the property in the model.
    public let name: String
    /// The value of a property without a value.
    let fallback: Value
    private let access: any PropertyAccess<Value>.Type

    init(_ name: String, fallback: Value, access: any PropertyAccess<Value>.Type) {
        self.name = name
        self.fallback = fallback
        self.access = access
    }

    /// The default of the property. The property itself is read and set through its object.
    @available(*, unavailable, message: "Only a subclass of NSManagedObject can have managed properties.")
    public var wrappedValue: Value {
        get { fallback }
        set {}
    }

    /// The value of a property of an object.
    public static subscript<Owner: NSManagedObject>(
        _enclosingInstance object: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Managed>
    ) -> Value {
        get {
            let property = object[keyPath: storage]
            return property.access.value(of: object, property)
        }
        set {
            let property = object[keyPath: storage]
            property.access.set(newValue, of: object, property)
        }
    }
}

extension Managed {
    /// Declares an attribute that always has a value.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init(_ name: String) where Value: NonOptionalAttribute {
        self.init(name, fallback: Value.valueForNil, access: AttributeAccess<Value>.self)
    }

    /// Declares an attribute that always has a value, for example one of an enumeration.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute in the model.
    ///   - fallback: The value of an object whose attribute is nil, or holds a value that the type does not have.
    public init(_ name: String, default fallback: Value) where Value: SupportedAttributeType {
        self.init(name, fallback: fallback, access: AttributeAccess<Value>.self)
    }

    /// Declares an optional attribute.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init<Wrapped: SupportedAttributeType>(_ name: String) where Value == Wrapped? {
        self.init(name, fallback: nil, access: OptionalAttributeAccess<Wrapped>.self)
    }

    /// Declares a relationship to one object.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init<Destination: NSManagedObject>(_ name: String) where Value == Destination? {
        self.init(name, fallback: nil, access: ToOneAccess<Destination>.self)
    }

    /// Declares a relationship to many objects.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init<Destination: NSManagedObject>(_ name: String) where Value == Set<Destination> {
        self.init(name, fallback: [], access: ToManyAccess<Destination>.self)
    }

    /// Declares an ordered relationship to many objects.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init<Destination: NSManagedObject>(_ name: String) where Value == [Destination] {
        self.init(name, fallback: [], access: OrderedAccess<Destination>.self)
    }

    /// Declares an ordered relationship to many objects.
    ///
    /// - Parameter name: The name of the relationship in the model.
    public init(_ name: String) where Value == NSOrderedSet {
        self.init(name, fallback: .none, access: OrderedSetAccess.self)
    }
}

extension NSOrderedSet {
    /// A set without members, which all properties share.
    // nonisolated(unsafe): the set never changes.
    nonisolated(unsafe) fileprivate static let none = NSOrderedSet()
}
