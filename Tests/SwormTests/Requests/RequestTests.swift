@testable import Sworm
import SwormPredicates
import Testing

@Suite("Requests")
struct RequestTests {
    @Test func `a request for everything has nothing in it`() throws {
        #expect(try Book.all.predicateTree() == nil)
        #expect(Book.all.sorts.isEmpty && Book.all.content.limit == nil && Book.all.content.offset == 0)
    }

    @Test func `chained conditions must all hold`() {
        let request = Book.all.where(\.year > 3).where { $0.title == "x" }.where(raw: "rating == nil").where("year < 9")
        #expect(
            request.condition?.format == "(((year > %@) AND (title == %@)) AND (rating == %@)) AND (year < %@)")
    }

    @Test func `a condition can be replaced`() {
        let request = Book.all.where(\.year > 3)
        #expect(request.replacingWhere(\.title == "x").condition?.format == "title == %@")
        #expect(request.replacingWhere { $0.title == "x" }.condition?.format == "title == %@")
        #expect(request.condition?.format == "year > %@")
    }

    @Test func `a failure is replaced with its condition`() {
        #expect(throws: StoreError.self) { try Book.all.where(\.cover == "x").where(\.year > 3).validate() }
        #expect(throws: Never.self) { try Book.all.where(\.cover == "x").replacingWhere(\.year > 3).validate() }
    }

    @Test func `orders, the most significant first`() {
        let request = Book.all.sort(\.title).sort(\.rating, ascending: false).sort(\Book.year)
            .sort(\.author.name).sort(\.reviews.count, ascending: false)
        #expect(
            request.sorts == [
                SortKey(path: ["title"], ascending: true), SortKey(path: ["rating"], ascending: false),
                SortKey(path: ["year"], ascending: true), SortKey(path: ["author", "name"], ascending: true),
                SortKey(path: ["reviews", "@count"], ascending: false),
            ])
        #expect(throws: Never.self) { try request.validate() }
    }

    @Test func `orders that make no sense are failures`() {
        #expect(throws: StoreError.self) { try Book.all.sort(\.cover).validate() }
        #expect(throws: StoreError.self) { try Book.all.sort(\.reviews.any.mark).validate() }
    }

    @Test func `limit and offset`() {
        let request = Book.all.limit(10).offset(20)
        #expect(request.content.limit == 10 && request.content.offset == 20)
        #expect(request.limit(0).content.limit == 0)
        #expect(throws: StoreError.self) { try Book.all.limit(-1).validate() }
        #expect(throws: StoreError.self) { try Book.all.offset(-1).predicateTree() }
    }

    @Test func `a request can be sent`() async {
        let request = Book.all.where { $0.year > 3 }.sort(\.title)
        let format = await Task.detached { request.condition?.format }.value
        #expect(format == "year > %@")
    }

    /// Entities behind a protocol of their own, with a key path in a static member.
    @Test func `a protocol may extend the protocol`() {
        #expect(newest(Book.self).condition?.format == "year > %@")
    }

    private func newest<T: Dated>(_ type: T.Type) -> Request<T> {
        T.all.where(T.moment > 3)
    }
}

protocol Dated: ManagedObjectConvertible {
    static var moment: WritableKeyPath<Self, Int> { get }
}

extension Book: Dated {
    static var moment: WritableKeyPath<Book, Int> { \.year }
}
