import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Values that cannot be stored", .overEachStore)
struct RefusedValueTests {
    struct Measure: ManagedObjectConvertible, Equatable {
        var double = 0.0
        var float: Float = 0
        var narrow = 0.0
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var decimal = Decimal(0)
        var small = 0
        var shape = Shape.point
        var optional: Double?
        static let attributes: Set<Attribute<Measure>> = [
            .init(\.double, "double"), .init(\.float, "float"), .init(\.narrow, "narrow", .type(.float)),
            .init(\.date, "date"), .init(\.decimal, "decimal"), .init(\.small, "small", .type(.integer16)),
            .init(\.shape, "shape"), .init(\.optional, "optional"),
        ]
    }

    /// The entity and the attribute that an error names.
    private func place(of error: (any Error)?) -> String {
        switch error {
        case let error as StoreError: "\(error.entity ?? "").\(error.attribute ?? "")"
        case AttributeError.badAttribute(let context)?: "\(context.entity).\(context.name)"
        default: "\(String(describing: error))"
        }
    }

    @Test func `each is an error that names entity and attribute, and nothing is saved`() throws {
        let store = try PersistentContainer(for: Measure.self, at: .tested)
        try store.perform { try $0.insert(Measure(double: 5)) }
        let cases: [(String, Measure)] = [
            ("double", Measure(double: .nan)), ("double", Measure(double: .signalingNaN)),
            ("float", Measure(float: .nan)),
            ("narrow", Measure(narrow: 1e300)), ("narrow", Measure(narrow: -1e39)), ("narrow", Measure(narrow: .nan)),
            ("date", Measure(date: Date(timeIntervalSinceReferenceDate: .nan))), ("decimal", Measure(decimal: .nan)),
            ("small", Measure(small: 32_768)), ("small", Measure(small: .min)),
            ("shape", Measure(shape: .circle(radius: .infinity))), ("optional", Measure(optional: .nan)),
        ]
        for (name, value) in cases {
            for isUpdate in [false, true] {
                var failure: (any Error)?
                do {
                    try store.perform { context in
                        guard isUpdate else { return _ = try context.insert(value) }
                        _ = try context.fetchOne(Measure.all)?.encode(value)
                    }
                } catch {
                    failure = error
                }
                #expect(place(of: failure) == "Measure.\(name)")
            }
        }
        #expect(try store.perform { try $0.decode(Measure.all) } == [Measure(double: 5)])
    }

    @Test func `a number in a narrower attribute is the nearest one that fits`() throws {
        let store = try PersistentContainer(for: Measure.self, at: .tested)
        try store.perform { try $0.insert(Measure(narrow: 0.1, small: -32_768)) }
        let found = try store.perform { try $0.decodeOne(Measure.all) }
        #expect(found?.narrow == Double(Float(0.1)) && found?.small == -32_768)
    }

    @Test func `a zero has no sign, and a URL has no base`() throws {
        let store = try PersistentContainer(for: Link.self, at: .tested)
        let base = try #require(URL(string: "https://example.org/a/"))
        let link = Link(url: try #require(URL(string: "b?c", relativeTo: base)), zero: -0.0)
        try store.perform { context in
            try context.insert(link)
            #expect(try context.decodeOne(Link.all)?.url.absoluteString == "https://example.org/a/b?c")
        }
        let found = try #require(try store.perform { try $0.decodeOne(Link.all) })
        #expect(found.url.absoluteString == link.url.absoluteString)
        #expect(found.zero == link.zero)
    }

    private struct Link: ManagedObjectConvertible {
        var url = URL(filePath: "/")
        var zero = 1.0
        static let attributes: Set<Attribute<Link>> = [.init(\.url, "url"), .init(\.zero, "zero")]
    }

    // MARK: What is in the store and does not fit

    /// The same entity as others see it.
    enum Wide {
        struct Item: ManagedObjectConvertible {
            var number: Int64 = 0
            var text: String?
            var ratio = 0.0
            var kind: String?
            static let attributes: Set<Attribute<Item>> = [
                .init(\.number, "number", .type(.integer64)), .init(\.text, "text"), .init(\.ratio, "ratio"),
                .init(\.kind, "kind"),
            ]
        }
    }
    enum Narrow {
        enum Kind: String, SupportedAttributeType { case known }
        struct Item: ManagedObjectConvertible {
            var number: Int16 = 0
            var text = ""
            var ratio: Float = 0
            var kind: Kind?
            static let attributes: Set<Attribute<Item>> = [
                .init(\.number, "number"), .init(\.text, "text"), .init(\.ratio, "ratio"), .init(\.kind, "kind"),
            ]
        }
    }

    @Test(arguments: ["number", "text", "ratio", "kind"])
    func `a stored value that does not fit is the same error by every way of reading`(name: String) throws {
        let context = try sharedContext(of: Wide.Item.self)
        let store = PersistentContainer(managedObjectContext: { context })
        try store.perform {
            var item = Wide.Item(number: 1, text: "x", ratio: 0.5, kind: "known")
            switch name {
            case "number": item.number = 70_000
            case "text": item.text = nil
            case "ratio": item.ratio = 1e300
            default: item.kind = "unknown"
            }
            try $0.insert(item)
        }
        let ways: [(ManagedObjectContext) throws -> Void] = [
            { _ = try $0.decode(Narrow.Item.all) }, { try $0.forEach(Narrow.Item.all) { _ in } },
            { _ = try $0.fetchOne(Narrow.Item.all)?.decode() },
            {
                switch name {
                case "number": _ = try $0.fetch(Narrow.Item.all, \.number)
                case "text": _ = try $0.fetch(Narrow.Item.all, \.text)
                case "ratio": _ = try $0.fetch(Narrow.Item.all, \.ratio)
                default: _ = try $0.fetch(Narrow.Item.all, \.kind)
                }
            },
        ]
        for (index, way) in ways.enumerated() {
            do {
                try store.perform { try way($0) }
                Issue.record("way \(index) took what does not fit")
            } catch {
                #expect(place(of: error) == "Item.\(name)", "way \(index): \(error)")
                guard case AttributeError.badAttribute(let details) = error else {
                    Issue.record("way \(index): \(error)")
                    continue
                }
                #expect("\(error)".contains("Item.\(name)") && details.value != nil)
            }
        }
        // The other attributes are not touched by it.
        #expect(try store.perform { try $0.count(of: Narrow.Item.all) } == 1)
    }
}

/// A context on a store of its own in memory, with the model of a type's tables.
func sharedContext(
    of type: any ManagedObjectConvertible.Type, at url: URL = URL(filePath: "/dev/null"),
    _ kind: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType, pragmas: [String: String]? = nil
) throws -> NSManagedObjectContext {
    let model = try NSManagedObjectModel(tables: type)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    _ = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: pragmas.map { [NSSQLitePragmasOption: $0] }
    )
    let context = NSManagedObjectContext(concurrencyType: kind)
    context.persistentStoreCoordinator = coordinator
    return context
}
