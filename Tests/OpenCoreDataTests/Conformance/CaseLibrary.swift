import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The library of the conformance set as managed objects, none of them saved at first.
final class CaseLibrary {
    /// An attribute of every entity that no case looks at.
    static let unrelated = "remark"

    let cases: PredicateCases
    let context: NSManagedObjectContext
    private var objects: [String: NSManagedObject] = [:]
    private var ids: [NSManagedObject: String] = [:]

    init() throws {
        cases = try PredicateCases.load()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model(cases.model))
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for list in ["Author", "Tag", "Book", "Chapter"] {
            for row in cases.data[list] ?? [] { try insert(row, entity: row["entity"]?.string ?? list) }
        }
    }

    // MARK: The model

    private static func model(_ description: PredicateCases.Model) throws -> NSManagedObjectModel {
        var entities: [String: NSEntityDescription] = [:]
        for (name, entity) in description.entities {
            let attributes = (entity.attributes ?? [:]).map { attribute($0, $1) }
            let extra = entity.parent == nil ? [Build.attribute(unrelated)] : []
            entities[name] = Build.entity(name, attributes + extra)
        }
        var relations: [String: NSRelationshipDescription] = [:]
        for (name, entity) in description.entities {
            let own = try #require(entities[name])
            func add(_ key: String, _ target: [String], toMany: Bool) throws {
                let destinationName = try #require(target.first).replacingOccurrences(of: "?", with: "")
                let destination = try #require(entities[destinationName])
                let relation = toMany ? Build.toMany(key, destination) : Build.toOne(key, destination)
                relation.isOptional = true
                relations["\(name).\(key)"] = relation
                if let inverse = relations["\(destinationName).\(target[1])"] { Build.connect(relation, inverse) }
                own.properties += [relation]
            }
            for (key, target) in entity.toOne ?? [:] { try add(key, target, toMany: false) }
            for (key, target) in entity.toMany ?? [:] { try add(key, target, toMany: true) }
            for (key, target) in entity.manyToMany ?? [:] { try add(key, target, toMany: true) }
        }
        for (name, entity) in description.entities {
            guard let parent = entity.parent.flatMap({ entities[$0] }), let own = entities[name] else { continue }
            parent.subentities.append(own)
        }
        let model = NSManagedObjectModel()
        model.entities = entities.sorted { $0.key < $1.key }.map(\.value)
        return model
    }

    private static func attribute(_ name: String, _ type: String) -> NSAttributeDescription {
        let types: [String: NSAttributeType] = [
            "string": .stringAttributeType, "integer32": .integer32AttributeType, "double": .doubleAttributeType,
            "boolean": .booleanAttributeType, "date": .dateAttributeType, "uuid": .UUIDAttributeType,
        ]
        let isOptional = type.hasSuffix("?")
        let kind = types[isOptional ? String(type.dropLast()) : type] ?? .undefinedAttributeType
        return Build.attribute(name, kind, optional: isOptional)
    }

    // MARK: Objects

    func insert(_ row: [String: JSONValue], entity: String) throws {
        let id = try #require(row["id"]?.string)
        let object = try context.make(entity)
        objects[id] = object
        ids[object] = id
        try set(row, of: object)
    }

    func set(_ row: [String: JSONValue], of object: NSManagedObject) throws {
        for (key, value) in row {
            if let attribute = object.entity.attributesByName[key] {
                object.setValue(try plain(value, attribute.attributeType), forKey: key)
            } else if let relation = object.entity.relationshipsByName[key] {
                if relation.isToMany {
                    object.setValue(Set(try value.strings.map { try self.object($0) }), forKey: key)
                } else {
                    object.setValue(try value.string.map { try self.object($0) }, forKey: key)
                }
            }
        }
    }

    func object(_ id: String) throws -> NSManagedObject { try #require(objects[id], "there is no \(id)") }

    private func plain(_ value: JSONValue, _ type: NSAttributeType) throws -> Any? {
        switch (value, type) {
        case (.string(let text), .UUIDAttributeType): UUID(uuidString: text)
        case (.string(let text), _): text
        case (.number(let number), .dateAttributeType): Date(timeIntervalSinceReferenceDate: number)
        case (.number(let number), .integer32AttributeType): Int(number)
        case (.number(let number), _): number
        case (.bool(let flag), _): flag
        default: nil
        }
    }

    func argument(_ argument: PredicateCases.Argument) throws -> Any {
        switch (argument.type, argument.value) {
        case ("object", .string(let id)): return try object(id)
        case ("uuid", .string(let text)): return try #require(UUID(uuidString: text))
        case ("date", .number(let seconds)): return Date(timeIntervalSinceReferenceDate: seconds)
        case ("int", .number(let number)): return Int(number)
        case (_, .number(let number)): return number
        case (_, .bool(let flag)): return flag
        case (_, .string(let text)): return text
        case ("array", .array): return try argument.elements().map { try self.argument($0) }
        default: return NSNull()
        }
    }

    // MARK: States and requests

    /// Marks every object as changed, by an edit that is taken back, or by one that no case looks at.
    func markAllChanged(keeping: Bool) {
        for object in objects.values {
            object.setValue("changed", forKey: Self.unrelated)
            if !keeping { object.setValue(nil, forKey: Self.unrelated) }
        }
    }

    func request(_ entity: String, _ predicate: NSPredicate?) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return request
    }

    func names(_ found: [NSManagedObject]) -> [String] { found.map { ids[$0] ?? "?" } }
}
