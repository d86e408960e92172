import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Reading and writing a graph", .overEachStore)
struct ReadWriteTests {
    typealias Volume = Shelf.Volume
    typealias Writer = Shelf.Writer
    typealias Cover = Shelf.Cover
    typealias Remark = Shelf.Remark

    @Test func `a graph is made, read, changed and taken apart, with every inverse in step`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1, title: "Good Omens", pages: 288))
            let terry = try context.insert(Writer(id: 1, name: "Terry"))
            try volume.writers.add(terry)
            try context.insert(Writer(id: 2, name: "Neil")).volumes.add(volume)
            volume.cover = try context.insert(Cover(color: "black"))
            for text in ["one", "two", "three"] { try context.insert(Remark(text: text)).volume = volume }
            #expect(volume.remarks.count == 3)
            #expect(terry.volumes.contains(volume))
        }
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all.where(\.id == 1)))
            #expect(try Set(volume.writers.decode().map(\.name)) == ["Terry", "Neil"])
            #expect(try volume.cover?.decode() == Cover(color: "black"))
            #expect(volume.cover?.volume == volume)
            #expect(try volume.remarks.decode().map(\.text) == ["one", "two", "three"])
            #expect(volume.remarks.allSatisfy { $0.volume == volume })
            try volume.set(\.cover, value: Cover(color: "white"), context: context)
            try volume.encode(\.title, "Better Omens").encode(\.pages, 289)
            try volume.remarks.insert(context.insert(Remark(text: "zero")), at: 0)
            if let neil = volume.writers.first(where: { (try? $0.decode(\.name)) == "Neil" }) {
                try volume.writers.remove(neil)
            }
        }
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            #expect(try volume.decode() == Volume(id: 1, title: "Better Omens", pages: 289))
            #expect(try volume.remarks.decode().map(\.text) == ["zero", "one", "two", "three"])
            #expect(try volume.writers.decode() == [Writer(id: 1, name: "Terry")])
            #expect(try context.fetchOne(Writer.all.where(\.id == 2))?.volumes.isEmpty == true)
            // The old cover was unlinked and left as it was.
            #expect(try context.fetch(Cover.all.sort(\.color), \.color) == ["black", "white"])
            #expect(try context.count(of: Cover.all.where { $0.volume == nil }) == 1)
            try volume.remarks.forEach {
                try volume.remarks.remove($0)
                try context.delete($0)
            }
            #expect(volume.remarks.isEmpty)
        }
        try store.perform { context in
            #expect(try context.count(of: Remark.all) == 0)
            let volume = try #require(try context.fetchOne(Volume.all))
            #expect(volume.remarks.isEmpty)
            try volume.remarks.add(context.insert(Remark(text: "last")))
            try volume.delete(\.cover, context: context)
            #expect(volume.cover == nil)
        }
        try store.perform { try $0.delete(Volume.all) }
        try store.perform { context in
            let writers = try context.fetch(Writer.all)
            #expect(writers.count == 2 && writers.allSatisfy { $0.volumes.isEmpty })
            #expect(try context.count(of: Remark.all) == 0)
            #expect(try context.fetch(Cover.all, \.color) == ["black"])
        }
    }

    @Test func `a column is fetched in order, with an offset and a limit`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { context in
            for id in (0..<20).shuffled() { try context.insert(Volume(id: id, pages: 100 - id)) }
        }
        let found = try store.perform { context in
            (
                try context.fetch(Volume.all.sort(\.pages).limit(5).offset(3), \.id),
                try context.fetch(Volume.all.where(\.id < 4).sort(\.id, ascending: false), \.pages),
                try context.fetchOne(Volume.all.sort(\.id).offset(19), \.id),
                try context.fetchOne(Volume.all.offset(20), \.id)
            )
        }
        #expect(found.0 == [16, 15, 14, 13, 12])
        #expect(found.1 == [97, 98, 99, 100])
        #expect(found.2 == 19)
        #expect(found.3 == nil)
    }

    @Test func `a unique value that is taken makes the perform throw and saves nothing of it`() throws {
        let log = ErrorLog()
        let store = try PersistentContainer(for: Volume.self, at: .tested, logError: log.add)
        try store.perform { try $0.insert(Volume(id: 7, title: "first")) }
        let later = storeError {
            try store.perform { context in
                try context.insert(Writer(id: 1))
                try context.insert(Volume(id: 7, title: "second"))
            }
        }
        #expect(later?.code == .uniquenessViolation)
        #expect(later?.entity == "Volume")
        #expect(later?.attribute == "id")
        #expect(later?.message.contains("7") == true)
        let together = storeError {
            try store.perform { context in
                try context.insert(Volume(id: 8))
                try context.insert(Volume(id: 8))
            }
        }
        #expect(together?.code == .uniquenessViolation)
        #expect(log.codes == [.uniquenessViolation, .uniquenessViolation])
        #expect(try store.perform { try $0.fetch(Volume.all, \.title) } == ["first"])
        #expect(try store.perform { try $0.count(of: Writer.all) } == 0)
    }

    @Test func `strings that look the same but have different bytes are two unique values`() throws {
        struct Word: ManagedObjectConvertible {
            var text = ""
            static let attributes: Set<Attribute<Word>> = [.init(\.text, "text", .unique)]
        }
        let store = try PersistentContainer(for: Word.self, at: .tested)
        try store.perform { context in
            try context.insert(Word(text: "\u{e9}"))
            try context.insert(Word(text: "e\u{301}"))
        }
        #expect(try store.perform { try $0.count(of: Word.all) } == 2)
        #expect(try store.perform { try $0.count(of: Word.all.where(\.text == "\u{e9}")) } == 1)
    }

    @Test func `a hundred threads write through one container`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let log = ErrorLog()
        let group = DispatchGroup()
        for id in 0..<100 {
            group.enter()
            Thread {
                defer { group.leave() }
                do {
                    try store.perform { try $0.insert(Volume(id: id, title: "\(id)")) }
                    let own = try store.perform { try $0.decodeOne(Volume.all.where(\.id == id)) }
                    if own?.title != "\(id)" { log.add(StoreError.Missing()) }
                } catch {
                    log.add(error)
                }
            }.start()
        }
        group.wait()
        #expect(log.errors.isEmpty, "\(log.errors)")
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.id) } == Array(0..<100))
    }

    @Test func `a hundred tasks write through one container`() async throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        let titles = try await withThrowingTaskGroup(of: String?.self) { group in
            for id in 0..<100 {
                group.addTask {
                    try await store.schedule { try $0.insert(Volume(id: id, title: "\(id)")) }
                    return try await store.schedule { try $0.decodeOne(Volume.all.where(\.id == id))?.title }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1 ?? "none") }
        }
        #expect(titles == Set((0..<100).map(String.init)))
        #expect(try store.perform { try $0.count(of: Volume.all) } == 100)
    }

    @Test func `relations stay whole when many tasks fight over them and the last one wins`() async throws {
        let store = try PersistentContainer(
            for: Volume.self, at: .tested, mergePolicy: .overwriteMergePolicyType)
        try store.perform { context in
            for id in 0..<3 { try context.insert(Volume(id: id)) }
            for id in 0..<10 { try context.insert(Writer(id: id)) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for turn in 0..<60 {
                group.addTask {
                    try await store.schedule { context in
                        guard let volume = try context.fetchOne(Volume.all.where(\.id == turn % 3)),
                            let writer = try context.fetchOne(Writer.all.where(\.id == turn % 10))
                        else { throw StoreError.Missing() }
                        try volume.encode(\.pages, turn)
                        if turn % 4 == 0 { try volume.writers.remove(writer) } else { try volume.writers.add(writer) }
                        volume.cover = try context.insert(Cover(color: "\(turn)"))
                        try volume.remarks.add(context.insert(Remark(text: "\(turn)")))
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.perform { context in
            for volume in try context.fetch(Volume.all) {
                #expect(volume.cover?.volume == volume)
                #expect(volume.writers.allSatisfy { $0.volumes.contains(volume) })
                #expect(volume.remarks.allSatisfy { $0.volume == volume })
                #expect(volume.remarks.count == 20)
            }
            for writer in try context.fetch(Writer.all) {
                #expect(writer.volumes.allSatisfy { $0.writers.contains(writer) })
            }
            #expect(try context.count(of: Cover.all) == 60)
            // A cover that two tasks replaced at once lets go too.
            #expect(try context.count(of: Cover.all.where { $0.volume != nil }) == 3)
        }
    }
}

extension StoreError {
    /// What these tests throw when something is not there that ought to be.
    struct Missing: Error {}
}
