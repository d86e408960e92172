import Foundation
import Sworm

/// A list of numbers, as a row.
struct ListRow: ManagedObjectConvertible {
    var key = 0
    /// The numbers, as text.
    var elements = ""
    static let attributes: Set<Attribute<ListRow>> = [.init(\.key, "key", .unique), .init(\.elements, "elements")]
    struct Relations: Sendable {
        let entries = ToManyOrderedRelation<ListEntry>("entries", inverse: \.list, deleteRule: .cascade)
    }
    static let relations = Relations()

    init() {}

    init(key: Int, list: [Int]) {
        self.key = key
        elements = ListTransaction.text(list)
    }

    var list: [Int] { ListTransaction.numbers(elements) }
}

/// A number of a list that is a tree.
struct ListEntry: ManagedObjectConvertible {
    var element = 0
    static let attributes: Set<Attribute<ListEntry>> = [.init(\.element, "element", .unique)]
    struct Relations: Sendable { let list = ToOneRelation<ListRow>("list") }
    static let relations = Relations()
}

/// A list of numbers, as a row for each number.
struct ListTree: ManagedTreeConvertible {
    var key = 0
    var entries: [ListEntry] = []

    typealias Entity = ListRow
    static let attributes: Set<Attribute<ListTree>> = [.init(\.key, \.key)]
    static let branches: [Branch<ListTree>] = [.init(\.entries, \.entries)]

    init() {}

    init(key: Int, list: [Int]) {
        self.key = key
        entries = list.map { ListEntry(element: $0) }
    }

    var list: [Int] { entries.map(\.element) }
}

/// A container over a store of lists.
struct ListStore: Sendable {
    let container: PersistentContainer

    /// - Parameters:
    ///   - url: The file.
    ///   - journal: The journal mode of SQLite; nil for the standard one.
    init(at url: URL, journal: String? = nil) throws {
        guard let journal else {
            container = try PersistentContainer(for: ListRow.self, at: .file(url), timeout: 60)
            return
        }
        // MARK: The one spot where a journal mode is chosen
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(tables: ListRow.self))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSSQLitePragmasOption: ["journal_mode": journal], NSPersistentStoreTimeoutOption: NSNumber(value: 60),
            ])
        container = PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.retainsRegisteredObjects = true
            return context
        })
    }

    /// All lists, those that are trees included. Entries without a list have the key -1.
    func lists() throws -> [Int: [Int]] {
        let (rows, trees, lost) = try container.read { context in
            (
                try context.decode(ListRow.all), try context.decode(ListTree.all),
                try context.decode(ListEntry.all.where { $0.list == nil })
            )
        }
        var lists = rows.map { ($0.key, $0.list) } + trees.map { ($0.key, $0.list) }
        if !lost.isEmpty { lists.append((-1, lost.map(\.element))) }
        // Two rows with one key make a list that no transaction has seen.
        return Dictionary(lists, uniquingKeysWith: +)
    }
}
