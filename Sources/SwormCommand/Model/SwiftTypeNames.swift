import OpenCoreData

/// The names of the types that represent the entities of a model. No two types have the same name.
struct SwiftTypeNames {
    private var types: [String: String] = [:]
    private var ownTypes: [String: String] = [:]
    /// The names of all types.
    private(set) var all: Set<String>

    init(_ entities: [NSEntityDescription]) {
        let names = entities.map { $0.name ?? "" }.sorted()
        // An entity whose name remains as it is precedes one that needs another name.
        all = Set(names.filter { SwiftNames.type($0) == $0 })
        for name in names {
            let type = SwiftNames.type(name)
            types[name] = type == name ? name : take(type)
        }
        let parents = entities.filter { !$0.subentities.isEmpty && !$0.isAbstract }
        for name in parents.map({ $0.name ?? "" }).sorted() { ownTypes[name] = take("Plain" + name) }
    }

    /// Returns a name that no other type has, and keeps it from being used again.
    private mutating func take(_ name: String) -> String {
        var result = name
        while !all.insert(result).inserted { result += "Entity" }
        return result
    }

    /// Returns the name of the struct or the enum of an entity.
    func type(of entity: NSEntityDescription) -> String {
        types[entity.name ?? ""] ?? SwiftNames.type(entity.name ?? "")
    }

    /// Returns the name of the struct for objects of an entity with sub-entities itself.
    func ownType(of entity: NSEntityDescription) -> String {
        ownTypes[entity.name ?? ""] ?? "Plain" + (entity.name ?? "")
    }
}
