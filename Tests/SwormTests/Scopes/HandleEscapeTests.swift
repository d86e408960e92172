import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Handles that outlive their perform", .overEachStore)
struct HandleEscapeTests {
    typealias Volume = Shelf.Volume
    typealias Remark = Shelf.Remark

    private func store(_ log: ErrorLog = ErrorLog()) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log.add)
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1, title: "kept"))
            try volume.remarks.add(context.insert(Remark(text: "a")))
            try volume.writers.add(context.insert(Shelf.Writer(id: 1)))
            volume.cover = try context.insert(Shelf.Cover(color: "red"))
        }
        return store
    }

    @Test func `an object throws for everything that can throw, and names itself`() throws {
        let store = try store()
        var leaked: ManagedObject<Volume>?
        try store.perform { leaked = try $0.fetchOne(Volume.all) }
        let volume = try #require(leaked)
        let errors = [
            storeError { try volume.decode() }, storeError { try volume.decode(\.title) },
            storeError { try volume.decode(\.printed) }, storeError { try volume.encode(Volume()) },
            storeError { try volume.encode(\.title, "x") }, storeError { try volume.encode(\.printed, nil) },
        ]
        for error in errors {
            #expect(error?.code == .scopeEnded)
            #expect(error?.entity == "Volume")
            #expect(error?.message.contains("Volume p1") == true, "\(error?.message ?? "")")
        }
        // What was not saved is not changed, and the id can still be asked for.
        #expect(try store.perform { try $0.object(with: volume.id).decode(\.title) } == "kept")
    }

    @Test func `an object that was inserted names the id that it had`() throws {
        let store = try store()
        var leaked: ManagedObject<Volume>?
        try store.perform { leaked = try $0.insert(Volume(id: 2)) }
        let volume = try #require(leaked)
        let error = storeError { try volume.decode() }
        #expect(error?.code == .scopeEnded)
        #expect(error?.message.contains("Volume t") == true)
        #expect(volume.id.isTemporary)
    }

    @Test func `traversals give nothing and report`() throws {
        let log = ErrorLog()
        let store = try store(log)
        var leaked: ManagedObject<Volume>?
        try store.perform { leaked = try $0.fetchOne(Volume.all) }
        let volume = try #require(leaked)
        #expect(volume.cover == nil)
        #expect(volume.remarks.count == 0)
        #expect(volume.remarks.isEmpty)
        #expect(volume.remarks.first == nil)
        #expect(Array(volume.writers).isEmpty)
        #expect(!volume.writers.contains { _ in true })
        #expect(Set(log.codes) == [.scopeEnded])
        #expect(log.errors.count >= 6)
    }

    @Test func `sets and ordered sets throw for everything that can throw`() throws {
        let store = try store()
        var set: ManagedObjectSet<Shelf.Writer>?
        var ordered: ManagedObjectOrderedSet<Remark>?
        try store.perform { context in
            let volume = try context.fetchOne(Volume.all)
            set = volume?.writers
            ordered = volume?.remarks
            #expect(set?.count == 1)
        }
        let writers = try #require(set)
        let remarks = try #require(ordered)
        #expect(storeError { try writers.decode() }?.code == .scopeEnded)
        #expect(storeError { try remarks.decode() }?.code == .scopeEnded)
        #expect(storeError { try remarks.removeAll() }?.code == .scopeEnded)
        #expect(storeError { try remarks.move(from: 0, to: 0) }?.code == .scopeEnded)
        #expect(storeError { try writers.replace(with: []) }?.code == .scopeEnded)
        #expect(writers.count == 0 && remarks[0] == nil && remarks.last == nil)
        try store.perform { context in
            let fresh = try context.insert(Remark(text: "b"))
            #expect(storeError { try remarks.add(fresh) }?.code == .scopeEnded)
            #expect(storeError { try remarks.insert(fresh, at: 0) }?.code == .scopeEnded)
            #expect(storeError { try remarks.delete(fresh, context: context) }?.code == .scopeEnded)
            #expect(try context.count(of: Remark.all) == 2)
        }
    }

    @Test func `an iteration that began inside ends once the perform has ended`() throws {
        let store = try store()
        var leaked: ManagedObjectSetIterator<Remark>?
        try store.perform { leaked = try $0.fetchOne(Volume.all)?.remarks.makeIterator() }
        var iterator = try #require(leaked)
        #expect(iterator.next() == nil)
    }

    @Test func `a context throws, whatever it is asked for`() throws {
        let store = try store()
        var leaked: ManagedObjectContext?
        let id = try store.perform { context in
            leaked = context
            return try context.insert(Volume(id: 5))
        }
        let context = try #require(leaked)
        let errors = [
            storeError { try context.fetch(Volume.all) }, storeError { try context.decode(Volume.all) },
            storeError { try context.fetch(Volume.all, \.title) }, storeError { try context.count(of: Volume.all) },
            storeError { try context.insert(Volume()) }, storeError { try context.delete(Volume.all) },
            storeError { try context.object(with: id) }, storeError { try context.forEach(Volume.all) { _ in } },
        ]
        for error in errors {
            #expect(error?.code == .scopeEnded)
            #expect(error?.entity == "Volume")
        }
    }

    @Test func `an object of a nested perform cannot be used in the outer one`() throws {
        let store = try store()
        try store.perform { context in
            var leaked: ManagedObject<Volume>?
            let id = try store.perform { inner in
                let volume = try inner.insert(Volume(id: 3))
                leaked = volume
                return volume
            }
            let volume = try #require(leaked)
            #expect(storeError { try volume.decode() }?.code == .scopeEnded)
            #expect(storeError { try context.delete(volume) }?.code == .scopeEnded)
            // Its id leads to it.
            #expect(try context.object(with: id).decode(\.id) == 3)
        }
    }

    @Test func `an object of the outer perform can be used in a nested one`() throws {
        let store = try store()
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try store.perform { inner in
                try volume.encode(\.title, "changed inside")
                try volume.remarks.add(inner.insert(Remark(text: "inner")))
            }
            #expect(volume.remarks.count == 2)
        }
        #expect(try store.perform { try $0.fetch(Volume.all, \.title) } == ["changed inside"])
    }

    @Test func `a handle of another perform cannot be related, added or deleted`() throws {
        let store = try store()
        var leaked: ManagedObject<Remark>?
        try store.perform { leaked = try $0.fetchOne(Remark.all) }
        let old = try #require(leaked)
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            #expect(storeError { try volume.remarks.add(old) }?.code == .scopeEnded)
            #expect(storeError { try volume.remarks.replace(with: [old]) }?.code == .scopeEnded)
            #expect(storeError { try volume.remarks.remove(old) }?.code == .scopeEnded)
            #expect(storeError { try context.delete(old) }?.code == .scopeEnded)
            #expect(!volume.remarks.contains(old))
            #expect(volume.remarks.index(of: old) == nil)
            #expect(volume.remarks.count == 1)
        }
    }

    @Test func `objects of two containers cannot be brought together`() throws {
        let one = try store()
        let other = try store()
        try one.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try other.perform { foreign in
                let remark = try #require(try foreign.fetchOne(Remark.all))
                let cover = try #require(try foreign.fetchOne(Shelf.Cover.all))
                for error in [
                    storeError { try volume.remarks.add(remark) },
                    storeError { try volume.remarks.insert(remark, at: 0) },
                    storeError { try volume.remarks.replace(with: [remark]) },
                    storeError { try volume.remarks.remove(remark) }, storeError { try context.delete(remark) },
                    storeError { try volume.set(\.cover, value: Shelf.Cover(), context: foreign) },
                    storeError { try volume.delete(\.cover, context: foreign) },
                    storeError { try volume.remarks.delete(remark, context: context) },
                ] {
                    #expect(error?.code == .otherContext)
                    #expect(error?.entity != nil)
                }
                #expect(cover.volume != nil)
            }
            #expect(volume.remarks.count == 1 && volume.cover != nil)
        }
        #expect(try other.perform { try $0.count(of: Shelf.Cover.all) } == 1)
    }
}
