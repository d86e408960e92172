import Foundation
import Sworm
import Testing

/// What tests of bundles do with stores.
protocol ExchangeSteps {}

extension ExchangeSteps {
    /// Sends what a store has changed to another one, as JSON.
    @discardableResult
    func send(
        _ sender: PersistentContainer, to receiver: PersistentContainer, policy: ConflictPolicy = .laterWins
    ) throws -> [ChangeConflict] {
        let origin = try sender.bundlePosition().origin
        let known = try receiver.bundlePosition().applied[origin] ?? 0
        guard let bundle = try sender.changeBundle(after: known) else { return [] }
        let copy = try JSONDecoder().decode(ChangeBundle.self, from: JSONEncoder().encode(bundle))
        #expect(copy == bundle)
        return try receiver.apply(copy, policy: policy).conflicts
    }

    func expectEqual(
        _ one: PersistentContainer, _ other: PersistentContainer, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (left, right) = (try Exchange.content(of: one), try Exchange.content(of: other))
        #expect(left == right, sourceLocation: sourceLocation)
    }

    func title(_ number: Int, in store: PersistentContainer) throws -> String? {
        try store.read { (context: ManagedObjectContext) throws -> String? in
            try context.fetchOne(Exchange.Book.all.where { $0.number == number })?.decode(\.title)
        }
    }

    func rename(_ number: Int, _ title: String, in store: PersistentContainer) throws {
        try store.perform { context in
            try context.fetchOne(Exchange.Book.all.where { $0.number == number })?.encode(\.title, title)
        }
    }

    func delete(_ number: Int, in store: PersistentContainer) throws {
        try store.perform { try $0.delete(Exchange.Book.all.where { $0.number == number }) }
    }
}
