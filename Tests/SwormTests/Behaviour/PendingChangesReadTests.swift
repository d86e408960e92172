import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Reading over unsaved changes", .overEachStore)
struct PendingChangesReadTests {
    typealias Volume = Shelf.Volume
    typealias Remark = Shelf.Remark

    /// Saved: 1 to 5, with pages of ten times that. Unsaved: 2 is changed, 3 deleted, 6 inserted, 7 inserted and deleted.
    private func withChanges(_ body: (ManagedObjectContext) throws -> Void) throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            for id in 1...5 {
                let volume = try context.insert(Volume(id: id, title: "v\(id)", pages: id * 10))
                for _ in 0..<id { try volume.remarks.add(context.insert(Remark(text: "r\(id)"))) }
            }
        }
        #expect(throws: StoreError.Missing.self) {
            try store.perform { context in
                try context.fetchOne(Volume.all.where(\.id == 2))?.encode(\.pages, 55).encode(\.title, "w2")
                try context.delete(Volume.all.where(\.id == 3))
                try context.insert(Volume(id: 6, title: "v6", pages: 5))
                try context.delete(context.insert(Volume(id: 7)))
                try body(context)
                throw StoreError.Missing()
            }
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.pages) } == [10, 20, 30, 40, 50])
    }

    /// Compares the ids by every way of reading.
    private func expect(
        _ ids: [Int], _ request: Request<Volume>, _ context: ManagedObjectContext,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let decoded = try context.decode(request).map(\.id)
        #expect(decoded == ids, sourceLocation: location)
        var each: [Int] = []
        try context.forEach(request) { each.append($0.id) }
        #expect(try context.fetch(request, \.id) == decoded)
        #expect(try context.fetch(request).map { try $0.decode(\.id) } == decoded)
        #expect(each == decoded)
        #expect(try context.count(of: request) == decoded.count)
        #expect(try context.decodeOne(request)?.id == decoded.first)
        #expect(try context.fetchOne(request, \.id) == decoded.first)
    }

    @Test func `inserted, changed and deleted objects are laid over the rows`() throws {
        try withChanges { context in
            try expect([1, 2, 4, 5, 6], Volume.all.sort(\.id), context)
            #expect(try context.fetch(Volume.all.sort(\.id), \.title) == ["v1", "w2", "v4", "v5", "v6"])
            #expect(try context.decode(Volume.all.sort(\.id))[1] == Volume(id: 2, title: "w2", pages: 55))
        }
    }

    @Test func `conditions look at the changed values`() throws {
        try withChanges { context in
            try expect([2, 5], Volume.all.where(\.pages > 40).sort(\.id), context)
            try expect([], Volume.all.where(\.pages == 20), context)
            try expect([2], Volume.all.where(\.title == "w2"), context)
            try expect([6], Volume.all.where(\.pages < 10), context)
            try expect([1, 4, 5, 6], Volume.all.where(Query.beginsWith(\.title, "v")).sort(\.id), context)
        }
    }

    @Test func `orders, limits and offsets count the changed values`() throws {
        try withChanges { context in
            try expect([6, 1, 4, 5, 2], Volume.all.sort(\.pages), context)
            try expect([2, 5], Volume.all.sort(\.pages, ascending: false).limit(2), context)
            try expect([1, 4], Volume.all.sort(\.pages).limit(2).offset(1), context)
            try expect([2], Volume.all.sort(\.pages).offset(4), context)
            try expect([], Volume.all.sort(\.pages).offset(5), context)
            try expect([4, 5, 2], Volume.all.where(\.pages > 9).sort(\.pages).limit(3).offset(1), context)
            // Without an order, unsaved objects come last.
            try expect([1, 6], Volume.all.where(\.title == "v6" || \.title == "v1"), context)
        }
    }

    @Test func `conditions and orders over relations look at changes on both sides`() throws {
        try withChanges { context in
            try expect([4, 5], Volume.all.where { $0.remarks.count > 3 }.sort(\.id), context)
            #expect(try context.count(of: Remark.all.where { $0.volume.pages == 55 }) == 2)
            #expect(try context.count(of: Remark.all.where { $0.volume.id == 3 }) == 0)
            // The remarks of the deleted volume went along with it.
            #expect(try context.count(of: Remark.all) == 12)
            let six = try #require(try context.fetchOne(Volume.all.where(\.id == 6)))
            for _ in 0..<6 { try six.remarks.add(context.insert(Remark(text: "r6"))) }
            try expect([6], Volume.all.where { $0.remarks.any.text == "r6" }, context)
            try expect([6, 5], Volume.all.sort(\.remarks.count, ascending: false).limit(2), context)
            let texts = try context.fetch(Remark.all.sort(\.volume.pages, ascending: false).sort(\.text), \.text)
            #expect(texts.first == "r2" && texts.last == "r6" && texts.count == 18)
            try context.delete(Remark.all.where(\.text == "r5"))
            try expect([5], Volume.all.where { $0.remarks.isEmpty }, context)
        }
    }

    @Test func `orders by the number of members are the same before and after the save`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        func order(_ context: ManagedObjectContext) throws -> [Int] {
            try context.fetch(Volume.all.sort(\.remarks.count, ascending: false).sort(\.id), \.id)
        }
        try store.perform { context in
            for (id, count) in [2, 0, 3, 2].enumerated() {
                let volume = try context.insert(Volume(id: id))
                for _ in 0..<count { try volume.remarks.add(context.insert(Remark())) }
            }
            #expect(try order(context) == [2, 0, 3, 1])
        }
        #expect(try store.perform(action: order) == [2, 0, 3, 1])
    }

    @Test func `a changed object that is taken back is as it was`() throws {
        try withChanges { context in
            let volume = try #require(try context.fetchOne(Volume.all.where(\.id == 2)))
            try volume.encode(Volume(id: 2, title: "v2", pages: 20))
            try expect([2], Volume.all.where(\.pages == 20), context)
            try context.delete(Volume.all.where(\.id == 6))
            try expect([1, 2, 4, 5], Volume.all.sort(\.id), context)
        }
    }
}
