import Sworm
import TestSupport
import Testing

@Suite("Tuples of handles at the end of a call", .overEachStore)
struct TupleResultTests {
    @Test func `come out as their ids`() throws {
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        let (first, second) = try store.perform { context in
            (try context.insert(Dossier(name: "a", year: 1)), try context.insert(Dossier(name: "b", year: 2)))
        }
        let (newest, all, none) = try store.read { context in
            (
                try context.fetchOne(Dossier.all.sort(\.year, ascending: false)),
                try context.fetch(Dossier.all.sort(\.year)), try context.fetchOne(Dossier.all.where(\.year == 9))
            )
        }
        #expect(newest == second && all == [first, second] && none == nil)
        let written = try store.write { context in
            (try context.object(with: second), try context.insert(Dossier(name: "c", year: 3)))
        }
        #expect(written.0 == second)
        let count = try store.perform { try $0.count(of: Dossier.all) }
        #expect(count == 3)
    }

    @Test func `come out as their ids in a task`() async throws {
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        let (first, second) = try await store.write { context in
            (try context.insert(Dossier(name: "a", year: 1)), try context.insert(Dossier(name: "b", year: 2)))
        }
        let read = try await store.read { context in
            (try context.object(with: first), try context.fetch(Dossier.all.sort(\.year)))
        }
        #expect(read.0 == first && read.1 == [first, second])
        let scheduled = try await store.schedule { context in
            (
                try context.object(with: first), try context.object(with: second),
                try context.fetchOne(Dossier.all.limit(0))
            )
        }
        #expect(scheduled.0 == first && scheduled.1 == second && scheduled.2 == nil)
    }

    @Test func `tuples of values are unchanged`() throws {
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        let (count, name) = try store.perform { context in (try context.count(of: Dossier.all), "x") }
        #expect(count == 0 && name == "x")
        let ids = try store.perform { context in
            let handle = try context.insert(Dossier(name: "a", year: 1))
            return (handle.id, try handle.decode())
        }
        #expect(ids.1.name == "a")
    }
}
