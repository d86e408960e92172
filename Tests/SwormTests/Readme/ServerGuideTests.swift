import Foundation
import Sworm
import TestSupport
import Testing

/// The guide to stores on servers, whose code needs the trait `PostgreSQL` in part.
@Suite("The guide from one machine to a server")
struct ServerGuideTests {
    private let guide: Document

    init() throws { guide = try Document("Sources/Sworm/Sworm.docc/FromOneMachineToAServer.md") }

    /// Returns whether a block names something that the library has only with the trait.
    private static func needsTrait(_ block: String) -> Bool { block.contains(/[pP]ostgres|migrationPlan/) }

    @Test(.enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
    func `its code compiles, without the trait all blocks that do not need it`() throws {
        let compiler = try #require(SnippetCompiler.found)
        #if PostgreSQL && !canImport(CoreData)
        let code = guide.blocks("swift")
        #expect(code.contains("PostgresConfiguration") && code.contains("migrationPlan"))
        #else
        let code = guide.blocks("swift") { !Self.needsTrait($0) }
        #expect(!code.contains("PostgresConfiguration"))
        #endif
        for name in ["write(locking:", "withTransactions", "serverUnavailable"] { #expect(code.contains(name)) }
        #expect(try compiler.diagnostics(of: ["main": code], stage: .dataFlow) == [:])
    }

    @Test func `its table has every property of a configuration`() throws {
        let path = "Sources/Sworm/Container/PostgresConfiguration.swift"
        let properties = try Document(path).text.matches(of: /\n    public var (\w+):/).map { String($0.1) }
        #expect(properties.count > 12)
        let cells = guide.text.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "|").first }
        for property in properties { #expect(cells.contains { $0.contains("`\(property)`") }, "\(property)") }
    }

    #if PostgreSQL && !canImport(CoreData)
    @Test func `its addresses can be read, and are described as it says`() throws {
        let shown = "postgres://shop@db.example.org/shop (schema library)"
        #expect(guide.text.contains("`\(shown)`"))
        let addresses = guide.text.matches(of: /["'](postgres:\/\/[^"']+|host=[^"']+)["']/).map { String($0.1) }
        #expect(addresses.count > 2)
        for address in addresses {
            let description = StoreLocation.postgres(address).description
            #expect(description.hasSuffix("(schema library)"), "\(address)")
            if address.contains("example.org") { #expect(description == shown) }
        }
    }

    @Test func `the parameters that its table names are those of addresses`() throws {
        let values = [
            "host": "db", "port": "6432", "user": "shop", "password": "secret", "schema": "library", "connections": "7",
            "sslmode": "verify-ca", "connect_timeout": "3", "statement_timeout": "4s", "lock_timeout": "500",
            "idle_in_transaction_session_timeout": "1min", "write_timeout": "3s", "pooler": "transaction",
        ]
        for (name, value) in values {
            #expect(guide.text.contains("`\(name)`"), "\(name)")
            let location = StoreLocation.postgres("postgres://db/shop?\(name)=\(value)")
            #expect(!location.description.contains("cannot be read"), "\(name)")
        }
        #expect(StoreLocation.postgres("postgres://db/shop?pooler=session").description.contains("cannot be read"))
    }
    #endif
}
