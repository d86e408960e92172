import Foundation
import Sworm
import TestSupport
import Testing

@Suite("perform inside perform, and one state to read", .overEachStore)
struct NestedPerformTests {
    typealias Volume = Shelf.Volume

    @Test func `a nested perform sees the outer's changes, and is saved with it`() throws {
        let folder = try StoreFolder()
        let store = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let other = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        try store.perform { context in
            try context.insert(Volume(id: 1, title: "outer"))
            try store.perform { inner in
                #expect(try inner.fetch(Volume.all, \.title) == ["outer"])
                try inner.fetchOne(Volume.all)?.encode(\.title, "inner")
                try inner.insert(Volume(id: 2))
                try store.perform { innermost in
                    #expect(try innermost.count(of: Volume.all) == 2)
                    try innermost.insert(Volume(id: 3))
                }
            }
            #expect(try context.decode(Volume.all.sort(\.id)).map(\.title) == ["inner", "", ""])
            // Nothing is saved before the outer one ends.
            #expect(try other.perform { try $0.count(of: Volume.all) } == 0)
        }
        #expect(try other.perform { try $0.fetch(Volume.all.sort(\.id), \.id) } == [1, 2, 3])
    }

    @Test func `a nested perform that was joined is undone with the outer one`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        #expect(throws: StoreError.Missing.self) {
            try store.perform { _ in
                try store.perform { try $0.insert(Volume(id: 1)) }
                throw StoreError.Missing()
            }
        }
        #expect(try store.perform { try $0.count(of: Volume.all) } == 0)
    }

    @Test func `one that fails is undone alone, at any depth and more than once`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested)
        try store.perform { try $0.insert(Volume(id: 0, pages: 1)) }
        try store.perform { context in
            let volume = try #require(try context.fetchOne(Volume.all))
            try volume.encode(\.pages, 2)
            for _ in 0..<3 {
                #expect(throws: StoreError.Missing.self) {
                    try store.perform { inner in
                        try volume.encode(\.pages, 3)
                        try inner.insert(Volume(id: 1))
                        try store.perform { innermost in
                            try innermost.delete(Volume.all)
                            #expect(try innermost.count(of: Volume.all) == 0)
                        }
                        throw StoreError.Missing()
                    }
                }
                #expect(try volume.decode(\.pages) == 2)
                #expect(try context.count(of: Volume.all) == 1)
            }
            try store.perform { inner in
                try inner.insert(Volume(id: 2))
                _ = storeError {
                    try store.perform { innermost in
                        try innermost.insert(Volume(id: 3))
                        throw StoreError.Missing()
                    }
                }
            }
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.pages) } == [2, 0])
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.id) } == [0, 2])
    }

    @Test func `a perform of another container does not join`() throws {
        let one = try PersistentContainer(for: Volume.self, at: .tested)
        let other = try PersistentContainer(for: Volume.self, at: .tested)
        #expect(throws: StoreError.Missing.self) {
            try one.perform { context in
                try context.insert(Volume(id: 1))
                try other.perform { try $0.insert(Volume(id: 1)) }
                throw StoreError.Missing()
            }
        }
        #expect(try one.perform { try $0.count(of: Volume.all) } == 0)
        #expect(try other.perform { try $0.count(of: Volume.all) } == 1)
    }

    @Test func `everything that one perform reads is of one moment`() throws {
        let folder = try StoreFolder()
        let store = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let writer = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        try store.perform { context in
            let volume = try context.insert(Volume(id: 1, title: "old"))
            try volume.remarks.add(context.insert(Shelf.Remark(text: "old")))
        }
        try store.perform { context in
            #expect(try context.count(of: Volume.all) == 1)
            try writer.perform { other in
                let volume = try #require(try other.fetchOne(Volume.all))
                try volume.encode(\.title, "new")
                try volume.remarks.add(other.insert(Shelf.Remark(text: "new")))
                try other.insert(Volume(id: 2))
            }
            #expect(try writer.perform { try $0.count(of: Volume.all) } == 2)
            #expect(try context.decode(Volume.all).map(\.title) == ["old"])
            #expect(try context.fetch(Volume.all, \.title) == ["old"])
            #expect(try context.fetchOne(Volume.all)?.decode().title == "old")
            #expect(try context.fetchOne(Volume.all)?.remarks.decode().map(\.text) == ["old"])
            var seen: [String] = []
            try context.forEach(Volume.all) { seen.append($0.title) }
            #expect(seen == ["old"])
        }
        #expect(try store.perform { try $0.fetch(Volume.all.sort(\.id), \.title) } == ["new", ""])
    }

    @Test func `concurrent changes do not affect an iteration over rows`() throws {
        let folder = try StoreFolder()
        let store = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let writer = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        try store.perform { context in for id in 0..<500 { try context.insert(Volume(id: id)) } }
        let seen = try store.perform { context in
            var seen: [Int] = []
            try context.forEach(Volume.all.sort(\.id)) { volume in
                seen.append(volume.id)
                if volume.id == 3 {
                    try context.insert(Volume(id: 1000))
                    try context.delete(Volume.all.where(\.id == 400))
                    try writer.perform { try $0.delete(Volume.all.where(\.id == 450)) }
                    var inner = 0
                    try context.forEach(Volume.all) { _ in inner += 1 }
                    #expect(inner == 500)
                }
            }
            return seen
        }
        #expect(seen == Array(0..<500))
        #expect(try store.perform { try $0.count(of: Volume.all) } == 499)
    }

    @Test(.over(.file, .server)) func `a reading perform does not block writers`() throws {
        let store = try PersistentContainer(for: Volume.self, at: .tested, timeout: 5)
        try store.perform { context in
            let before = try context.count(of: Volume.all)
            let isWritten = onOtherThread { (try? store.perform { try $0.insert(Volume(id: 1)) }) != nil }
            #expect(isWritten == true)
            #expect(try context.count(of: Volume.all) == before && before == 0)
        }
    }

    #if !canImport(CoreData)
    @Test(arguments: [true, false])
    func `calls join while rows of a transaction are being read, and write when the last was read`(
        _ isWrite: Bool
    ) throws {
        let folder = try StoreFolder()
        for location in [StoreLocation.memory, .file(folder.file())] {
            let store = try PersistentContainer(for: Volume.self, at: location)
            try store.perform { try $0.insert(contentsOf: (1...3).map { Volume(id: $0) }) }
            var sums: [Int] = []
            func work(_ context: ManagedObjectContext) throws {
                // From here on a perform has a transaction, too.
                try context.update(Volume.all, set: (\.pages, 1))
                try context.forEach(Volume.all) { _ in
                    let read = try store.read { try $0.count(of: Volume.all) }
                    let performed = try store.perform { try $0.count(of: Volume.all) }
                    let written = try store.write { try $0.count(of: Volume.all) }
                    sums.append(read + performed + written)
                    #expect(throws: StoreError.Missing.self) { try store.perform { _ in throw StoreError.Missing() } }
                    // A bulk write throws, and nothing else goes with it.
                    #expect(storeError { try store.perform { try $0.update(Volume.all, set: (\.pages, 7)) } } != nil)
                }
                #expect(throws: StoreError.Missing.self) {
                    try store.perform { inner in
                        try store.perform { try $0.update(Volume.all, set: (\.pages, 2)) }
                        try store.perform { _ = try $0.count(of: Volume.all) }
                        try inner.update(Volume.all, set: (\.pages, 3))
                        throw StoreError.Missing()
                    }
                }
                try store.perform { try $0.update(Volume.all.where(\.id == 3), set: (\.pages, 4)) }
            }
            if isWrite { try store.write(work) } else { try store.perform(action: work) }
            #expect(sums == [9, 9, 9])
            #expect(try store.read { try $0.fetch(Volume.all.sort(\.id), \.pages) } == [1, 1, 4])
        }
    }
    #endif
}
