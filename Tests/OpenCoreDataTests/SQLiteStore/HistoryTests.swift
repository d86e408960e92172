import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import Testing

extension StoreFolder {
    func openWithHistory(_ model: CompiledModel = LibraryModel.model) throws -> SQLiteStore {
        try open(model) { $0.tracksHistory = true }
    }

    /// Type, entity, key, transaction and changed properties of each change.
    func changes(after transaction: Int = 0) throws -> [String] {
        try raw().lines(
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, hex(ZCOLUMNS) FROM ACHANGE WHERE ZTRANSACTIONID > \(transaction) ORDER BY Z_PK"
        )
    }
}

@Suite("The history of writes")
struct HistoryTests {
    private let model = LibraryModel.model

    private func row(_ entity: Int, _ key: Int64) -> RowID { .init(entity: entity, key: key) }

    private func verify(_ folder: StoreFolder, _ store: SQLiteStore, _ model: CompiledModel? = nil) throws {
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model ?? self.model) == [])
    }

    @Test func `inserted, updated and deleted objects each get a row, in one transaction a save`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        let before = Date().timeIntervalSinceReferenceDate
        var request = SaveRequest()
        request.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        request.insert(model[LibraryModel.comic], key: -2, ["title": .string("Maus")])
        try store.save(request)
        #expect(try folder.changes() == ["0|1|1|1|", "0|3|1|1|"])

        request = SaveRequest()
        request.update(row(LibraryModel.author, 1), version: 1, in: model, ["name": .string("Lev"), "age": .int(82)])
        request.update(row(LibraryModel.comic, 1), version: 1, in: model, ["isColored": .bool(false)])
        try store.save(request)
        // Age and name are the first two of three bits. Before isColored come the author, the order key of the author's books, and the
        // attributes of Book.
        #expect(try folder.changes(after: 1) == ["1|1|1|2|C0", "1|3|1|2|04"])

        request = SaveRequest()
        request.deletions = [.init(row: row(LibraryModel.author, 1), version: 2)]
        try store.save(request)
        #expect(try folder.changes(after: 2) == ["2|1|1|3|"])

        let raw = try folder.raw()
        #expect(try raw.lines("SELECT DISTINCT Z_ENT, Z_OPT FROM ACHANGE") == ["16001|NULL"])
        #expect(try raw.lines("SELECT Z_PK, Z_ENT, Z_OPT FROM ATRANSACTION") == (1...3).map { "\($0)|16002|NULL" })
        let after = Date().timeIntervalSinceReferenceDate
        #expect(
            try raw.lines("SELECT count(*) FROM ATRANSACTION WHERE ZTIMESTAMP BETWEEN \(before) AND \(after)") == ["3"])
        #expect(
            try raw.lines("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
                "16001|CHANGE|0|5", "16002|TRANSACTION|0|3", "16003|TRANSACTIONSTRING|0|2",
            ])
        try verify(folder, store)
    }

    @Test func `a save that changes nothing writes no transaction`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        let (book, tag) = (try store.insert(LibraryModel.book), try store.insert(LibraryModel.tag))
        let link = SaveRequest.link(book, "tags", tag, in: model)
        var request = SaveRequest()
        request.author = "nobody"
        try store.save(request)
        request.removedLinks = [link]
        request.deletions = [.init(row: row(LibraryModel.author, 7), version: nil)]
        try store.save(request)
        try store.setMetadata(["key": "value"])
        try store.save(SaveRequest())
        #expect(try folder.changes(after: 2) == [])
        #expect(try folder.raw().lines("SELECT count(*) FROM ATRANSACTION") == ["2"])
        request = SaveRequest()
        request.addedLinks = [link]
        try store.save(request)
        try store.save(request)
        #expect(try folder.changes(after: 2).count == 2)
        #expect(try folder.raw().lines("SELECT count(*) FROM ATRANSACTION") == ["3"])
        try verify(folder, store)
    }

    @Test func `a link in a join table is an update of both objects, each named once`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        let comic = try store.insert(LibraryModel.comic)
        let tags = try (1...2).map { _ in try store.insert(LibraryModel.tag) }
        let friends = try (1...2).map { _ in try store.insert(LibraryModel.friend) }
        var request = SaveRequest()
        // The comic is named as a book, as a relationship that leads to books may do.
        request.addedLinks = tags.map { SaveRequest.link(row(LibraryModel.book, comic.key), "tags", $0, in: model) }
        request.addedLinks.append(SaveRequest.link(friends[0], "friends", friends[1], in: model))
        request.update(comic, version: 1, in: model, ["title": .string("Maus")])
        try store.save(request)
        #expect(
            Set(try folder.changes(after: 5)) == ["1|3|1|6|11", "1|7|1|6|40", "1|7|2|6|40", "1|4|1|6|40", "1|4|2|6|40"])
        #expect(try folder.raw().lines("SELECT Z_OPT FROM ZTAG UNION SELECT Z_OPT FROM ZFRIEND") == ["1"])

        request = SaveRequest()
        request.removedLinks = [SaveRequest.link(comic, "tags", tags[0], in: model)]
        try store.save(request)
        #expect(Set(try folder.changes(after: 6)) == ["1|3|1|7|01", "1|7|1|7|40"])

        request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1)
        request.addedLinks = [SaveRequest.link(comic, "tags", row(LibraryModel.tag, -1), in: model)]
        request.deletions = [.init(row: tags[1], version: 1), .init(row: friends[0], version: 1)]
        try store.save(request)
        #expect(
            Set(try folder.changes(after: 7)) == [
                "0|7|3|8|", "1|3|1|8|01", "1|4|2|8|40", "2|7|2|8|", "2|4|1|8|",
            ])
        try verify(folder, store)
    }

    @Test func `a to-one names the owners of its inverse, the old one and the new one`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        let authors = try ["a", "b"].map { try store.insert(LibraryModel.author, ["name": .string($0)]) }
        let book = try store.insert(LibraryModel.book, [:], ["author": authors[0]])
        #expect(try folder.changes(after: 2) == ["0|2|1|3|", "1|1|1|3|20"])
        var request = SaveRequest()
        request.update(book, version: 1, in: model, [:], ["author": authors[1]])
        try store.save(request)
        #expect(try folder.changes(after: 3) == ["1|2|1|4|80", "1|1|1|4|20", "1|1|2|4|20"])
        request = SaveRequest()
        request.update(book, version: 2, in: model, [:], ["author": authors[1]])
        try store.save(request)
        #expect(try folder.changes(after: 4) == ["1|2|1|5|80"])
        request = SaveRequest()
        request.deletions = [.init(row: book, version: 3), .init(row: authors[0], version: 1)]
        try store.save(request)
        #expect(try folder.changes(after: 5) == ["1|1|2|6|20", "2|2|1|6|", "2|1|1|6|"])
        try verify(folder, store)
    }

    @Test func `another order, and members that know nothing of it, are changes of the owner alone`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        let author = try store.insert(LibraryModel.author)
        let book = try store.insert(LibraryModel.book, [:], ["author": author])
        let shelf = try store.insert(LibraryModel.shelf)
        let page = try store.insert(LibraryModel.page)
        var request = SaveRequest()
        request.positions = [.init(link: SaveRequest.link(author, "books", book, in: model), orderKey: 7)]
        request.addedLinks = [SaveRequest.link(shelf, "contents", page, in: model)]
        try store.save(request)
        #expect(Set(try folder.changes(after: 4)) == ["1|1|1|5|20", "1|6|1|5|40"])
        try verify(folder, store)
    }

    @Test func `the bits of changed properties continue in the next byte`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory(TypesModel.model)
        let row = try store.insert(1)
        var request = SaveRequest()
        request.update(row, version: 1, in: TypesModel.model, ["uuid": .uuid(UUID()), "binary": .data(Data())])
        request.updates[0].attributes[99] = .null
        try store.save(request)
        #expect(try folder.changes(after: 1) == ["1|1|1|2|8004"])
        try verify(folder, store, TypesModel.model)
    }

    @Test func `author and context are strings that are kept once`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSPersistentHistoryTrackingKey: true])
        let context = GraphLibrary.context(coordinator)
        for (author, name) in [("ann", "main"), ("ann", "side"), (nil, nil), ("", "ann")] {
            context.transactionAuthor = author
            context.name = name
            try context.make("Tag")
            try context.save()
        }
        let raw = try folder.raw()
        let process = ProcessInfo.processInfo.processName
        #expect(
            try raw.lines(
                "SELECT a.ZNAME, c.ZNAME FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS ORDER BY t.Z_PK"
            ) == ["ann|main", "ann|side", "NULL|NULL", "NULL|ann"])
        #expect(
            try raw.lines("SELECT DISTINCT ZNAME FROM ATRANSACTION JOIN ATRANSACTIONSTRING s ON s.Z_PK = ZPROCESSIDTS")
                == [process])
        #expect(try raw.lines("SELECT count(*) FROM ATRANSACTION WHERE ZBUNDLEIDTS IS NULL") == ["0"])
        let texts = Set(["ann", "main", "side", process, Bundle.main.bundleIdentifier ?? "local.\(process)"])
        #expect(try raw.lines("SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY ZNAME COLLATE BINARY") == texts.sorted())
        #expect(try raw.lines("SELECT DISTINCT Z_ENT, Z_OPT FROM ATRANSACTIONSTRING") == ["16003|NULL"])
        #expect(try raw.lines("SELECT ZAUTHOR, ZPROCESSID, ZQUERYGEN FROM ATRANSACTION LIMIT 1") == ["NULL|NULL|NULL"])
        #expect(try StoreVerification.issues(of: folder.url(), model: GraphLibrary.model().compiled()) == [])
    }

    @Test func `changes of objects of a context are in the history, including relationships`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSPersistentHistoryTrackingKey: true])
        let context = GraphLibrary.context(coordinator)
        let novel = try context.make("Novel", ["title": "War"])
        let tag = try context.make("Tag", ["name": "long"])
        try context.save()
        novel.mutableSetValue(forKey: "tags").add(tag)
        novel.setValue("kept in memory", forKey: "scratch")
        try context.save()
        let model = try GraphLibrary.model().compiled()
        let (book, other) = (try #require(model.entity(named: "Novel")), try #require(model.entity(named: "Tag")))
        // author shelf, isbn stock title year genre, reviews tags; name, books
        #expect(
            Set(try folder.changes(after: 1)) == ["1|\(book.number)|1|2|0080", "1|\(other.number)|1|2|40"])
        tag.setValue("longer", forKey: "name")
        context.delete(novel)
        try context.save()
        #expect(Set(try folder.changes(after: 2)) == ["1|\(other.number)|1|3|C0", "2|\(book.number)|1|3|"])
    }

    @Test func `a save that fails leaves no row, and one that is written a second time names each object once`() throws
    {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        let authors = try ["a", "b"].map { try store.insert(LibraryModel.author, ["name": .string($0)]) }
        var request = SaveRequest()
        request.author = "new here"
        request.insert(model[LibraryModel.tag], key: -1)
        request.insert(model[LibraryModel.author], key: -2, ["name": .string("a")])
        #expect(throws: UniquenessConflicts.self) { try store.save(request) }
        request.insertions.removeLast()
        request.update(authors[0], version: 9, in: model, ["age": .int(1)])
        #expect(throws: SaveConflicts.self) { try store.save(request) }
        #expect(try folder.changes(after: 2) == [])
        #expect(try folder.raw().lines("SELECT count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'new here'") == ["0"])
        request = SaveRequest()
        request.update(authors[0], version: 1, in: model, ["name": .string("b")])
        request.update(authors[1], version: 1, in: model, ["name": .string("a")])
        try store.save(request)
        #expect(try folder.changes(after: 2) == ["1|1|1|3|40", "1|1|2|3|40"])
        try verify(folder, store)
    }
}
