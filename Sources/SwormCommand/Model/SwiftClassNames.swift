import OpenCoreData
import SwormPredicates

/// The names of a model in the source of subclasses of `NSManagedObject`.
///
/// The classes have the names that the model gives them, so that a class can hide a type of the same name.
struct SwiftClassNames {
    private let classes: Set<String>

    init(_ entities: [NSEntityDescription]) { classes = Set(entities.compactMap { Self.className(of: $0) }) }

    // MARK: Classes

    /// The names that a class cannot have, even in backticks.
    private static let reservedClasses: Set<String> = ["Any", "NSManagedObject", "Protocol", "Self", "Type"]

    /// Returns the class that the model names for an entity, without its module; nil for none.
    static func className(of entity: NSEntityDescription) -> String? {
        guard let name = givenClassName(of: entity) else { return nil }
        let last = String(name[(name.lastIndex(of: ".").map(name.index(after:)) ?? name.startIndex)...])
        return SwiftNames.isIdentifier(last) && !reservedClasses.contains(last) ? last : nil
    }

    /// Returns the name that the model has for the class of an entity; nil for a plain managed object.
    static func givenClassName(of entity: NSEntityDescription) -> String? {
        guard let name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else { return nil }
        return name
    }

    /// Returns the nearest entity with a class of its own: the entity itself, or one of its super-entities.
    static func classEntity(of entity: NSEntityDescription) -> NSEntityDescription? {
        className(of: entity) != nil ? entity : entity.superentity.flatMap { classEntity(of: $0) }
    }

    /// Returns the class of the objects of an entity.
    func type(of entity: NSEntityDescription) -> String {
        Self.classEntity(of: entity).flatMap { Self.className(of: $0) }.map(Self.escaped) ?? "NSManagedObject"
    }

    private static func escaped(_ name: String) -> String { SwiftNames.keywords.contains(name) ? "`\(name)`" : name }

    // MARK: Types

    /// Returns the type of an attribute's values, with its module if a class hides it.
    func type(_ type: SwormPredicates.AttributeType) -> String {
        // As Xcode writes it, so that code which uses the property need not change.
        qualified(type == .integer64 ? "Int64" : SwiftAttribute.type(type))
    }

    /// Returns a type or a wrapper that the source uses, with its module if a class hides it.
    func qualified(_ type: String) -> String {
        guard classes.contains(type) else { return type }
        let library = ["Managed": "Sworm.", "NSFetchRequest": "Sworm."]
        let language = ["Any", "Bool", "Double", "Float", "Int16", "Int32", "Int64", "Set", "String"]
        return (library[type] ?? (language.contains(type) ? "Swift." : "Foundation.")) + type
    }

    /// Returns whether a class hides a type that the struct of a composite attribute uses.
    var hidesTypesOfStructs: Bool {
        let types = [
            "Attribute", "Bool", "CompositeConvertible", "CompositeOwner", "Data", "Date", "Decimal", "Double", "Float",
            "Int", "Int16", "Int32", "Set", "String", "URL", "UUID",
        ]
        return !classes.isDisjoint(with: types)
    }

    /// Returns the name of the struct of a composite attribute.
    func structName(of composite: NSCompositeAttributeDescription, in entity: NSEntityDescription) -> String {
        SwiftNames.type(composite: composite.name, avoiding: taken(by: composite, in: entity))
    }

    /// Returns the names that the struct of a composite attribute must not have.
    func taken(by composite: NSCompositeAttributeDescription, in entity: NSEntityDescription) -> Set<String> {
        let taken = classes.union(entity.properties.map(\.name)).union(["Managed", "NSFetchRequest", "NSManagedObject"])
        let composites = entity.properties.compactMap { $0 as? NSCompositeAttributeDescription }
        let earlier = composites.prefix { $0.name != composite.name }
        return taken.union(SwiftNames.structs(of: Array(earlier), avoiding: taken).values)
    }

    // MARK: Properties

    /// Returns the names of the properties of an entity's class, by their names in the model.
    ///
    /// The storage of a property has its name after an underscore, so that no other property can have that name.
    static func properties(of entity: NSEntityDescription) -> [String: String] {
        var names = entity.superentity.map { properties(of: $0) } ?? [:]
        var taken = Set(names.values.flatMap { [$0, "_\($0)"] })
        for property in entity.properties where names[property.name] == nil {
            var name = identifier(property.name)
            while taken.contains(name) || taken.contains("_\(name)") || members.contains(name) { name += "_" }
            taken.formUnion([name, "_\(name)"])
            names[property.name] = name
        }
        return names
    }

    private static func identifier(_ name: String) -> String {
        var text = String(name.map { $0 == "_" || $0.isLetter || $0.isNumber ? $0 : "_" })
        if !SwiftNames.isIdentifier(text) { text = "_" + text }
        return SwiftNames.member(text).filter { $0 != "`" }
    }

    /// The members of `NSManagedObject` and `NSObject` that a property would override or hide, on any platform.
    private static let members: Set<String> = [
        "accessibilityElements", "accessibilityFrame", "accessibilityHint", "accessibilityLabel",
        "accessibilityTraits", "accessibilityValue", "attributeKeys", "autoContentAccessingProxy", "autorelease",
        "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "classCode",
        "classDescription", "classForArchiver", "classForCoder", "classForKeyedArchiver", "className", "copy",
        "dealloc", "debugDescription", "description", "didSave", "didTurnIntoFault", "entity", "exposedBindings",
        "faultingState", "finalize", "hasChanges", "hasPersistentChangedValues", "hash", "hashValue",
        "isAccessibilityElement", "isDeleted", "isFault", "isInserted", "isProxy", "isUpdated",
        "managedObjectContext", "mutableCopy", "objectID", "objectSpecifier", "objectWillChange", "observationInfo",
        "prepareForDeletion", "release", "retain", "retainCount", "scriptingProperties", "superclass",
        "toManyRelationshipKeys", "toOneRelationshipKeys", "validateForDelete", "validateForInsert",
        "validateForUpdate", "willSave", "willTurnIntoFault", "zone",
    ]
}
