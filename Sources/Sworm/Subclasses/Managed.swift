import Foundation

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
/// as an array or an `NSOrderedSet`. A composite attribute is a ``CompositeConvertible`` struct, and the name of one of its
/// elements is a path: `@Managed("address.city") var city: String?`.
///
/// Reading a property fires the object's fault, and setting one marks the object as changed. The name and the type are
/// checked against the model when the property is first used. A property that has no value that its type can express,
/// because the attribute is nil or holds a value of another type, has its default: the one that is declared, or else
/// zero, false or empty. A value that cannot be stored is not set. Reading an attribute allocates no memory beyond that
/// of the value.
///
/// With OpenCoreData, the next save or fetch throws an error that names the property. Core Data raises an exception for
/// a name that the model does not have. Its other errors are in the system's log, because no later call of Core Data
/// could throw them.
@propertyWrapper
public struct Managed<Value> {
    /// The name of the property in the model.
    public let name: String
    /// The value of a property without a value.
    @usableFromInline let fallback: Value
    @usableFromInline let access: any ManagedAccess<Value>.Type

    init(_ name: String, fallback: Value, access: any ManagedAccess<Value>.Type) {
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

    // Inlined, so that the compiler replaces the key path of the storage by an access to it.
    /// The value of a property of an object.
    @inlinable
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
            property.access.set(newValue, of: object, for: property)
        }
    }
}
