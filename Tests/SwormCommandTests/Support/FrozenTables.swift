/// The types of frozen tables.
struct FrozenTables {
    private let namespace: String
    /// The types with the entities that they represent.
    private let types: [(type: String, entity: String)]
    /// The entities that tables can express as a whole.
    let expressible: Set<String>

    init(_ text: String) {
        namespace = text.firstMatch(of: /enum (\w+) \{/).map { String($0.1) } ?? ""
        var types: [(type: String, entity: String)] = []
        var above: [String: String] = [:]
        var commented: Set<String> = []
        var note = false
        for line in text.split(separator: "\n").map(String.init) {
            let words = line.drop { $0 == " " }
            let indent = line.count - words.count
            if indent == 4,
                let match = words.firstMatch(of: /^(?:struct|enum) (\S+): (?:ManagedObject|Superentity)Conv/)
            {
                types.append((String(match.1), match.1.filter { $0 != "`" }))
                if note { commented.insert(String(match.1)) }
                note = false
            } else if words.hasPrefix("/// An entity that"), words.contains("modifier") || words.contains("abstract") {
                note = true
            } else if words.hasPrefix("//"), !words.hasPrefix("///"), let last = types.last {
                commented.insert(last.type)
            } else if let match = words.firstMatch(of: /static let entityName = "(\w+)"/), indent == 8 {
                types[types.count - 1].entity = String(match.1)
            } else if let match = words.firstMatch(of: /typealias Superentity = (\S+)/), let last = types.last {
                above[last.type] = String(match.1)
            }
        }
        self.types = types
        let inexpressible = types.filter { type, _ in
            var next: String? = type
            while let name = next {
                if commented.contains(name) { return true }
                next = above[name]
            }
            return false
        }
        expressible = Set(types.map(\.entity)).subtracting(inexpressible.map(\.entity))
    }

    /// A function that prints the hashes of the entities.
    func reader(_ name: String) -> String {
        let list = types.map { "\(namespace).\($0.type).self" }.joined(separator: ", ")
        return """

            public func read\(name)() throws {
                let model = try NSManagedObjectModel(tables: \(list))
                for (entity, hash) in model.entityVersionHashesByName {
                    print("\(name) \\(entity) \\(hash.base64EncodedString())")
                }
            }
            """
    }
}
