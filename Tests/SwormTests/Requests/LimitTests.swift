import Sworm
import TestSupport
import Testing

@Suite("Limits of zero, and mistakes of new users", .overEachStore)
struct LimitTests {
    private func container() throws -> PersistentContainer {
        let store = try PersistentContainer(for: Dossier.self, at: .tested)
        try store.perform { context in
            for year in 1...3 { try context.insert(Dossier(name: "n\(year)", year: year)) }
        }
        return store
    }

    @Test(arguments: [true, false])
    func `a limit of zero finds nothing`(hasChanges: Bool) throws {
        try container().perform { context in
            if hasChanges { try context.insert(Dossier(name: "new", year: 4)) }
            let none = Dossier.all.where { $0.year > 0 }.sort(\.year).limit(0)
            var found: [Int] = [
                try context.decode(none).count, try context.fetch(none).count, try context.count(of: none),
                try context.fetch(none, \.year).count, try context.fetch(none.select(\.year, \.name)).count,
                try context.fetch(none.grouped(by: \.year).select { $0.count }).count,
                try context.sum(of: none, \.year), try context.update(none, set: (\.year, 9)),
                try context.batchDelete(none),
            ]
            try context.forEach(none) { _ in found.append(1) }
            try context.delete(none)
            #expect(found.allSatisfy { $0 == 0 }, "\(found)")
            let first = try context.decodeOne(none)
            let handle = try context.fetchOne(none)
            let year = try context.fetchOne(none, \.year)
            let largest = try context.max(of: none, \.year)
            #expect(first == nil && handle == nil && year == nil && largest == nil)
            let all = try context.count(of: none.limit(2))
            let rest = try context.count(of: Dossier.all)
            #expect(all == 2 && rest == (hasChanges ? 4 : 3))
        }
    }

    @Test func `a limit below zero is an error that names it, whatever is asked`() throws {
        try container().perform { context in
            let wrong = Dossier.all.limit(-1)
            for work in [
                { _ = try context.decode(wrong) }, { _ = try context.count(of: wrong) },
                { _ = try context.fetch(wrong) },
                { _ = try context.decodeOne(wrong) }, { _ = try context.fetchOne(wrong) },
                { _ = try context.batchDelete(wrong) },
            ] {
                let error = storeError(work)
                #expect(error?.code == .invalidRequest && error?.message.contains("-1") == true)
            }
            _ = try context.count(of: Dossier.all)
        }
    }

    @Test func `a condition over relations is made by a closure`() throws {
        let condition = Condition<Dossier> { $0.friend.name == "Leo" && $0.year > 1 }
        #expect(condition.format == "(friend.name == %@) AND (year > %@)")
        #expect(try container().perform { try $0.count(of: Dossier.all.where(condition)) } == 0)
    }

    @Test func `a request and a handle print one line`() throws {
        let request = Dossier.all.where(\.year > 3).sort(\.name).sort(\.year, ascending: false).limit(5).offset(2)
        #expect("\(request)" == "Dossier where year > %@ [\"3\"] sorted by name, year descending limit 5 offset 2")
        #expect("\(Dossier.all)" == "Dossier")
        try container().perform { context in
            let handle = try #require(try context.fetchOne(Dossier.all))
            #expect("\(handle)" == "Dossier \(handle.id)")
        }
    }

    @Test func `handles in collections come out as ids`() async throws {
        let store = try container()
        let array = try store.perform { try $0.fetch(Dossier.all.sort(\.year)) }
        let dictionary = try store.perform { context in
            Dictionary(uniqueKeysWithValues: try context.fetch(Dossier.all).map { (try $0.decode().year, $0) })
        }
        let set = try store.perform { Set(try $0.fetch(Dossier.all)) }
        let years = try store.perform { context in try array.map { try context.object(with: $0).decode().year } }
        #expect(years == [1, 2, 3])
        #expect(dictionary[2] == array[1] && set == Set(array))
        let scheduled = try await store.schedule { try $0.fetch(Dossier.all.sort(\.year)) }
        #expect(scheduled == array)
        let work: @Sendable (ManagedObjectContext) throws -> Int = { try $0.count(of: Dossier.all) }
        #expect(try await store.schedule(work) == 3)
    }
}
