import Foundation
@testable import Sworm
import SwormTools
import Testing

/// What is left of values when a reading or a writing ends half way: nothing.
@Suite("Lives of values in raw memory", .serialized)
struct MemoryLifeTests {
    typealias Token = Memory.Token
    private struct Stop: Error {}

    /// A kind of row that cannot be read.
    enum Failure: CaseIterable, Sendable {
        /// A closure throws, behind the fields that lie in memory.
        case closure
        /// A number does not fit into its field, behind or before others.
        case field

        /// The row that cannot be read.
        var row: Memory.Raw {
            switch self {
            case .closure: Memory.Raw(number: 30, name: "the name of number 30", label: "bad", weight: 1)
            case .field: Memory.Raw(number: 30, name: "the name of number 30", label: "label 30", weight: 40_000)
            }
        }
    }

    /// A store with forty rows, one of which may be one that cannot be read.
    private func store(_ issue: Failure?) throws -> (container: PersistentContainer, folder: StoreFolder) {
        let folder = try StoreFolder()
        let container = try PersistentContainer(for: Memory.Raw.self, at: .file(folder.file()))
        try container.perform { context in
            try context.insert(
                contentsOf: (0..<40).map { number in
                    if number == 30, let issue { return issue.row }
                    return Memory.Raw(
                        number: number, name: "the name of number \(number)", label: "label \(number)", weight: 5)
                })
        }
        return (container, folder)
    }

    /// Checks that what the body throws is an error of the attribute, and that nothing stays behind.
    private func fails<R>(_ attribute: String, _ body: () throws -> R) {
        var name: String?
        do {
            _ = try body()
        } catch AttributeError.badAttribute(let place) {
            name = place.name
        } catch { Issue.record(error) }
        #expect(name == attribute)
    }

    /// Reads a type by every way, up to the row that cannot be read.
    private func readUpToFailure<T: ManagedObjectConvertible>(
        _ type: T.Type, _ attribute: String, _ request: Request<T>, in store: PersistentContainer
    ) throws {
        // The plan keeps instances for its template, which exist before and after the request.
        _ = T.mapping
        try store.perform { _ = try $0.decode(request.limit(1)) }
        let before = Token.alive
        try store.perform { context in
            for _ in 0..<3 {
                fails(attribute) { try context.decode(request) }
                #expect(Token.alive == before)
                var seen = 0
                fails(attribute) { try context.forEach(request) { _ in seen += 1 } }
                #expect(seen == 30)
                #expect(Token.alive == before)
                do {
                    var kept: [T] = []
                    fails(attribute) { try context.forEach(request) { kept.append($0) } }
                    #expect(kept.count == 30)
                }
                #expect(Token.alive == before)
                fails(attribute) { try context.fetch(request).map { try $0.decode() } }
                #expect(Token.alive == before)
                fails(attribute) { try context.decodeOne(request.offset(30)) }
                #expect(Token.alive == before)
            }
        }
    }

    @Test(arguments: Failure.allCases)
    func `a reading that fails half way leaks nothing`(issue: Failure) throws {
        let (store, folder) = try store(issue)
        let attribute = issue == .closure ? "label" : "weight"
        try readUpToFailure(Memory.Parcel.self, attribute, Memory.Parcel.all.sort(\.number), in: store)
        try readUpToFailure(Memory.Wagon.self, attribute, Memory.Wagon.all.sort(\.number), in: store)
        if issue == .field {
            try readUpToFailure(Memory.Crate.self, attribute, Memory.Crate.all.sort(\.number), in: store)
        }
        withExtendedLifetime(folder) {}
    }

    /// Stops a stream of a type in the middle.
    private func stop<T: ManagedObjectConvertible>(
        _ type: T.Type, _ request: Request<T>, tokens: Int, in store: PersistentContainer
    ) throws {
        try store.perform { _ = try $0.decode(request.limit(1)) }
        let before = Token.alive
        try store.perform { context in
            for _ in 0..<3 {
                var seen = 0
                #expect(throws: Stop.self) {
                    try context.forEach(request) { _ in
                        // One value exists at a time, and the value that a row starts from.
                        #expect(Token.alive <= before + 2 * tokens)
                        seen += 1
                        if seen == 17 { throw Stop() }
                    }
                }
                #expect(seen == 17)
                #expect(Token.alive == before)
            }
            do {
                let all = try context.decode(request)
                #expect(all.count == 40)
                #expect(Token.alive == before + 40 * tokens)
            }
            #expect(Token.alive == before)
        }
    }

    @Test func `a stream whose body throws leaks nothing`() throws {
        let (store, folder) = try store(nil)
        try stop(Memory.Parcel.self, Memory.Parcel.all.sort(\.number), tokens: 1, in: store)
        try stop(Memory.Crate.self, Memory.Crate.all.sort(\.number), tokens: 1, in: store)
        try stop(Memory.Wagon.self, Memory.Wagon.all.sort(\.number), tokens: 2, in: store)
        withExtendedLifetime(folder) {}
    }

    @Test func `an object that a new instance creates is a different one in each row`() throws {
        #expect(Memory.Parcel.mapping.sharesTemplate)
        #expect(!Memory.Crate.mapping.sharesTemplate)
        #expect(!Memory.Wagon.mapping.sharesTemplate)
        let (store, folder) = try store(nil)
        try store.perform { context in
            let crates = try context.decode(Memory.Crate.all)
            #expect(Set(crates.map { ObjectIdentifier($0.token) }).count == 40)
            var tokens: [Token] = []
            try context.forEach(Memory.Crate.all) { tokens.append($0.token) }
            #expect(Set(tokens.map { ObjectIdentifier($0) }).count == 40)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `columns that cannot be read leak nothing`() throws {
        let (store, folder) = try store(.closure)
        let request = Memory.Parcel.all.sort(\.number)
        let before = Token.alive
        try store.perform { context in
            for _ in 0..<3 {
                fails("label") { try context.fetch(request, \.label) }
                #expect(Token.alive == before)
                fails("label") { try context.fetch(request.select(\.name, \.label)) }
                #expect(Token.alive == before)
                fails("label") { try context.fetch(request.select(\.label, \.number) { label, _ in label }) }
                #expect(Token.alive == before)
                #expect(throws: Stop.self) {
                    try context.fetch(
                        request.select(\.number, \.label) { number, label in
                            if number == 25 { throw Stop() }
                            return [label, Memory.Counted()]
                        })
                }
                #expect(Token.alive == before)
                do {
                    let rows = try context.fetch(request.limit(30).select(\.label, \.name))
                    #expect(rows.map(\.0.text) == (0..<30).map { "label \($0)" })
                    #expect(Token.alive == before + 30)
                }
                #expect(Token.alive == before)
            }
        }
        // A number that its column's type cannot hold stops in the middle of the raw rows.
        let narrow = try self.store(.field)
        try narrow.container.perform { context in
            for _ in 0..<3 {
                #expect(throws: (any Error).self) { try context.fetch(request.select(\.label, \.name, \.weight)) }
                #expect(throws: (any Error).self) { try context.fetch(request, \.weight) }
                #expect(Token.alive == before)
            }
        }
        withExtendedLifetime((folder, narrow.folder)) {}
    }

    @Test(arguments: [100, 256, 300, 600])
    func `a writing that fails half way leaks nothing`(bad: Int) throws {
        let (store, folder) = try store(nil)
        _ = Memory.Parcel.mapping
        try store.perform { context in
            _ = try context.decode(Memory.Parcel.all.limit(1))
            let before = Token.alive
            func parcel(_ number: Int) -> Memory.Parcel {
                Memory.Parcel(1000 + number, number == bad ? "bad" : "good \(number)")
            }
            let lazy = (0...600).lazy.map { parcel($0) }
            for _ in 0..<2 {
                fails("label") { try context.insert(contentsOf: Array(lazy)) }
                #expect(Token.alive == before)
                fails("label") { try context.insert(contentsOf: AnySequence(lazy)) }
                #expect(Token.alive == before)
                fails("label") { try context.insert(contentsOf: ArraySlice(Array(lazy)).dropFirst()) }
                #expect(Token.alive == before)
                fails("label") { try context.upsert(Array(lazy), on: \.number) }
                #expect(Token.alive == before)
                fails("label") { try context.upsert(AnySequence(lazy), on: \.number, onConflict: .ignore) }
                #expect(Token.alive == before)
            }
            #expect(try context.count(of: Memory.Parcel.all) == 40)
            do {
                let values = lazy.filter { !$0.label.text.hasSuffix("bad") }
                #expect(try context.insert(contentsOf: values) == 600)
            }
            #expect(Token.alive == before)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `an object that cannot be encoded is unchanged, and nothing leaks`() throws {
        let (store, folder) = try store(nil)
        _ = Memory.Parcel.mapping
        try store.perform { context in
            let object = try #require(try context.fetchOne(Memory.Parcel.all.where(\.number == 3)))
            let before = Token.alive
            for _ in 0..<50 {
                fails("label") { try object.encode(Memory.Parcel(5, "bad")) }
                fails("label") { try object.encode(\.label, Memory.Counted("bad")) }
                fails("label") { try context.insert(Memory.Parcel(5, "bad")) }
                #expect(Token.alive == before)
            }
            #expect(try object.decode(\.name) == "the name of number 3")
            #expect(try object.decode(\.label).text == "label 3")
            #expect(try context.count(of: Memory.Parcel.all) == 40)
            #expect(Token.alive == before)
        }
        withExtendedLifetime(folder) {}
    }
}
