#if !canImport(CoreData)
import Foundation
import OpenCoreData
import Sworm
import SwormSQLite
import Testing

@Suite("Values of another storage class than their attribute's")
struct StoredClassTests {
    private typealias Item = Stock.Item

    static let odd: [(name: String, sql: String, found: String)] = [
        ("pieces", "ZPIECES = '12abc'", "12abc"), ("total", "ZTOTAL = '7 days'", "7 days"),
        ("total", "ZTOTAL = 1.5", "1.5"), ("pieces", "ZPIECES = X'31'", "31"), ("weight", "ZWEIGHT = '3kg'", "3kg"),
        ("price", "ZPRICE = '12abc'", "12abc"), ("price", "ZPRICE = X'31'", "31"),
        ("bought", "ZBOUGHT = '2001-01-01'", "2001"), ("isNew", "ZISNEW = 'yes'", "yes"),
        ("name", "ZNAME = X'414243'", "414243"), ("grade", "ZGRADE = X'41'", "41"),
    ]

    /// A store with an item that was changed by hand.
    private func open(_ sql: String, strict: Bool) throws -> (PersistentContainer, URL) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sworm-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "Stock.sqlite")
        let store = try PersistentContainer(for: Item.self, at: .file(url))
        try store.perform { try $0.insert(Item(id: 1, name: "cup", pieces: 3, total: 4, weight: 1, price: 2)) }
        try store.close()
        try Connection(.file(path: url.path), options: .init(access: .readWrite)).execute("UPDATE ZITEM SET \(sql)")
        return (try PersistentContainer(for: Item.self, at: .file(url), strict: strict), folder)
    }

    @Test(arguments: odd, [true, false])
    func `are errors that name them, however they are read`(
        value: (name: String, sql: String, found: String), strict: Bool
    ) throws {
        let (store, folder) = try open(value.sql, strict: strict)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ways: [(ManagedObjectContext) throws -> Void] = [
            { _ = try $0.decode(Item.all) }, { _ = try $0.decodeOne(Item.all) }, { try $0.forEach(Item.all) { _ in } },
            { for handle in try $0.fetch(Item.all) { _ = try handle.decode() } },
            { _ = try $0.fetchOne(Item.all)?.decode() },
        ]
        for (number, way) in ways.enumerated() {
            do {
                try store.perform(action: way)
                Issue.record("way \(number) reads \(value.sql)")
            } catch {
                let text = "\(error)"
                #expect(text.contains(value.name) && text.contains(value.found), "way \(number): \(text)")
            }
        }
    }

    @Test(arguments: odd)
    func `are errors that name them, read by themselves`(value: (name: String, sql: String, found: String)) throws {
        let (store, folder) = try open(value.sql, strict: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        func fails(_ work: (ManagedObjectContext) throws -> Void) {
            do {
                try store.perform(action: work)
                Issue.record("reads \(value.sql)")
            } catch {
                #expect("\(error)".contains(value.name) && "\(error)".contains(value.found), "\(error)")
            }
        }
        switch value.name {
        case "pieces":
            fails { _ = try $0.fetch(Item.all, \.pieces) }
            fails { _ = try $0.fetch(Item.all.select(\.id, \.pieces)) }
        case "total": fails { _ = try $0.fetch(Item.all.select(\.id, \.total)) }
        case "weight": fails { _ = try $0.fetch(Item.all.select(\.id, \.weight)) }
        case "price": fails { _ = try $0.fetch(Item.all.select(\.id, \.price)) }
        case "bought": fails { _ = try $0.fetch(Item.all.select(\.id, \.bought)) }
        case "isNew": fails { _ = try $0.fetch(Item.all.select(\.id, \.isNew)) }
        case "name": fails { _ = try $0.fetch(Item.all, \.name) }
        default: fails { _ = try $0.fetch(Item.all.select(\.id, \.grade)) }
        }
    }

    @Test(arguments: odd)
    func `are always reported by a verification`(value: (name: String, sql: String, found: String)) throws {
        let (store, folder) = try open(value.sql, strict: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try TableModel.shared(for: [Item.self]).compiled()
        try store.close()
        let findings = try StoreVerification.findings(of: folder.appending(path: "Stock.sqlite"), model: model)
        #expect(findings.contains { $0.property == value.name && $0.severity == .error }, "\(findings)")
    }
}
#endif
