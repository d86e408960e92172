import Foundation
import Sworm
import SwormPredicates
import Testing

@Suite("Object ids")
struct ManagedObjectIDTests {
    @Test func `the URL form points back to the id`() throws {
        let id = ManagedObjectID<Book>(
            ObjectReference(storeIdentifier: "0F9C2A5E-79B2-4C64-B6E1-0E3C1D0A7C11", entityName: "Book", key: 42))
        #expect(id.description == "x-coredata://0F9C2A5E-79B2-4C64-B6E1-0E3C1D0A7C11/Book/p42")
        #expect(try ManagedObjectID<Book>(id.uriRepresentation) == id)
        #expect(!id.isTemporary)
        #expect(Set([id, id]).count == 1)
    }

    @Test func `an id of an unsaved object has no store`() throws {
        let id = ManagedObjectID<Book>(ObjectReference(storeIdentifier: nil, entityName: "Book", key: 3))
        #expect(id.isTemporary)
        #expect(id.description == "x-coredata:///Book/t3")
        #expect(throws: StoreError.self) { try ManagedObjectID<Book>(id.uriRepresentation) }
    }

    @Test(arguments: [
        "http://S/Book/p1", "x-coredata://S/Book", "x-coredata://S/Book/1", "x-coredata://S/Book/p",
        "x-coredata:///Book/p1",
        "x-coredata://S/Book/p0", "x-coredata://S/Book/p-1", "x-coredata://S/Book/p99999999999999999999",
        "x-coredata://S/Book/p1/x", "x-coredata://S//p1", "x-coredata://S/Book/p01", "x-coredata:Book/p1",
    ])
    func `other URLs are rejected`(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: StoreError.self) { try ManagedObjectID<Book>(url) }
        #expect(error?.code == .invalidObjectID)
    }
}
