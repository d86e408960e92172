import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

extension ReadingRoom {
    fileprivate struct AuthorRef: ManagedTreeConvertible, Equatable {
        typealias Entity = Author
        var id: ManagedObjectID<Author>?
        var name = ""
        static let attributes: Set<Attribute<AuthorRef>> = [.init(\.name, \.name)]
        static let branches: [Branch<AuthorRef>] = [.id(\.id)]
    }

    fileprivate struct Written: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var author: AuthorRef?
        static let attributes: Set<Attribute<Written>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Written>] = [.init(\.author, \.author, .shared)]
    }

    fileprivate struct NumberedReview: ManagedTreeConvertible, Equatable {
        typealias Entity = Review
        var id: ManagedObjectID<Review>?
        var mark = 0
        static let attributes: Set<Attribute<NumberedReview>> = [.init(\.mark, \.mark)]
        static let branches: [Branch<NumberedReview>] = [.id(\.id)]
    }

    fileprivate struct Numbered: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var reviews: [NumberedReview] = []
        static let attributes: Set<Attribute<Numbered>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Numbered>] = [.init(\.reviews, \.reviews, .matchedByPosition)]
    }
}

extension ReadingRoom {
    /// A book with the name of its author, which can be left out.
    fileprivate struct Attributed: ManagedTreeConvertible, Equatable {
        typealias Entity = Book
        var isbn = ""
        var author: String??
        static let attributes: Set<Attribute<Attributed>> = [.init(\.isbn, \.isbn)]
        static let branches: [Branch<Attributed>] = [.init(\.author, \.author, \.name)]
    }
}

@Suite("Owners of children", .overEachStore) struct TreeOwnershipTests {
    private typealias Bottle = Cellar.Bottle
    private typealias RackTree = Cellar.RackTree
    private typealias MovableTree = Cellar.MovableTree

    private func error(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    /// Returns the errors of each way to save trees.
    private func errors<Tree: ManagedTreeConvertible>(saving trees: [Tree], in test: TestStore) -> [StoreError?] {
        [
            error { try test.container.perform { _ = try $0.save(contentsOf: trees) } },
            error { try test.container.write { _ = try $0.save(contentsOf: trees) } },
            error { try test.container.read { _ = try $0.plan(saving: trees) } },
        ]
    }

    // MARK: Ids

    @Test func `a child with the id of another owner's child is refused, and one of a deleted object is not found`()
        throws
    {
        let test = try ReadingRoom.store()
        try test.container.perform {
            try $0.save(contentsOf: [
                ReadingRoom.Numbered(isbn: "1", reviews: [.init(mark: 1), .init(mark: 2)]), .init(isbn: "2"),
            ])
        }
        let first = try test.container.read { try #require(try $0.decode(ReadingRoom.Numbered.all.sort(\.isbn)).first) }
        for isbn in ["2", "new"] {
            let taken = ReadingRoom.Numbered(isbn: isbn, reviews: [first.reviews[0]])
            for error in errors(saving: [taken], in: test) {
                #expect(error?.code == .validation && error?.message.contains("belongs to another Book") == true)
            }
        }
        try test.container.perform {
            try $0.save(ReadingRoom.Numbered(isbn: "1", reviews: [first.reviews[1]]))
        }
        for isbn in ["1", "2", "new"] {
            let gone = ReadingRoom.Numbered(isbn: isbn, reviews: [first.reviews[0]])
            for error in errors(saving: [gone], in: test) { #expect(error?.code == .objectNotFound) }
        }
        #expect(try test.container.read { try $0.count(of: ReadingRoom.Review.all) } == 1)
        try test.verifyIfFile()
    }

    @Test func `a shared object is found by its id, and not inserted again`() throws {
        let test = try ReadingRoom.store { try $0.insert(ReadingRoom.Author(name: "Leo")) }
        let id = try test.container.read { try #require(try $0.fetchOne(ReadingRoom.Author.all)).id }
        for (number, name) in ["Leo", "Lev"].enumerated() {
            let tree = ReadingRoom.Written(isbn: "\(number)", author: .init(id: id, name: name))
            let preview = try test.container.read { try $0.plan(saving: [tree]).result }
            let result = try test.container.perform { try $0.save(contentsOf: [tree]) }
            #expect(result == preview)
            #expect(result.inserted == 1)
        }
        #expect(try test.container.read { try $0.fetch(ReadingRoom.Author.all.select(\.name)) } == ["Lev"])
        try test.verifyIfFile()
    }

    // MARK: Relations without an inverse

    private func cellar() throws -> TestStore {
        let test = try TestStore.tested(for: Cellar.Rack.self)
        try test.container.perform {
            try $0.save(contentsOf: [
                RackTree(name: "A", bottles: [Bottle(label: "1"), Bottle(label: "2")]), RackTree(name: "B"),
            ])
            try $0.insert(Bottle(label: "3"))
        }
        return test
    }

    @Test func `a child behind a relation without an inverse is not taken from its owner`() throws {
        let test = try cellar()
        for name in ["B", "new"] {
            let tree = RackTree(name: name, bottles: [Bottle(label: "1", price: 5)])
            for error in errors(saving: [tree], in: test) {
                #expect(error?.code == .validation && error?.message.contains("belongs to another Rack") == true)
            }
        }
        let shared = ["A", "B"].map { RackTree(name: $0, bottles: [Bottle(label: "3")]) }
        for error in errors(saving: shared, in: test) {
            #expect(error?.code == .validation && error?.message.contains("has one owner only") == true)
        }
        // A child without an owner is linked.
        let result = try test.container.perform {
            try $0.save(contentsOf: [RackTree(name: "B", bottles: [Bottle(label: "3", price: 2)])])
        }
        #expect(result.linked == 1 && result.updated == 1 && result.inserted == 0)
        try test.verifyIfFile()
    }

    @Test(arguments: [["A", "B"], ["B", "A"]])
    func `a child moves to another owner among the trees`(names: [String]) throws {
        let test = try cellar()
        let trees = [
            RackTree(name: "A", bottles: [Bottle(label: "2")]), RackTree(name: "B", bottles: [Bottle(label: "1")]),
        ]
        let wanted = names.compactMap { name in trees.first { $0.name == name } }
        try test.container.perform { _ = try $0.save(contentsOf: wanted) }
        #expect(try test.container.read { try $0.decode(RackTree.all.sort(\.name)) } == trees)
        #expect(try test.container.perform { try $0.save(contentsOf: wanted) }.isEmpty)
        let moved = MovableTree(name: "B", bottles: [Bottle(label: "1"), Bottle(label: "2")])
        try test.container.perform { _ = try $0.save(contentsOf: [moved]) }
        #expect(
            try test.container.read { try $0.decode(MovableTree.all.sort(\.name)) } == [MovableTree(name: "A"), moved])
        try test.verifyIfFile()
    }

    @Test func `a child that is not saved yet is not taken from its owner`() throws {
        let test = try cellar()
        let error = error {
            try test.container.perform { context in
                _ = try context.save(RackTree(name: "C", bottles: [Bottle(label: "new")]))
                _ = try context.save(RackTree(name: "D", bottles: [Bottle(label: "new")]))
            }
        }
        #expect(error?.message.contains("belongs to another Rack") == true, "\(error?.message ?? "saved")")
    }

    @Test func `a child that moves is no longer behind the relation of its former owner`() throws {
        let test = try cellar()
        let one = [Bottle(label: "1")]
        try test.container.perform { context in
            _ = try context.save(MovableTree(name: "B", bottles: one))
            #expect(
                try context.decode(RackTree.all.sort(\.name)) == [
                    RackTree(name: "A", bottles: [Bottle(label: "2")]), RackTree(name: "B", bottles: one),
                ])
            _ = try context.save(MovableTree(name: "C", bottles: one))
            _ = try context.save(RackTree(name: "C", bottles: one))
        }
        #expect(try test.container.read { try $0.decode(RackTree.all.sort(\.name)) }.map(\.bottles.count) == [1, 0, 1])
        try test.verifyIfFile()
    }

    @Test func `a child that was added to two owners leaves both of them`() throws {
        let test = try cellar()
        let one = [Bottle(label: "1")]
        try test.container.perform { context in
            let racks = try context.fetch(Cellar.Rack.all.sort(\.name))
            let bottle = try #require(try context.fetchOne(Bottle.all.where { $0.label == "1" }))
            try racks[0].encode(\.isOpen, false)
            try racks[1].bottles.add(bottle)
            _ = try context.save(MovableTree(name: "C", bottles: one))
        }
        #expect(try test.container.read { try $0.decode(RackTree.all.sort(\.name)) }.map(\.bottles.count) == [1, 0, 1])
        try test.verifyIfFile()
    }

    @Test func `a child survives the owner that it leaves`() throws {
        let test = try TestStore.tested(for: Cellar.Crate.self)
        let one = [Bottle(label: "1")]
        try test.container.perform {
            _ = try $0.save(Cellar.CrateTree(name: "A", bottles: one + [Bottle(label: "2")]))
        }
        let wanted = [Cellar.CrateTree(name: "B", bottles: one)]
        let result = try test.container.perform { try $0.save(contentsOf: wanted, replacing: Cellar.Crate.all) }
        #expect(result.inserted == 1 && result.deleted == 1)
        #expect(try test.container.read { try $0.decode(Cellar.CrateTree.all) } == wanted)
        #expect(try test.container.read { try $0.fetch(Bottle.all.select(\.label)) } == ["1"])
        try test.verifyIfFile()
    }

    @Test func `relations of other entities with the same name have owners of their own`() throws {
        let test = try TestStore.tested(for: Cellar.House.self)
        let one = [Bottle(label: "1")]
        let house = Cellar.HouseTree(
            name: "H", racks: [RackTree(name: "A", bottles: one)],
            crates: [Cellar.CrateTree(name: "A", bottles: one)])
        for isRepeated in [false, true] {
            let result = try test.container.perform { try $0.save(contentsOf: [house]) }
            #expect(result.isEmpty == isRepeated)
        }
        #expect(try test.container.read { try $0.decode(Cellar.HouseTree.all) } == [house])
        try test.verifyIfFile()
    }

    @Test func `owners of sub-entities are owners too`() throws {
        let test = try TestStore.tested(for: Cellar.Storage.self)
        try test.container.perform { _ = try $0.save(Cellar.BoxTree(name: "box", bottles: [Bottle(label: "1")])) }
        for error in errors(saving: [Cellar.BinTree(name: "bin", bottles: [Bottle(label: "1")])], in: test) {
            #expect(error?.message.contains("belongs to another Box") == true, "\(error?.message ?? "saved")")
        }
        #expect(try test.container.read { try $0.decode(Cellar.BoxTree.all) }.map(\.bottles.count) == [1])
        #expect(try test.container.read { try $0.decode(Cellar.BoxContent.all) }.map(\.bottles.count) == [1])
    }

    @Test func `the position in an error counts repeated children`() throws {
        let test = try cellar()
        let trees = [
            RackTree(name: "C", bottles: [Bottle(label: "9")]),
            RackTree(name: "D", bottles: [Bottle(label: "8"), Bottle(label: "8"), Bottle(label: "9")]),
        ]
        for error in errors(saving: trees, in: test) {
            #expect(error?.path?.hasSuffix("bottles[2]") == true, "\(error?.message ?? "saved")")
        }
    }

    @Test func `a child that unsaved changes added to another owner is that of its tree alone`() throws {
        for isMovable in [true, false] {
            let test = try cellar()
            let error = error {
                try test.container.perform { context in
                    let racks = try context.fetch(Cellar.Rack.all.sort(\.name))
                    let bottle = try #require(try context.fetchOne(Bottle.all.where { $0.label == "1" }))
                    try racks[1].bottles.add(bottle)
                    let bottles = [Bottle(label: "1"), Bottle(label: "2")]
                    if isMovable {
                        try context.save(MovableTree(name: "A", bottles: bottles))
                    } else {
                        try context.save(RackTree(name: "A", bottles: bottles))
                    }
                }
            }
            #expect(error?.code == (isMovable ? nil : .validation))
            #expect(
                try test.container.read { try $0.decode(RackTree.all.sort(\.name)) }.map(\.bottles.count) == [2, 0])
        }
    }

    @Test func `the attribute of an object that is left out changes nothing`() throws {
        typealias Attributed = ReadingRoom.Attributed
        let test = try TestStore.tested(for: ReadingRoom.Book.self)
        try test.container.perform { try $0.insert(ReadingRoom.Author(name: "Leo")) }
        for isThroughObjects in [false, true] {
            func saved(_ tree: Attributed) throws -> String?? {
                try test.container.perform { context in
                    if isThroughObjects { try context.insert(ReadingRoom.Country(code: UUID().uuidString)) }
                    try context.save(contentsOf: [tree])
                }
                let read = try test.container.read { try $0.decodeOne(Attributed.all) }
                return read.flatMap { $0.author }
            }
            #expect(try saved(Attributed(isbn: "1", author: .some("Leo"))) == .some("Leo"))
            #expect(try saved(Attributed(isbn: "1", author: nil)) == .some("Leo"))
            #expect(try saved(Attributed(isbn: "1", author: .some(nil))) == .some(.none))
            let unknown = error { _ = try saved(Attributed(isbn: "1", author: .some("Ann"))) }
            #expect(unknown?.code == .objectNotFound)
        }
    }

    @Test(arguments: 0..<3)
    func `another change of a former owner does not make a kept child its own`(change: Int) throws {
        let test = try cellar()
        let error = error {
            try test.container.perform { context in
                let racks = try context.fetch(Cellar.Rack.all.sort(\.name))
                let bottle = try #require(try context.fetchOne(Bottle.all.where { $0.label == "1" }))
                try racks[1].bottles.add(bottle)
                if change == 1 { try racks[0].encode(\.isOpen, false) }
                if change == 2 {
                    let third = try #require(try context.fetchOne(Bottle.all.where { $0.label == "3" }))
                    try racks[0].bottles.add(third)
                }
                try context.save(RackTree(name: "B", bottles: [Bottle(label: "1")]))
            }
        }
        #expect(error == nil, "\(error?.message ?? "")")
        let racks = try test.container.read { try $0.decode(RackTree.all.sort(\.name)) }
        #expect(racks.last?.bottles == [Bottle(label: "1")])
    }
}
