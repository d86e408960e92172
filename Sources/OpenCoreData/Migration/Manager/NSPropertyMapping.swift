public import Foundation

/// Says what a property of the objects of the new model is set to.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the new model; for an element of a composite attribute `composite.element`.
    open var name: String?

    /// What the property is set to; nil leaves it as a new object has it.
    open var valueExpression: Expression?

    /// Any information that the application attaches.
    open var userInfo: [AnyHashable: Any]?

    /// What a property is set to.
    ///
    /// It stands for the `NSExpression`s that Core Data's mappings hold, which Foundation has on Apple's platforms only.
    public struct Expression {
        enum Form {
            case source(String)
            case constant(Any?)
            case relationship(String)
            case entityMapping(String, keyPath: String)
            case block((NSManagedObject, NSMigrationManager) throws -> Any?)
        }

        let form: Form

        /// A value of the old object: `$source.name`.
        ///
        /// - Parameter keyPath: The name of an attribute, also behind relationships to one.
        public static func source(_ keyPath: String) -> Expression { Expression(form: .source(keyPath)) }

        /// The same value for all objects.
        public static func constant(_ value: Any?) -> Expression { Expression(form: .constant(value)) }

        /// What the objects have become to which a relationship of the old object leads.
        ///
        /// - Parameter name: The name of the relationship in the old model.
        public static func destinationInstances(forSourceRelationshipNamed name: String) -> Expression {
            Expression(form: .relationship(name))
        }

        /// What the objects have become by one entity mapping, to which a relationship of the old object leads.
        ///
        /// - Parameters:
        ///   - mappingName: The name of the entity mapping.
        ///   - keyPath: The name of the relationship in the old model, also behind relationships to one.
        public static func destinationInstances(forEntityMappingName mappingName: String, sourceKeyPath keyPath: String)
            -> Expression
        {
            Expression(form: .entityMapping(mappingName, keyPath: keyPath))
        }

        /// What a block makes of the old object.
        ///
        /// - Parameter block: Called with the old object and the manager, once for each object. It yields a value; for a
        ///   relationship an object of the manager's `destinationContext`, or several in an array or a set.
        public static func block(_ block: @escaping (NSManagedObject, NSMigrationManager) throws -> Any?) -> Expression
        {
            Expression(form: .block(block))
        }
    }

    /// Makes a mapping of no property yet.
    public override init() { super.init() }

    /// Makes a mapping.
    ///
    /// - Parameters:
    ///   - name: The name of the property in the new model.
    ///   - valueExpression: What it is set to.
    public convenience init(name: String, valueExpression: Expression?) {
        self.init()
        self.name = name
        self.valueExpression = valueExpression
    }
}
