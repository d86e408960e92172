import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormSQLite
import Testing

/// Derived values in a file that are not what their derivations give.
@Suite struct DerivedIssueTests {
    private func filled() throws -> StoreFolder {
        let folder = try StoreFolder()
        let context = try DerivedLibrary.context(at: folder.url())
        let leo = try context.make("Author", ["name": "Émile ZOLA"])
        _ = try context.make("Author", ["name": "Anna"])
        let book = try context.make("Book", ["title": "Straße", "author": leo])
        let novel = try context.make("Novel", ["title": "Nana", "genre": "Réalisme", "author": leo])
        for words in [5, 7, 9] { _ = try context.make("Page", ["words": words, "book": book]) }
        let tags = try [0.1, 0.2, 0.3].map { try context.make("Tag", ["weight": $0]) }
        novel.setValue(Set(tags), forKey: "tags")
        let (one, two) = (try context.make("Person"), try context.make("Person"))
        one.setValue(Set([two]), forKey: "friends")
        try context.save()
        return folder
    }

    private func findings(_ folder: StoreFolder) throws -> [StoreIssue] {
        try StoreVerification.findings(of: folder.url(), model: DerivedLibrary.model().compiled())
    }

    @Test func `values that a save has computed are not issues`() throws {
        #expect(try findings(filled()) == [])
    }

    @Test(arguments: [
        ("UPDATE ZBOOK SET ZPAGECOUNT = 2 WHERE ZTITLE = 'Straße'", "Book.pageCount: 1 values", "count:(pages)"),
        ("UPDATE ZBOOK SET ZPAGECOUNT = 9", "Book.pageCount: 2 values", "count:(pages)"),
        ("UPDATE ZBOOK SET ZWORDS = 22 WHERE ZTITLE = 'Straße'", "Book.words: 1 values", "sum:(pages.words)"),
        ("UPDATE ZBOOK SET ZLONGEST = NULL", "Book.longest: 1 values", "pages.@max.words"),
        ("UPDATE ZBOOK SET ZAUTHORNAME = 'Leo' WHERE ZTITLE = 'Nana'", "Book.authorName: 1 values", "author.name"),
        ("UPDATE ZBOOK SET ZTAGCOUNT = 1", "Book.tagCount: 2 values", "count:(tags)"),
        ("UPDATE ZBOOK SET ZTAGWEIGHT = 0.7 WHERE ZTITLE = 'Nana'", "Book.tagWeight: 1 values", "sum:(tags.weight)"),
        ("UPDATE ZBOOK SET ZLOUD = 'Nana' WHERE ZTITLE = 'Nana'", "Book.loud: 1 values", "uppercase:(title)"),
        ("UPDATE ZBOOK SET ZQUIET = 'other'", "Book.quiet: 2 values", "lowercase:(title)"),
        ("UPDATE ZBOOK SET ZPLAINGENRE = 'romance' WHERE ZTITLE = 'Nana'", "Novel.plainGenre: 1", "canonical:(genre)"),
        ("UPDATE ZPAGE SET ZWRITER = NULL", "Page.writer: 3 values", "book.author.name"),
        ("UPDATE ZAUTHOR SET ZBOOKCOUNT = ZBOOKCOUNT + 1", "Author.bookCount: 2 values", "books.@count"),
        ("UPDATE ZPERSON SET ZFRIENDCOUNT = 0", "Person.friendCount: 2 values", "count:(friends)"),
    ])
    func `a value that its derivation does not give is found`(sql: String, says: String, derivation: String) throws {
        let folder = try filled()
        try folder.raw().execute(sql)
        let issues = try findings(folder)
        #expect(issues.map(\.kind) == [.derived])
        let message = issues.first?.message ?? ""
        #expect(message.hasPrefix(says) && message.hasSuffix("values differ from \(derivation)"), "\(message)")
        // It is no damage of the file: whatever changes the object makes it good.
        #expect(try StoreVerification.issues(of: folder.url(), model: DerivedLibrary.model().compiled()) == [])
    }

    @Test(arguments: [
        // A sum in another order, the sum of nothing, other letters, the time of a save.
        "UPDATE ZBOOK SET ZTAGWEIGHT = 0.6000000000000001 WHERE ZTITLE = 'Nana'",
        "UPDATE ZBOOK SET ZWORDS = NULL, ZPAGECOUNT = NULL WHERE ZTITLE = 'Nana'",
        "UPDATE ZBOOK SET ZLOUD = 'STRAßE' WHERE ZTITLE = 'Straße'", "UPDATE ZBOOK SET ZSAVED = 5",
    ])
    func `a difference that another program may have caused is not an issue`(sql: String) throws {
        let folder = try filled()
        try folder.raw().execute(sql)
        #expect(try findings(folder) == [])
    }

    @Test func `a sum beyond all integers ends no check`() throws {
        let folder = try filled()
        try folder.raw().execute(
            "DROP TRIGGER IF EXISTS Z_DA_ZPAGE_Book_words; UPDATE ZPAGE SET ZWORDS = 9223372036854775807")
        let kinds = Set(try findings(folder).map(\.kind))
        #expect(kinds == [.type, .derived])
    }
}
