import Foundation
import Testing

@testable import Sworm

@Suite("A model from tables")
struct ModelFromTablesTests {
    private func attribute(_ name: String) throws -> NSAttributeDescription {
        let model = try NSManagedObjectModel(tables: Tabled.Person.self)
        return try #require(model.entitiesByName["Person"]?.attributesByName[name])
    }

    @Test(.enabled(if: ModelFixture.readsSources, "Core Data reads compiled models only"))
    func `it equals a model file that says the same, hashes included`() throws {
        let tables = try NSManagedObjectModel(tables: Tabled.Person.self)
        let file = try ModelFixture.model(Tabled.file)
        #expect(ModelFixture.lines(of: tables) == ModelFixture.lines(of: file))
        #expect(tables.entityVersionHashesByName == file.entityVersionHashesByName)
        #expect(tables.versionChecksum == file.versionChecksum)
    }

    @Test(.enabled(if: ModelFixture.readsSources, "Core Data reads compiled models only"))
    func `a store of one way opens the other way`() throws {
        let folder = try StoreFolder()
        let file = try ModelFixture.write(Tabled.file, in: folder)
        let code = UUID()
        try PersistentContainer(for: Tabled.Person.self, at: .file(folder.file())).perform {
            try $0.insert(Tabled.Person(code: code, name: "ann"))
        }
        let store = try PersistentContainer(modelFile: file, checking: Tabled.Person.self, at: .file(folder.file()))
        #expect(try store.perform { try $0.fetch(Tabled.Person.all, \.code) } == [code])
        let model = try NSManagedObjectModel(tables: Tabled.Person.self)
        try ModelContract(Tabled.Person.self).check(model)
    }

    @Test func `the rules of both ways reject the same values`() throws {
        let folder = try StoreFolder()
        var stores = [try PersistentContainer(for: Tabled.Person.self, at: .memory)]
        if ModelFixture.readsSources {
            let file = try ModelFixture.write(Tabled.file, in: folder)
            stores.append(try PersistentContainer(modelFile: file, checking: Tabled.Person.self, at: .memory))
        }
        typealias Person = Tabled.Person
        let refused: [(name: String, value: Person)] = [
            ("age", Person(name: "ann", age: 151)), ("age", Person(name: "ann", age: -1)),
            ("height", Person(name: "ann", height: 0.25)), ("weight", Person(name: "ann", weight: 500.5)),
            ("name", Person(name: "")), ("name", Person(name: String(repeating: "a", count: 41))),
            ("name", Person(name: "Ann")),
        ]
        for store in stores {
            for (name, value) in refused {
                let error = storeError { try store.perform { try $0.insert(value) } }
                #expect(error?.code == .validation, "\(name) of \(value)")
                #expect(error?.attribute == name)
            }
            let orphan = storeError { try store.perform { try $0.insert(Tabled.Pet()) } }
            #expect(orphan?.attribute == "owner")
            try store.perform { try $0.insert(Person(name: "ann", age: 150, height: 0.5, weight: 500)) }
            #expect(try store.perform { try $0.count(of: Person.all) } == 1)
        }
    }

    @Test func `a default is the value of every new instance`() throws {
        #expect(try attribute("age").defaultValue as? Int64 == 18)
        #expect(try attribute("name").defaultValue as? String == "nobody")
        #expect(try attribute("status").defaultValue as? Int64 == 4)
        #expect(try attribute("code").defaultValue == nil)
        #expect(try attribute("made").defaultValue == nil)
        #expect(try attribute("nick").defaultValue == nil)
    }

    @Test func `destination entities of relations are found, and further entities are given`() throws {
        struct Alone: ManagedObjectConvertible {
            var x = 0
            static let attributes: Set<Attribute<Alone>> = [.init(\.x, "x")]
        }
        let model = try NSManagedObjectModel(tables: Tabled.Club.self, Alone.self)
        #expect(Set(model.entities.compactMap(\.name)) == ["Alone", "Club", "Person", "Pet"])
        let club = try NSManagedObjectModel(tables: Tabled.Club.self)
        let person = try NSManagedObjectModel(tables: Tabled.Person.self)
        #expect(club.entityVersionHashesByName == person.entityVersionHashesByName)
    }

    @Test func `an inverse is known on both sides, whichever names it`() throws {
        let model = try NSManagedObjectModel(tables: Tabled.Pet.self)
        let pets = try #require(model.entitiesByName["Person"]?.relationshipsByName["pets"])
        let owner = try #require(model.entitiesByName["Pet"]?.relationshipsByName["owner"])
        #expect(pets.inverseRelationship === owner && owner.inverseRelationship === pets)
        let friends = try #require(model.entitiesByName["Person"]?.relationshipsByName["friends"])
        #expect(friends.inverseRelationship === friends)
        let oneWay = try #require(model.entitiesByName["Person"]?.relationshipsByName["firstClub"])
        #expect(oneWay.inverseRelationship == nil)
    }

    @Test func `an index of one attribute gives way to a declared one of its name`() throws {
        struct Indexed: ManagedObjectConvertible {
            var year = 0
            static let attributes: Set<Attribute<Indexed>> = [.init(\.year, "year", .indexed)]
            static let fetchIndexes: [FetchIndex<Indexed>] = [.init("byYear", .descending(\.year))]
        }
        let model = try NSManagedObjectModel(tables: Indexed.self)
        let indexes = try #require(model.entitiesByName["Indexed"]?.indexes)
        #expect(indexes.map(\.name) == ["byYear_", "byYear"])
        #expect(indexes.map { $0.elements.map(\.isAscending) } == [[true], [false]])
        _ = try PersistentContainer(for: Indexed.self, at: .memory)
    }

    @Test func `containers of the same types share one model, however they are named`() async throws {
        let one = try TableModel.shared(for: [Tabled.Pet.self, Tabled.Club.self])
        let other = try TableModel.shared(for: [Tabled.Club.self, Tabled.Pet.self])
        #expect(one === other)
        #expect(try NSManagedObjectModel(tables: Tabled.Pet.self, Tabled.Club.self) !== one)
        struct Fresh: ManagedObjectConvertible {
            var x = 0
            static let attributes: Set<Attribute<Fresh>> = [.init(\.x, "x")]
        }
        let identities = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<16 { group.addTask { ObjectIdentifier(try TableModel.shared(for: [Fresh.self])) } }
            return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(identities.count == 1)
    }
}
