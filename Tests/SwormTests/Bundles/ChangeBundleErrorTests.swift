import Foundation
@testable import Sworm
import TestSupport
import Testing

/// Types that bundles cannot name, or that have all types of attributes.
enum OddModel {
    struct Unnamed: Sendable { var text = "" }
    struct Optional: Sendable { var name: String? }
    struct Values: Equatable, Sendable {
        var id = UUID()
        var flag = false
        var small: Int16 = 0
        var large: Int64 = 0
        var real = 0.0
        var single: Float = 0
        var price = Decimal()
        var text = ""
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var data = Data()
        var url: URL?
        var missing: Double?
    }
}

extension OddModel.Unnamed: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.text, "text")]
}

extension OddModel.Optional: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .unique)]
}

extension OddModel.Values: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.flag, "flag"), .init(\.small, "small"), .init(\.large, "large"),
        .init(\.real, "real"), .init(\.single, "single"), .init(\.price, "price"), .init(\.text, "text"),
        .init(\.date, "date"), .init(\.data, "data"), .init(\.url, "url"), .init(\.missing, "missing"),
    ]
}

@Suite("Bundles of changes that cannot be created or applied")
struct ChangeBundleErrorTests {
    typealias Book = Exchange.Book

    private func decode(_ text: String) throws -> ChangeBundle {
        try JSONDecoder().decode(ChangeBundle.self, from: Data(text.utf8))
    }

    @Test func `need a history, records, and unique attributes that are not nil`() throws {
        let plain = try PersistentContainer(for: Book.self, BundleRecord.self, at: .memory)
        #expect(throws: StoreError.Code.historyNeeded) { try plain.changeBundle() }
        let without = try PersistentContainer(for: Book.self, at: .memory, history: true)
        #expect(throws: StoreError.Code.unknownName) { try without.changeBundle() }
        let unnamed = try PersistentContainer(for: OddModel.Unnamed.self, BundleRecord.self, at: .memory, history: true)
        do {
            _ = try unnamed.changeBundle()
            Issue.record("an entity without a key was accepted")
        } catch let error as StoreError where error.code == .uniqueKeyNeeded {
            #expect(error.entity == "Unnamed" && "\(error)".contains(".unique"))
        }
        let optional = try PersistentContainer(
            for: OddModel.Optional.self, BundleRecord.self, at: .memory, history: true)
        #expect(try optional.changeBundle() == nil)
        let id = try optional.perform { try $0.insert(OddModel.Optional()) }
        #expect(throws: StoreError.Code.uniqueKeyNeeded) { try optional.changeBundle() }
        try optional.perform { try $0.object(with: id).encode(\.name, "a") }
        #expect(try optional.changeBundle()?.number == 2)
        let store = try Exchange.store()
        try store.perform { _ in
            #expect(throws: StoreError.Code.unsupported) { try store.changeBundle() }
        }
        #expect(throws: StoreError.Code.bundleMissing) { try store.changeBundle(after: -1) }
    }

    @Test func `carry every value exactly`() throws {
        func store() throws -> PersistentContainer {
            try PersistentContainer(for: OddModel.Values.self, BundleRecord.self, at: .memory, history: true)
        }
        let (one, other) = (try store(), try store())
        var all: [OddModel.Values] = []
        let reals: [Double] = [0.1, -0.0, .leastNonzeroMagnitude, 1.797e308, 1.0 / 3, 123_456_789.123_456_789]
        let prices = ["0", "-12.30", "0.1", "12345678901234567890123456789012345678", "1e-100", "3e120"]
        for index in reals.indices {
            var values = OddModel.Values()
            values.flag = index % 2 == 0
            values.small = index == 0 ? .min : .max
            values.large = index == 0 ? .min : .max - Int64(index)
            values.real = reals[index]
            values.single = Float(reals[index % 2]) / 3
            values.price = try #require(Decimal(string: prices[index]))
            values.text = ["", "é", "e\u{301}", "\u{0}\"\\/\u{1F469}\u{200D}", "a\nb", "\u{FEFF}"][index]
            values.date = Date(timeIntervalSinceReferenceDate: reals[index] / 1e300 + 0.123_456_7)
            values.data = Data((0..<index * 50).map { UInt8($0 % 256) })
            values.url = index % 2 == 0 ? nil : URL(string: "https://example.org/a%20b?c=\(index)#d")
            values.missing = index % 2 == 0 ? nil : 0.3
            all.append(values)
        }
        try one.perform { try $0.insert(contentsOf: all) }
        let bundle = try #require(try one.changeBundle())
        let copy = try JSONDecoder().decode(ChangeBundle.self, from: JSONEncoder().encode(bundle))
        try other.apply(copy)
        let stored = try one.read { try $0.decode(OddModel.Values.all.sort(\.id)) }
        let received = try other.read { try $0.decode(OddModel.Values.all.sort(\.id)) }
        #expect(stored.count == all.count && received == stored)
        for (left, right) in zip(stored, received) {
            #expect(left.real.bitPattern == right.real.bitPattern && left.text.utf8.elementsEqual(right.text.utf8))
            #expect(
                left.date.timeIntervalSinceReferenceDate.bitPattern
                    == right.date.timeIntervalSinceReferenceDate.bitPattern)
        }
    }

    @Test func `are rejected if they do not fit the model`() throws {
        let store = try Exchange.store()
        func bundle(_ change: String, time: Int64 = 1) throws -> ChangeBundle {
            try decode(
                #"{"version":1,"origin":"A","after":0,"number":1,"seen":{},"transactions":[{"origin":"A","number":1,"time":\#(time),"changes":[\#(change)]}]}"#
            )
        }
        let key = #""entity":"Book","key":[{"integer":"1"}],"kind":"inserted""#
        let cases: [(String, StoreError)] = [
            (#"{"entity":"Books","key":[{"integer":"1"}],"kind":"deleted"}"#, StoreError.Code.unknownName),
            (#"{"entity":"Book","key":[],"kind":"deleted"}"#, StoreError.Code.invalidBundle),
            (#"{"entity":"Book","key":[null],"kind":"deleted"}"#, StoreError.Code.invalidBundle),
            (#"{"entity":"Book","key":[{"string":"1"}],"kind":"inserted"}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"attributes":{"titel":{"string":"a"}}}"#, StoreError.Code.unknownName),
            (#"{\#(key),"attributes":{"title":null}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"attributes":{"title":{"integer":"1"}}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"attributes":{"number":{"integer":"1"}}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"links":{"author":{"entity":"Tag","key":[{"string":"a"}]}}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"links":{"tags":null}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"added":{"author":[]}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key),"orders":{"tags":[]}}"#, StoreError.Code.invalidBundle),
            (#"{\#(key)},{\#(key)}"#, StoreError.Code.invalidBundle),
        ]
        for (change, error) in cases {
            #expect(throws: error, "\(change)") { try store.apply(bundle(change)) }
        }
        let future = Date(timeIntervalSinceNow: 90_000).bundleTime
        #expect(throws: StoreError.Code.invalidBundle) { try store.apply(bundle("{\(key)}", time: future)) }
        #expect(try Exchange.content(of: store).isEmpty)
        // An object with missing attributes waits for them.
        #expect(try !store.apply(bundle("{\(key)}")).isRepeated)
        #expect(try Exchange.content(of: store).isEmpty)
    }

    @Test func `are rejected when they are decoded, if they contradict themselves`() {
        let head = #""version":1,"origin":"A""#
        let transaction = #"{"origin":"A","number":2,"time":1,"changes":[]}"#
        for text in [
            "{}", "[]", "null", #"{"version":2,"origin":"A","after":0,"number":0,"seen":{},"transactions":[]}"#,
            "{\(head),\"after\":-1,\"number\":0,\"seen\":{},\"transactions\":[]}",
            "{\(head),\"after\":3,\"number\":2,\"seen\":{},\"transactions\":[]}",
            "{\(head),\"after\":0,\"number\":9223372036854775807,\"seen\":{},\"transactions\":[]}",
            "{\(head),\"after\":0,\"number\":1,\"seen\":{},\"transactions\":[\(transaction)]}",
            "{\(head),\"after\":2,\"number\":3,\"seen\":{},\"transactions\":[\(transaction)]}",
            "{\(head),\"after\":0,\"number\":3,\"seen\":{},\"transactions\":[\(transaction),\(transaction)]}",
            "{\(head),\"after\":0,\"number\":3,\"seen\":{\"B\":-1},\"transactions\":[]}",
            #"{"version":1,"origin":"","after":0,"number":0,"seen":{},"transactions":[]}"#,
        ] {
            #expect(throws: DecodingError.self, "\(text)") { try decode(text) }
        }
        for text in [
            #"{"integer":"1.5"}"#, #"{"integer":1}"#, #"{"double":"x"}"#, #"{"decimal":"1x"}"#,
            #"{"decimal":"1e999999999999"}"#, #"{"date":"inf"}"#, #"{"data":"?"}"#, #"{"uuid":"1"}"#, #"{"other":"1"}"#,
            #"{"integer":"1","string":"1"}"#, "1", #""a""#, "[]", "{}",
        ] {
            #expect(throws: DecodingError.self, "\(text)") {
                try JSONDecoder().decode(BundleValue.self, from: Data(text.utf8))
            }
        }
    }

    /// A long run: SWORM_BUNDLE_MUTANTS=100000 swift test --filter ChangeBundleErrorTests.
    @Test func `give errors and not crashes when they are damaged`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_BUNDLE_MUTANTS"].flatMap { Int($0) } ?? 400
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Damaged bundles: \(count), SWORM_RANDOM_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let run = try ExchangeRun(seed: seed)
        for _ in 0..<20 { try run.edit(0) }
        let bundle = try #require(try run.stores[0].changeBundle())
        let text = Array(try JSONEncoder().encode(bundle))
        let words = [
            "null", "{}", "[]", "-1", "99999999999999999999", "\"\"", "true", "Author", "Book", "Chapter", "deleted",
        ]
        .map { Array($0.utf8) }
        let (target, before) = (run.stores[1], try Exchange.content(of: run.stores[1]))
        var (rejected, applied) = (0, 0)
        for _ in 0..<count {
            var bytes = text
            for _ in 0...random.pick(3) {
                let place = random.pick(bytes.count)
                switch random.pick(4) {
                case 0: bytes[place] = UInt8(random.pick(128))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: random.pick(words) ?? [], at: place)
                default:
                    let end = min(bytes.count, place + random.pick(40))
                    bytes.removeSubrange(place..<end)
                }
            }
            do {
                let damaged = try JSONDecoder().decode(ChangeBundle.self, from: Data(bytes))
                _ = try target.apply(damaged)
                applied += 1
            } catch {
                rejected += 1
            }
        }
        print("\(rejected) rejected, \(applied) applied")
        #expect(rejected > count / 4)
        #expect(try before.isEmpty && (Exchange.content(of: target).isEmpty || applied > 0))
    }
}
