import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Many values inserted at once", .overEachStore, .serialized)
struct InsertingTests {
    typealias Volume = Shelf.Volume

    /// Counts the instances alive. The tests of a tally run on one thread.
    final class Tally: @unchecked Sendable {
        static let shared = Tally()
        var alive = 0
    }

    /// A class as a model, whose encoding can fail.
    final class Counted: ManagedObjectConvertible {
        var id = 0
        var shape = Shape.point
        init() { Tally.shared.alive += 1 }
        convenience init(_ id: Int, _ shape: Shape = .point) {
            self.init()
            self.id = id
            self.shape = shape
        }
        deinit { Tally.shared.alive -= 1 }
        static let attributes: Set<Attribute<Counted>> = [.init(\.id, "id", .unique), .init(\.shape, "shape")]
    }

    struct Ruled: ManagedObjectConvertible, Equatable {
        var name = "name"
        var stars = 3
        var small = 0
        var ratio = 0.0
        var day = Date(timeIntervalSinceReferenceDate: 0)
        var price = Decimal(1)
        var shape = Shape.point
        /// A computed property.
        var loud: String {
            get { name.uppercased() }
            set { name = newValue.lowercased() }
        }
        static let attributes: Set<Attribute<Ruled>> = [
            .init(\.name, "name", .length(1...8), .pattern("[a-z]+")), .init(\.stars, "stars", .range(1...5)),
            .init(\.small, "small", .type(.integer16)), .init(\.ratio, "ratio"), .init(\.day, "day"),
            .init(\.price, "price"), .init(\.shape, "shape"),
        ]
    }

    /// Sees `Ruled` with a computed property, and without most attributes.
    struct Loud: ManagedObjectConvertible, Equatable {
        var name = "x"
        var loud: String {
            get { name.uppercased() }
            set { name = newValue.lowercased() }
        }
        static let attributes: Set<Attribute<Loud>> = [.init(\.loud, "loud"), .init(\.name, "name", .unique)]
    }

    struct Linked: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Linked>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable { let home = ToOneRelation<Home>("home", inverse: \.linked, .required) }
        static let relations = Relations()
    }
    struct Home: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Home>> = [.init(\.name, "name")]
        struct Relations: Sendable { let linked = ToManyRelation<Linked>("linked") }
        static let relations = Relations()
    }

    @Test func `every type of attribute comes back as it was`() throws {
        let store = try TestStore(for: Everything.self, in: .file)
        var values: [Everything] = []
        for index in 0..<600 {
            var value = Everything()
            value.int = index
            value.string = String(repeating: "ü", count: index)
            value.data = Data(repeating: UInt8(index & 255), count: index % 7 == 0 ? 200_000 * (index % 2) : index)
            value.level = index % 2 == 0 ? .low : .high
            value.place.number = index % 3 == 0 ? nil : index
            value.optionalBool = [nil, true, false][index % 3]
            value.optionalInt = index % 4 == 0 ? nil : -index
            value.optionalData = index % 5 == 0 ? nil : Data(repeating: 1, count: index % 5 - 1)
            value.optionalLevel = index % 2 == 0 ? nil : .high
            value.optionalShape = index % 2 == 0 ? nil : .circle(radius: Double(index))
            value.float = Float(index) / 3
            values.append(value)
        }
        let long = String(repeating: "x", count: 1_000_000)
        values[3].string = long
        try store.container.perform { context in
            let count = try context.insert(contentsOf: values)
            #expect(count == 600)
            // The same perform reads them, straight from rows and by objects.
            #expect(try context.decode(Everything.all.sort(\.int)) == values)
            #expect(try context.fetchOne(Everything.all.where(\.int == 3))?.decode() == values[3])
        }
        #expect(try store.reopened().perform { try $0.decode(Everything.all.sort(\.int)) } == values)
        try store.verify()
    }

    @Test func `any sequence will do, and it is asked once`() throws {
        let store = try TestStore(for: Volume.self, in: .file)
        var asked = 0
        try store.container.perform { context in
            let lazy = (0..<1000).lazy.map { id in
                asked += 1
                return Volume(id: id)
            }
            #expect(try context.insert(contentsOf: AnySequence(lazy)) == 1000)
            #expect(try context.insert(contentsOf: [Volume(id: 1000), Volume(id: 1001)][1...]) == 1)
            #expect(try context.insert(contentsOf: [Volume]()) == 0)
            #expect(try context.insert(contentsOf: Set([1002, 1003]).map { Volume(id: $0) }) == 2)
            try context.insert(Volume(id: 1004))
        }
        #expect(asked == 1000)
        #expect(try store.container.perform { try $0.count(of: Volume.all) } == 1004)
        try store.verify()
    }

    @Test func `classes and computed properties are read through their properties`() throws {
        let store = try TestStore(for: Counted.self, Loud.self, in: .file)
        try store.container.perform { context in
            try context.insert(contentsOf: (0..<300).map { Counted($0, .circle(radius: 2)) })
            try context.insert(contentsOf: [Loud(name: "leo")])
            #expect(try context.fetch(Loud.all, \.loud) == ["LEO"])
            #expect(try context.fetch(Loud.all, \.name) == ["leo"])
            #expect(try context.decode(Counted.all.sort(\.id)).map(\.id) == Array(0..<300))
        }
        #expect(Tally.shared.alive == 0)
        try store.verify()
    }

    @Test func `composite attributes are taken apart, by their elements or as a value`() throws {
        typealias Place = CompositeMappingTests.Place
        typealias Resident = CompositeMappingTests.Resident
        typealias Home = CompositeMappingTests.Home
        let store = try PersistentContainer(
            model: CompositeMappingTests.model(), checking: Resident.self, Place.self, at: .tested)
        let home = Home(
            street: "Yasnaya", number: 7, since: Date(timeIntervalSinceReferenceDate: 5.25),
            price: Decimal(string: "12345678901234567890.5"), id: UUID(), mark: Data([1, 2, 255]),
            geo: Home.Geo(lat: 54.07, lon: nil))
        let residents = [
            Resident(name: "a", home: home, office: Home(street: "Office")), Resident(name: "b", home: nil),
        ]
        try store.perform { context in
            try context.insert(contentsOf: residents)
            #expect(try context.decode(Resident.all.sort(\.name)) == residents)
            try context.insert(contentsOf: [Place(name: "c", street: "Melikhovo", latitude: 55.1)])
            #expect(try context.decode(Place.all.where(\.name == "c")).first?.street == "Melikhovo")
        }
        #expect(try store.perform { try $0.decode(Resident.all.where(\.name == "a")) } == residents.dropLast())
    }

    @Test func `nothing leaks when a value cannot be encoded half way, and nothing is inserted`() throws {
        let store = try TestStore(for: Counted.self, in: .file)
        try store.container.perform { context in
            for isLazy in [false, true] {
                var failure: (any Error)?
                do {
                    let values = (0..<500).lazy.map { Counted($0, $0 == 400 ? .circle(radius: .nan) : .point) }
                    if isLazy {
                        try context.insert(contentsOf: AnySequence(values))
                    } else {
                        try context.insert(contentsOf: Array(values))
                    }
                } catch { failure = error }
                guard case AttributeError.badAttribute(let place)? = failure else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
                #expect(place.name == "shape" && place.entity == "Counted")
                failure = nil
                #expect(try context.count(of: Counted.all) == 0)
            }
            // The perform continues.
            try context.insert(contentsOf: [Counted(7)])
        }
        #expect(Tally.shared.alive == 0)
        #expect(try store.container.perform { try $0.fetch(Counted.all, \.id) } == [7])
        try store.verify()
    }

    @Test func `a value that a save would reject is rejected with the same code`() throws {
        let store = try TestStore(for: Ruled.self)
        let bad: [Ruled] = [
            Ruled(name: ""), Ruled(name: "muchtoolong"), Ruled(name: "A1"), Ruled(stars: 0), Ruled(stars: 6),
            Ruled(small: 40_000), Ruled(small: -40_000), Ruled(ratio: .nan),
            Ruled(day: Date(timeIntervalSinceReferenceDate: .nan)), Ruled(price: .nan),
        ]
        for value in bad {
            let saved = storeError { try store.container.perform { try $0.insert(value) } }
            try store.container.perform { (context: ManagedObjectContext) throws in
                let batch = storeError { try context.insert(contentsOf: [Ruled(), value, Ruled()]) }
                #expect(batch?.code == saved?.code && batch?.code == .validation)
                #expect(batch?.entity == "Ruled" && batch?.attribute == saved?.attribute)
                #expect(try context.count(of: Ruled.all) == 0)
            }
        }
        try store.container.perform { try $0.insert(contentsOf: [Ruled(), Ruled(stars: 5, small: -32_768)]) }
        #expect(try store.container.perform { try $0.count(of: Ruled.all) } == 2)
    }

    @Test func `a unique value that is taken is an error that names it`() throws {
        let store = try TestStore(for: Volume.self, in: .file) { try $0.insert(Volume(id: 5)) }
        for values in [[Volume(id: 4), Volume(id: 5)], [Volume(id: 6), Volume(id: 7), Volume(id: 6)]] {
            let error = storeError { try store.container.perform { try $0.insert(contentsOf: values) } }
            #expect(error?.code == .uniquenessViolation)
            #expect(error?.entity == "Volume" && error?.attribute == "id")
            #expect(error?.message.contains("id = \(values[values.count - 1].id)") == true)
        }
        #expect(try store.container.perform { try $0.fetch(Volume.all, \.id) } == [5])
        try store.verify()
    }

    @Test func `a type with a required relation is rejected, with the way out`() throws {
        let store = try TestStore(for: Linked.self)
        let error = storeError { try store.container.perform { try $0.insert(contentsOf: [Linked(name: "a")]) } }
        #expect(error?.code == .validation && error?.attribute == "home")
        #if !canImport(CoreData)
        #expect(error?.message.contains("use 'insert'") == true)
        #endif
        try store.container.perform { context in
            try context.insert(contentsOf: [Home(name: "h")])
            try context.insert(Linked(name: "a")).home = try context.fetchOne(Home.all)
        }
        #expect(try store.container.perform { try $0.count(of: Linked.all) } == 1)
    }

    @Test func `a nested perform that throws undoes its own, and an outer one everything`() throws {
        let store = try TestStore(for: Volume.self, Everything.self, in: .file)
        var large = Everything()
        large.data = Data(repeating: 9, count: 300_000)
        try store.container.perform { context in
            try context.insert(Volume(id: 0))
            try context.insert(contentsOf: [Volume(id: 1)])
            #expect(throws: StoreError.Missing.self) {
                try store.container.perform { inner in
                    try inner.insert(contentsOf: [Volume(id: 2)])
                    try inner.insert(contentsOf: [large])
                    #expect(try inner.fetch(Volume.all.sort(\.id), \.id) == [0, 1, 2])
                    throw StoreError.Missing()
                }
            }
            #expect(try context.fetch(Volume.all.sort(\.id), \.id) == [0, 1])
            try store.container.perform { try $0.insert(contentsOf: [Volume(id: 3)]) }
        }
        #expect(throws: StoreError.Missing.self) {
            try store.container.perform { context in
                try context.insert(contentsOf: [Volume(id: 4)])
                try context.insert(contentsOf: [large])
                throw StoreError.Missing()
            }
        }
        #expect(try store.reopened().perform { try $0.fetch(Volume.all.sort(\.id), \.id) } == [0, 1, 3])
        #expect(try store.reopened().perform { try $0.count(of: Everything.all) } == 0)
        // No external file is left without a row.
        try store.verify()
    }

    @Test func `unsaved objects are unchanged, and are saved after the rows`() throws {
        let store = try TestStore(for: Volume.self, in: .file) { try $0.insert(Volume(id: 1, title: "old")) }
        try store.container.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try volume.encode(\.title, "new")
            let fresh = try context.insert(Volume(id: 2))
            try context.insert(contentsOf: [Volume(id: 3), Volume(id: 4)])
            try fresh.encode(\.pages, 7)
            volume.sequel = try context.fetchOne(Volume.all.where(\.id == 4))
            #expect(try volume.decode(\.title) == "new")
            #expect(try context.count(of: Volume.all) == 4)
        }
        try store.reopened().perform { context in
            let volume = try #require(try context.fetchOne(Volume.all.where(\.id == 1)))
            #expect(try volume.decode(\.title) == "new")
            #expect(try volume.sequel?.decode(\.id) == 4)
            #expect(try context.fetch(Volume.all.sort(\.id), \.pages) == [0, 7, 0, 0])
        }
        try store.verify()
    }

    #if !canImport(CoreData)
    @Test func `rows that are written during a read are an error, and the read continues`() throws {
        let store = try TestStore(for: Volume.self)
        try store.container.perform { context in
            try context.insert(contentsOf: (0..<3).map { Volume(id: $0) })
            var failures: [StoreError?] = []
            try context.forEach(Volume.all) { volume in
                failures.append(storeError { try context.insert(contentsOf: [Volume(id: 100 + volume.id)]) })
            }
            #expect(failures.count == 3 && failures.allSatisfy { $0?.message.contains("being read") == true })
            try context.insert(contentsOf: [Volume(id: 3)])
        }
        #expect(try store.container.perform { try $0.fetch(Volume.all.sort(\.id), \.id) } == [0, 1, 2, 3])
    }

    @Test func `values that write while they are made are an error`() throws {
        let store = try TestStore(for: Volume.self)
        try store.container.perform { context in
            var failure: StoreError?
            let values = (0..<3).lazy.map { id in
                failure = storeError { try context.insert(contentsOf: [Volume(id: 100 + id)]) }
                return Volume(id: id)
            }
            try context.insert(contentsOf: AnySequence(values))
            #expect(failure?.code == .storeFailed)
            #expect(try context.fetch(Volume.all.sort(\.id), \.id) == [0, 1, 2])
        }
    }
    #endif
}
