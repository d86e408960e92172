import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Relationships that are their own inverse, whose links are stored in one direction or, if ordered, in both.
@Suite("The migration of relationships that are their own inverse")
struct SelfInverseMigrationTests {
    private func friends(of entity: NSEntityDescription, isOrdered: Bool) -> NSRelationshipDescription {
        let friends = Build.toMany("friends", entity) { $0.isOrdered = isOrdered }
        Build.connect(friends, friends)
        return friends
    }

    private func model(_ isOrdered: Bool) -> NSManagedObjectModel {
        let person = Build.entity("Person", [Build.attribute("name")])
        person.properties.append(friends(of: person, isOrdered: isOrdered))
        return Build.model(person)
    }

    @Test func `an order is added and removed with all links`() throws {
        let store = try MigratedStore(model(false)) { context in
            let people = try ["a", "b", "c", "d"].map { try context.make("Person", ["name": $0]) }
            people[0].setValue(Set([people[1], people[2]]), forKey: "friends")
            people[3].setValue(Set([people[2]]), forKey: "friends")
        }
        try store.migrate(to: model(true))
        #expect(try store.lines("SELECT count(*), min(Z_FOK_1FRIENDS) > 0 FROM Z_1FRIENDS") == ["6|1"])
        try store.write { context in
            let person = try #require(try context.all("Person", "name = 'a'").first)
            #expect(person.list("friends").compactMap { $0.text("name") } == ["b", "c"])
            let friend = try #require(try context.all("Person", "name = 'c'").first)
            #expect(friend.list("friends").compactMap { $0.text("name") } == ["a", "d"])
        }
        try store.migrate(to: model(false))
        #expect(try store.lines("SELECT count(*) FROM Z_1FRIENDS") == ["3"])
    }

    @Test func `the positions of two ordered relationships that are merged are kept`() throws {
        func model(_ together: Bool) -> NSManagedObjectModel {
            let (cat, dog) = (Build.entity("Cat"), Build.entity("Dog"))
            guard together else {
                for entity in [cat, dog] {
                    entity.properties = [Build.attribute("name"), friends(of: entity, isOrdered: true)]
                }
                return Build.model(cat, dog)
            }
            let animal = Build.entity("Animal")
            animal.properties = [Build.attribute("name"), friends(of: animal, isOrdered: true)]
            animal.subentities = [cat, dog]
            return Build.model(animal, cat, dog)
        }
        let store = try MigratedStore(model(false)) { context in
            for kind in ["Cat", "Dog"] {
                let animals = try (0..<4).map { try context.make(kind, ["name": "\(kind) \($0)"]) }
                animals[0].setValue(NSOrderedSet(array: [animals[3], animals[1], animals[2]]), forKey: "friends")
            }
        }
        // Core Data infers no such mapping.
        let properties: [ModelMapping.Property] = [.init(source: "name", destination: "name")]
        let links: [ModelMapping.Property] = [.init(source: "friends", destination: "friends")]
        let mapping = ModelMapping(
            entities: ["Cat", "Dog"].map {
                .init(source: $0, destination: $0, attributes: properties, relationships: links)
            })
        try store.run(to: model(true), mapping: mapping)
        try store.checkFile()
        try store.write { context in
            for kind in ["Cat", "Dog"] {
                let animal = try #require(try context.all(kind, "name = '\(kind) 0'").first)
                #expect(animal.list("friends").compactMap { $0.text("name") } == [3, 1, 2].map { "\(kind) \($0)" })
                let friend = try #require(try context.all(kind, "name = '\(kind) 2'").first)
                #expect(friend.list("friends").compactMap { $0.text("name") } == ["\(kind) 0"])
            }
        }
    }
}
