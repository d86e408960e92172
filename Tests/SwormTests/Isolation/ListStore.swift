import Foundation
import Sworm

/// A list of numbers, as a row.
struct ListRow: ManagedObjectConvertible {
    var key = 0
    /// The numbers, as text.
    var elements = ""
    static let attributes: Set<Attribute<ListRow>> = [.init(\.key, "key", .unique), .init(\.elements, "elements")]

    init() {}

    init(key: Int, list: [Int]) {
        self.key = key
        elements = ListTransaction.text(list)
    }

    var list: [Int] { ListTransaction.numbers(elements) }
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

    /// All lists.
    func lists() throws -> [Int: [Int]] {
        let rows = try container.read { try $0.decode(ListRow.all) }
        return Dictionary(rows.map { ($0.key, $0.list) }, uniquingKeysWith: { first, _ in first })
    }
}
