import Foundation
@testable import OpenCoreData
import Testing

/// One store that is changed step by step; after each step it is opened anew and compared with what must be in it.
final class StoreChanges {
    let fixture: AppleStore
    let url: URL
    let model: PlainModel
    private var expected: ExpectedGraph
    private var before: PlainStore
    private let original: PlainStore
    private let originalIssues: [String]
    private var values = ValueSource()
    /// The objects that were inserted, by entity.
    private var inserted: [String: [String]] = [:]
    private(set) var counts: [String: Int] = [:]

    init(_ fixture: AppleStore, url: URL) throws {
        self.fixture = fixture
        self.url = url
        model = PlainModel(try fixture.model.make())
        original = try PlainStore(copyOf: url)
        before = original
        expected = ExpectedGraph(try ObjectGraphText(original, model), model)
        originalIssues = try StoreVerification.issues(of: url, model: model.model.compiled())
        #expect(original.issues(model) == [])
        #expect(originalIssues == [])
    }

    private var concrete: [PlainModel.Entity] { model.entities.filter { !$0.isAbstract } }

    private func settable(_ entity: PlainModel.Entity) -> [PlainModel.Attribute] {
        entity.attributes.filter {
            !$0.isTransient && $0.type != .undefinedAttributeType && !($0.description is NSDerivedAttributeDescription)
                && !$0.name.contains(".")
        }
    }

    private func object(_ key: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let coordinator = try #require(context.persistentStoreCoordinator)
        let uri = try #require(URL(string: "x-coredata://\(original.identifier)/\(key)"))
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        return try context.existingObject(with: id)
    }

    // MARK: Steps

    /// Two objects of each entity: one with all its values, one with no more than it must have.
    func insert() throws {
        try fixture.withContext(at: url) { context in
            var objects: [New] = []
            for entity in concrete {
                for isFull in [true, false] { objects.append(try make(entity, isFull: isFull, context)) }
            }
            let links = try satisfy(&objects, context)
            try context.save()
            for new in objects {
                let key = ObjectGraphText.key(new.object)
                #expect(!new.object.objectID.isTemporaryID)
                expected.insert(key)
                for (name, text) in new.texts { expected.set(key, name, text) }
                inserted[new.object.entity.name ?? "", default: []].append(key)
                counts["inserted", default: 0] += 1
            }
            for (owner, relationship, member) in links {
                expected.link(ObjectGraphText.key(owner), relationship, ObjectGraphText.key(member))
            }
        }
        try check("inserting")
    }

    private typealias New = (object: NSManagedObject, texts: [String: String])

    private func make(_ entity: PlainModel.Entity, isFull: Bool, _ context: NSManagedObjectContext) throws -> New {
        let description = try #require(
            context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity.name])
        let object = NSManagedObject(entity: description, insertInto: context)
        var texts: [String: String] = [:]
        let unique = Set(lineage(entity).flatMap { $0.description.uniquenessNames.flatMap { $0 } })
        for attribute in settable(entity)
        where isFull || !attribute.description.isOptional || unique.contains(attribute.name) {
            let value = values.value(for: attribute, current: nil)
            object.setStoredValue(value, attribute.name, attribute.type)
            texts[attribute.name] = ObjectGraphText.text(value, attribute.type)
        }
        return (object, texts)
    }

    private func lineage(_ entity: PlainModel.Entity) -> [PlainModel.Entity] {
        var chain = [entity]
        while let parent = chain.last?.parent, let above = model[parent] { chain.append(above) }
        return chain
    }

    /// Gives new objects what their required relationships lead to: each other, and more objects where there are too few.
    private func satisfy(
        _ objects: inout [New], _ context: NSManagedObjectContext
    ) throws -> [(NSManagedObject, PlainModel.Relationship, NSManagedObject)] {
        var links: [(NSManagedObject, PlainModel.Relationship, NSManagedObject)] = []
        var next = 0
        while next < objects.count {
            try #require(objects.count < 1000, "the required relationships never end")
            let object = objects[next].object
            next += 1
            let entity = try #require(model[object.entity.name ?? ""])
            for relationship in entity.relationships where !relationship.description.isOptional {
                guard object.objectIDs(forRelationshipNamed: relationship.name).isEmpty else { continue }
                let destination = try #require(model[relationship.destination])
                // An object without an owner, so that no other object loses a required one.
                let free = objects.map(\.object).first { other in
                    guard other !== object, let own = model[other.entity.name ?? ""],
                        destination.family.contains(own.number)
                    else { return false }
                    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { return true }
                    return other.value(forKey: inverse.name) == nil
                }
                var member = free
                if member == nil {
                    let kind = concrete.first { destination.family.contains($0.number) }
                    objects.append(try make(try #require(kind), isFull: true, context))
                    member = objects.last?.object
                }
                let other = try #require(member)
                if relationship.isToMany {
                    object.mutableSetValue(forKey: relationship.name).add(other)
                } else {
                    object.setValue(other, forKey: relationship.name)
                }
                links.append((object, relationship, other))
            }
        }
        return links
    }

    /// Every attribute of every object, old and new, gets another value.
    func update() throws {
        try fixture.withContext(at: url) { context in
            for entity in concrete {
                let attributes = settable(entity)
                guard !attributes.isEmpty else { continue }
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
                request.includesSubentities = false
                for object in try context.fetch(request) {
                    let key = ObjectGraphText.key(object)
                    for attribute in attributes {
                        let current = object.storedValue(attribute.name, attribute.type)
                        let value = values.value(for: attribute, current: current)
                        object.setStoredValue(value, attribute.name, attribute.type)
                        expected.set(key, attribute.name, ObjectGraphText.text(value, attribute.type))
                    }
                    counts["updated", default: 0] += 1
                }
            }
            try context.save()
        }
        let old = before
        try check("updating")
        for entity in model.entities where entity.parent == nil {
            let versions = Dictionary(
                (old.rows[entity.table] ?? []).map { ($0["Z_PK"], $0["Z_OPT"]?.integer) },
                uniquingKeysWith: { one, _ in one })
            for row in before.rows[entity.table] ?? [] {
                let own = model.entities.first { $0.number == row["Z_ENT"]?.integer.map { Int($0) } }
                guard let own, !settable(own).isEmpty, let version = versions[row["Z_PK"]] else { continue }
                #expect(row["Z_OPT"]?.integer == version.map { $0 + 1 })
            }
        }
    }

    /// Every relationship of every entity leads to something more, where the model allows it.
    func relate() throws {
        try fixture.withContext(at: url) { context in
            for entity in concrete {
                for relationship in entity.relationships where !relationship.description.isTransient {
                    let owners = (inserted[entity.name] ?? []) + expected.keys(of: entity).prefix(2)
                    for owner in owners {
                        guard let (after, member) = addition(to: owner, relationship) else { continue }
                        expected = after
                        let (object, other) = (try self.object(owner, context), try self.object(member, context))
                        if relationship.isOrdered {
                            object.mutableOrderedSetValue(forKey: relationship.name).insert(other, at: 0)
                        } else if relationship.isToMany {
                            object.mutableSetValue(forKey: relationship.name).add(other)
                        } else {
                            object.setValue(other, forKey: relationship.name)
                        }
                        counts["related", default: 0] += 1
                    }
                }
            }
            try context.save()
        }
        try check("relating")
        try fixture.withContext(at: url) { context in
            for entity in concrete {
                for relationship in entity.relationships where relationship.isOrdered {
                    for owner in expected.keys(of: entity) where expected.links(owner, relationship.name).count > 1 {
                        let object = try object(owner, context)
                        let members = object.mutableOrderedSetValue(forKey: relationship.name).array
                        object.setValue(NSOrderedSet(array: members.reversed()), forKey: relationship.name)
                        expected.reverse(owner, relationship)
                        counts["reordered", default: 0] += 1
                    }
                }
            }
            try context.save()
        }
        try check("reordering")
    }

    /// The graph with one member more, and that member; nil when every candidate would leave others without what they
    /// require.
    private func addition(
        to owner: String, _ relationship: PlainModel.Relationship
    ) -> (ExpectedGraph, String)? {
        let present = expected.links(owner, relationship.name)
        let candidates = expected.family(of: relationship.destination).reversed()
        for member in candidates.filter({ $0 != owner && !present.contains($0) }).prefix(20) {
            let after = expected.after { $0.link(owner, relationship, member, at: relationship.isOrdered ? 0 : nil) }
            if let after { return (after, member) }
        }
        return nil
    }

    /// The first member of every relationship is taken out, where the model allows it.
    func unrelate() throws {
        try fixture.withContext(at: url) { context in
            for entity in concrete {
                for relationship in entity.relationships where !relationship.description.isTransient {
                    for owner in expected.keys(of: entity).suffix(3) {
                        guard let member = expected.links(owner, relationship.name).first else { continue }
                        guard let after = expected.after({ $0.unlink(owner, relationship, member) }) else { continue }
                        expected = after
                        let (object, other) = (try self.object(owner, context), try self.object(member, context))
                        if relationship.isOrdered {
                            object.mutableOrderedSetValue(forKey: relationship.name).remove(other)
                        } else if relationship.isToMany {
                            object.mutableSetValue(forKey: relationship.name).remove(other)
                        } else {
                            object.setValue(nil, forKey: relationship.name)
                        }
                        counts["unrelated", default: 0] += 1
                    }
                }
            }
            try context.save()
        }
        try check("unrelating")
    }

    /// An old and a new object of every entity go, and with them what the delete rules say.
    func delete() throws {
        try fixture.withContext(at: url) { context in
            for entity in concrete {
                let new = inserted[entity.name] ?? []
                let old = expected.keys(of: entity).filter { !new.contains($0) }
                for key in [old.last, new.last].compactMap({ $0 }) {
                    let total = expected.graph.nodes.count
                    guard expected.graph.nodes[key] != nil, let doomed = expected.delete(key) else { continue }
                    for key in doomed { context.delete(try object(key, context)) }
                    counts["deleted", default: 0] += total - expected.graph.nodes.count
                }
            }
            try context.save()
        }
        try check("deleting")
    }

    // MARK: Checks

    private func check(_ step: String) throws {
        expected.derive()
        let plain = try PlainStore(copyOf: url)
        try #require(ObjectGraphText(plain, model).differences(from: expected.graph) == [], "after \(step), by SQL")
        try fixture.withContext(at: url) { context in
            let found = try ObjectGraphText(context, model)
            #expect(found.differences(from: expected.graph) == [], "after \(step), as objects")
        }
        let issues = try StoreVerification.issues(of: url, model: model.model.compiled())
        #expect(Set(issues) == Set(originalIssues + expected.danglingIssues()), "after \(step)")
        #expect(plain.pragmas["integrity_check"] == "ok")
        #expect(plain.issues(model) == [], "after \(step)")
        #expect(plain.historyIssues(since: before, model) == [], "after \(step)")
        #expect(plain.schema == original.schema)
        #expect(plain.identifier == original.identifier)
        #expect(NSDictionary(dictionary: plain.metadata).isEqual(to: original.metadata))
        for pragma in ["auto_vacuum", "page_size", "user_version", "application_id"] {
            #expect(plain.pragmas[pragma] == original.pragmas[pragma], "\(pragma)")
        }
        for table in ["APP_NOTES", "Z_MODELCACHE"] { #expect(plain.rows[table] == original.rows[table]) }
        for (table, columns) in plain.tables where columns.contains("APP_EXTRA") {
            #expect((plain.rows[table] ?? []).allSatisfy { $0["APP_EXTRA"] == .text("as it was") })
        }
        before = plain
    }
}
