import OpenCoreData

/// The uniqueness constraints and the indexes of an entity, as far as SwiftData's macros can express them.
struct SwiftDataGroups {
    /// The names of the attributes of each constraint of several attributes, or of an inherited one.
    private(set) var unique: [[String]] = []
    /// The names of the attributes of each index.
    private(set) var indexes: [[String]] = []
    /// Comments about constraints and indexes that the macros cannot express.
    private(set) var notes: [String] = []

    /// - Parameter isClass: Returns whether an entity has a class in the schema.
    init(_ entity: NSEntityDescription, isClass: (NSEntityDescription) -> Bool) {
        let hasSuperclass = entity.superentity.map(isClass) ?? false
        let own = Set((hasSuperclass ? entity.ownProperties : entity.properties).map(\.name))
        for constraint in entity.uniquenessNames {
            guard Self.areWritten(constraint, of: entity) else {
                let list = constraint.joined(separator: ", ")
                notes.append("A uniqueness constraint with a property that is no attribute here: \(list)")
                continue
            }
            // One attribute of the class itself has an option for it.
            if constraint.count > 1 || !own.contains(constraint.first ?? "") { unique.append(constraint) }
        }
        for property in entity.ownProperties where property.isIndexed {
            guard !entity.indexes.contains(where: { $0.elements.map(\.propertyName) == [property.name] }) else {
                continue
            }
            add(index: [property.name], of: entity, else: property.name)
        }
        for index in entity.indexes { add(index, of: entity) }
    }

    private mutating func add(_ index: NSFetchIndexDescription, of entity: NSEntityDescription) {
        let members = index.elements.compactMap(\.propertyName)
        let isPlain = index.elements.allSatisfy { $0.isAscending && $0.collationType == .binary }
        let words = "\(index.name) (\(members.joined(separator: ", ")))"
        guard isPlain, index.partialPredicateText == nil, index.partialPredicate == nil else {
            notes.append(
                "An index that SwiftData does not have, because it is descending, partial or an R-tree: \(words)")
            return
        }
        notes.append("The index \(words) has its own name in the model. SwiftData names indexes itself.")
        add(index: members, of: entity, else: words)
    }

    private mutating func add(index members: [String], of entity: NSEntityDescription, else words: String) {
        guard Self.areWritten(members, of: entity) else {
            notes.append("An index with an element that is no attribute here: \(words)")
            return
        }
        if !indexes.contains(members) { indexes.append(members) }
    }

    /// Returns whether the class has a property for each of the names that is an attribute.
    private static func areWritten(_ members: [String], of entity: NSEntityDescription) -> Bool {
        let attributes = entity.attributesByName
        return !members.isEmpty
            && members.allSatisfy { name in
                attributes[name].map { SwiftDataProperty.obstacle(to: $0) == nil && $0.attributeType.isPlain } ?? false
            }
    }
}

extension NSAttributeType {
    /// Whether an attribute of the type has one column.
    fileprivate var isPlain: Bool { self != .compositeAttributeType }
}
