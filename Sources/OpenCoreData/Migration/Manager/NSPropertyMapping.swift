public import Foundation

/// A mapping that specifies the value of a property of the new objects.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the new model; `composite.element` for an element of a composite attribute.
    open var name: String?

    /// The value of the property; nil to keep the value of a newly created object.
    open var valueExpression: Expression?

    /// Custom information of the application.
    open var userInfo: [AnyHashable: Any]?

    /// An expression for the value of a property.
    ///
    /// It replaces the `NSExpression` of Core Data's property mappings, which is only available on Apple's platforms.
    public struct Expression {
        enum Form {
            case source(String)
            case constant(Any?)
            case relationship(String)
            case entityMapping(String, keyPath: String)
            case block((NSManagedObject, NSMigrationManager) throws -> Any?)
        }

        let form: Form

        /// Returns an expression for a value of the old object: `$source.name`.
        ///
        /// - Parameter keyPath: The name of an attribute, which may follow the names of to-one relationships.
        public static func source(_ keyPath: String) -> Expression { Expression(form: .source(keyPath)) }

        /// Returns an expression for a value that is the same for all objects.
        public static func constant(_ value: Any?) -> Expression { Expression(form: .constant(value)) }

        /// Returns an expression for the new objects of the destinations of a relationship of the old object.
        ///
        /// - Parameter name: The name of the relationship in the old model.
        public static func destinationInstances(forSourceRelationshipNamed name: String) -> Expression {
            Expression(form: .relationship(name))
        }

        /// Returns an expression for the objects that one entity mapping created from the destinations of a
        /// relationship of the old object.
        ///
        /// - Parameters:
        ///   - mappingName: The name of the entity mapping.
        ///   - keyPath: The name of the relationship in the old model, which may follow the names of to-one
        ///     relationships.
        public static func destinationInstances(forEntityMappingName mappingName: String, sourceKeyPath keyPath: String)
            -> Expression
        {
            Expression(form: .entityMapping(mappingName, keyPath: keyPath))
        }

        /// Returns an expression for a value that a block computes from the old object.
        ///
        /// - Parameter block: A block that is called with the old object and the manager, once for each object. It
        ///   returns a value; for a relationship, an object of the manager's `destinationContext`, or several in an
        ///   array or a set.
        public static func block(_ block: @escaping (NSManagedObject, NSMigrationManager) throws -> Any?) -> Expression
        {
            Expression(form: .block(block))
        }
    }

    /// Creates a mapping without a property.
    public override init() { super.init() }

    /// Creates a mapping.
    ///
    /// - Parameters:
    ///   - name: The name of the property in the new model.
    ///   - valueExpression: The value of the property.
    public convenience init(name: String, valueExpression: Expression?) {
        self.init()
        self.name = name
        self.valueExpression = valueExpression
    }
}
