#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormCommand

@Suite("show and timeline: stores on servers", .enabled(if: PostgresServer.isEnabled))
struct ShowServerTests {
    @Test func `an object on a server is shown as in the file that it comes from`() throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let server = try PostgresServer.shared()
        let address = try server.entrance().uri(schema: "show_\(server.newSchema())")
        #expect(Run(["copy", workshop.storePath, address, "--exact-dates"]).code == .ok)
        for object in ["Author/1", "Author/2", "Book/1", "Book/4", "Profile/1", "Shelf/1", "Poster/2", "Tag/2"] {
            func facts(_ store: String) throws -> NSDictionary {
                let run = Run(["show", store, object, "--json"])
                var json = try #require(try run.json() as? [String: Any], "\(run.err)")
                // The history is not copied.
                json["history"] = nil
                return json as NSDictionary
            }
            #expect(try facts(address) == facts(workshop.storePath), "\(object)")
        }
        #expect(Run(["show", address, "Book/99"]).err.contains("the keys of Book are from 1 to 4"))
    }
}
#endif
