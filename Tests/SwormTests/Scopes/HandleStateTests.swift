import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Handles of deleted objects, on other threads, and failing assignments", .overEachStore)
struct HandleStateTests {
    typealias Volume = Shelf.Volume
    typealias Remark = Shelf.Remark
    typealias Cover = Shelf.Cover

    private func store(_ log: ErrorLog = ErrorLog()) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log.add)
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1, title: "kept"))
            for text in ["a", "b"] { try volume.remarks.add(context.insert(Remark(text: text))) }
            volume.cover = try context.insert(Cover(color: "red"))
        }
        return store
    }

    // MARK: Deleted

    @Test func `a deleted object throws and names itself`() throws {
        let log = ErrorLog()
        let store = try store(log)
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            let remark = try #require(volume.remarks.first)
            try context.delete(volume)
            for error in [
                storeError { try volume.decode() }, storeError { try volume.encode(\.title, "x") },
                storeError { try context.delete(volume) }, storeError { try volume.remarks.removeAll() },
                storeError { try volume.set(\.cover, value: nil, context: context) },
                // It went along with its volume.
                storeError { try remark.decode() },
            ] {
                #expect(error?.code == .objectDeleted)
                #expect(error?.message.contains(" p") == true, "\(error?.message ?? "none")")
            }
            #expect(volume.cover == nil && volume.remarks.isEmpty)
        }
        #expect(Set(log.codes) == [.objectDeleted])
        #expect(try store.perform { try $0.count(of: Remark.all) } == 0)
    }

    @Test func `an object that was deleted before it was saved throws`() throws {
        let store = try store()
        try store.perform { context in
            let remark = try context.insert(Remark(text: "short"))
            let volume = try #require(try context.fetchOne(Volume.all))
            try volume.remarks.add(remark)
            try context.delete(remark)
            #expect(storeError { try remark.decode() }?.code == .objectDeleted)
            #expect(storeError { try remark.encode(\.text, "x") }?.code == .objectDeleted)
            #expect(storeError { try volume.remarks.add(remark) }?.code == .objectDeleted)
            #expect(remark.volume == nil)
            #expect(volume.remarks.count == 2)
            #expect(try context.count(of: Remark.all) == 2)
        }
        #expect(try store.perform { try $0.fetch(Remark.all.sort(\.text), \.text) } == ["a", "b"])
    }

    @Test func `an object whose row was deleted from the store throws`() throws {
        let folder = try StoreFolder()
        let store = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let other = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let id = try store.perform { try $0.insert(Volume(id: 1)) }
        try other.perform { try $0.delete(Volume.all) }
        let error = storeError { try store.perform { try $0.object(with: id).decode() } }
        #expect(error?.code == .objectNotFound)
        #expect(error?.entity == "Volume")
        #expect(error?.message.contains("p1") == true)
    }

    @Test func `changes of a failed nested perform are undone, including deletions`() throws {
        let store = try store()
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            let fresh = try context.insert(Remark(text: "fresh"))
            try volume.remarks.add(fresh)
            let remarks = volume.remarks
            #expect(throws: StoreError.Missing.self) {
                try store.perform { inner in
                    try volume.remarks.add(inner.insert(Remark(text: "inner")))
                    #expect(remarks.count == 4)
                    try inner.delete(fresh)
                    try inner.delete(Remark.all.where(\.text == "a"))
                    try volume.encode(\.title, "inner")
                    volume.cover = nil
                    throw StoreError.Missing()
                }
            }
            #expect(try fresh.decode() == Remark(text: "fresh"))
            #expect(fresh.volume == volume)
            #expect(try remarks.decode().map(\.text) == ["a", "b", "fresh"])
            #expect(try volume.decode(\.title) == "kept")
            #expect(volume.cover != nil)
            #expect(try context.decode(Remark.all.sort(\.text)).map(\.text) == ["a", "b", "fresh"])
        }
        #expect(try store.perform { try $0.fetchOne(Volume.all)?.remarks.decode().map(\.text) } == ["a", "b", "fresh"])
    }

    @Test func `a handle on an object that a failed nested perform inserted throws`() throws {
        let store = try store()
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            var last: ManagedObject<Remark>?
            #expect(throws: StoreError.Missing.self) {
                try store.perform { inner in
                    try volume.remarks.add(inner.insert(Remark(text: "inner")))
                    // A handle of the outer perform on an object of the inner one.
                    last = volume.remarks.last
                    throw StoreError.Missing()
                }
            }
            let undone = try #require(last)
            #expect(storeError { try undone.decode() }?.code == .objectDeleted)
            #expect(storeError { try volume.remarks.add(undone) }?.code == .objectDeleted)
        }
    }

    // MARK: Threads

    @Test func `another thread cannot use objects of a running perform`() throws {
        let log = ErrorLog()
        let store = try store(log)
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            let smuggled = Smuggled(value: (context, volume))
            let errors = onOtherThread {
                let (context, volume) = smuggled.value
                _ = volume.id
                #expect(volume.cover == nil)
                #expect(volume.remarks.isEmpty)
                return [
                    storeError { try volume.decode() }, storeError { try volume.encode(\.title, "x") },
                    storeError { try context.fetch(Volume.all) }, storeError { try context.delete(volume) },
                    storeError { try volume.remarks.removeAll() }, storeError { try context.insert(Volume(id: 9)) },
                ]
            }
            for error in errors ?? [] {
                #expect(error?.code == .wrongThread)
                #expect(error?.entity == "Volume")
            }
            #expect(errors?.count == 6)
            #expect(errors?.first??.message.contains("Volume p1") == true)
            #expect(try volume.decode(\.title) == "kept")
        }
        #expect(log.codes == [.wrongThread, .wrongThread])
    }

    @Test(.over(.file, .server)) func `a perform of another thread is a perform of its own`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            try context.insert(Volume(id: 1))
            let seen = onOtherThread { try? store.perform { try $0.count(of: Volume.all) } }
            #expect(seen == 0)
        }
    }

    // MARK: Assignments

    @Test func `an assignment to a relation that fails makes the perform throw and saves nothing`() throws {
        let log = ErrorLog()
        let store = try store(log)
        var leaked: ManagedObject<Cover>?
        try store.perform { leaked = try $0.fetchOne(Cover.all) }
        let old = try #require(leaked)
        let error = storeError {
            try store.perform { context in
                let volume = try #require(try context.fetchOne(Volume.all))
                try volume.encode(\.title, "never")
                volume.cover = old
            }
        }
        #expect(error?.code == .scopeEnded)
        #expect(error?.entity == "Cover")
        #expect(log.codes == [.scopeEnded])
        #expect(try store.perform { try $0.fetch(Volume.all, \.title) } == ["kept"])
        #expect(try store.perform { try $0.fetchOne(Volume.all)?.cover != nil } == true)
    }

    @Test func `an assignment through a handle that has ended makes the present perform throw`() throws {
        let log = ErrorLog()
        let store = try store(log)
        var leaked: ManagedObject<Volume>?
        try store.perform { leaked = try $0.fetchOne(Volume.all) }
        let old = try #require(leaked)
        let error = storeError { try store.perform { old.cover = try $0.insert(Cover(color: "blue")) } }
        #expect(error?.code == .scopeEnded)
        let cleared = storeError { try store.perform { _ in old.cover = nil } }
        #expect(cleared?.code == .scopeEnded)
        #expect(log.codes == [.scopeEnded, .scopeEnded])
        // Outside of any perform there is nothing to throw from.
        old.cover = nil
        #expect(log.codes.count == 3)
        #expect(try store.perform { try $0.fetch(Cover.all, \.color) } == ["red"])
    }

    @Test func `a failed assignment in a nested perform undoes that one alone`() throws {
        let store = try store()
        var leaked: ManagedObject<Cover>?
        try store.perform { leaked = try $0.fetchOne(Cover.all) }
        let old = try #require(leaked)
        try store.perform { context in
            try context.insert(Volume(id: 2, title: "outer"))
            let error = storeError {
                try store.perform { inner in
                    try inner.insert(Volume(id: 3, title: "inner")).cover = old
                }
            }
            #expect(error?.code == .scopeEnded)
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.title) } == ["kept", "outer"])
    }

    @Test func `a failed assignment is logged when the closure throws something else`() throws {
        let log = ErrorLog()
        let store = try store(log)
        var leaked: ManagedObject<Cover>?
        try store.perform { leaked = try $0.fetchOne(Cover.all) }
        let old = try #require(leaked)
        #expect(throws: StoreError.Missing.self) {
            try store.perform { context in
                try context.fetchOne(Volume.all)?.cover = old
                throw StoreError.Missing()
            }
        }
        #expect(log.codes == [.scopeEnded])
        #expect(log.errors.contains { $0 is StoreError.Missing })
    }

    @Test func `a strict container stops the program at a misuse that cannot be thrown`() async {
        await #expect(processExitsWith: .failure) {
            let store = try PersistentContainer(for: Shelf.Volume.self, at: .tested, strict: true)
            var leaked: ManagedObject<Shelf.Volume>?
            try store.perform { leaked = try $0.insert(Shelf.Volume(id: 1)) }
            _ = leaked?.cover
        }
        await #expect(processExitsWith: .success) {
            let store = try PersistentContainer(for: Shelf.Volume.self, at: .tested, strict: true)
            try store.perform { _ = try $0.insert(Shelf.Volume(id: 1)).cover }
            _ = storeError { try store.perform { _ in throw StoreError.Missing() } }
        }
    }
}
