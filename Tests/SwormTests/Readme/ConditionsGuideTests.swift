import Foundation
import Sworm
import TestSupport
import Testing

/// The guide to conditions: its table of operators, and the SQL that it prints.
@Suite("The guide to conditions")
struct ConditionsGuideTests {
    private let guide: Document

    init() throws { guide = try Document("Sources/Sworm/Sworm.docc/Conditions.md") }

    @Test(.enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
    func `the table of operators compiles in its first two columns`() throws {
        let compiler = try #require(SnippetCompiler.found)
        var code = "func operators(id: ManagedObjectID<Author>) {\n"
        var isTable = false
        for line in guide.text.split(separator: "\n") {
            isTable = line.hasPrefix("|") && (isTable || line.hasPrefix("| closure form"))
            guard isTable else { continue }
            let cells = line.split(separator: "|").map { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
            for expression in cells.first ?? [] where expression.hasPrefix("$0.") {
                let type = expression.contains(/books|notes/) ? "Author" : "Book"
                let isWhole = expression.contains(/\ [<>=]=? |between|isIn|contains|isEmpty/)
                code += "_ = \(type).all.where { \(expression)\(isWhole ? "" : " > 0") }\n"
            }
            for expression in cells.dropFirst().first ?? [] where expression.contains("\\.") {
                code += "_ = Book.all.where(\(expression))\n"
            }
        }
        code += "}\n"
        #expect(code.contains("isIn") && code.contains("Query.contains"))
        #expect(try compiler.diagnostics(of: ["main": guide.blocks("swift") + code], stage: .types) == [:])
    }

    #if !canImport(CoreData)
    @Test func `the SQL in it is the SQL that its requests become`() throws {
        let store = try PersistentContainer(for: Book.self, at: .memory)
        let expected = try store.read { try statements(in: $0) }
        let printed = printedStatements()
        #expect(Set(printed.map(\.name)) == Set(expected.keys))
        for (name, _, sql) in printed { #expect(sql == expected[name], "\(name)") }
    }

    @Test func `the requests with SQL are those of this test`() throws {
        let own = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let lines = Set(own.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        for (name, code, _) in printedStatements() {
            for line in code { #expect(lines.contains(line), "\(name): \(line)") }
        }
    }

    /// The blocks of Swift that are followed by a block of SQL: the name that they end with, their lines, and the SQL
    /// without its line breaks.
    private func printedStatements() -> [(name: String, code: [String], sql: String)] {
        var result: [(name: String, code: [String], sql: String)] = []
        var (language, code, sql): (String?, [String], [String]) = (nil, [], [])
        for line in guide.text.split(separator: "\n").map(String.init) {
            if line.hasPrefix("```") {
                if language == "sql", let name = code.last?.firstMatch(of: /let (\w+) =/) {
                    result.append((String(name.1), code, sql.joined(separator: " ")))
                }
                language = language == nil ? String(line.dropFirst(3)) : nil
                if language == "swift" { code = [] }
                if language == "sql" { sql = [] }
            } else if language == "swift" {
                code.append(line)
            } else if language == "sql" {
                sql.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return result
    }

    /// The statements of the requests of the guide, by their names.
    private func statements(in context: ManagedObjectContext) throws -> [String: String] {
        let classics = Book.all.where { $0.year < 1900 && $0.rating != nil }
        let byLeo = Book.all.where { $0.author.name == "Leo" }
        let modern = Author.all.where { $0.books.any.year > 1900 }
        let productive = Author.all.where { $0.books.count > 2 }
        let masters = Author.all.where { $0.books.contains { $0.year > 1860 && $0.rating == 5 } }
        let chosen = Book.all.where { $0.year.isIn([1869, 1878]) || $0.year.between(1899...1911) }
        let wars = Book.all.where { $0.title.contains("war", .search) }
        let childhoods = Book.all.where { $0.title.hasPrefix("Child") }
        let unrated = Book.all.where { $0.rating == nil }
        let notBest = Book.all.where { !($0.rating == 5) }
        let mediocre = Book.all.where { ($0.rating == nil).then(0, else: $0.rating) < 3 }
        let sixties = Book.all.where { $0.year / 10 == 186 && $0.title.length > 3 }
        let oldOnes = Book.all.where(#Predicate { $0.year < 1900 && $0.rating != 5 })
        let books = [
            "classics": classics, "byLeo": byLeo, "chosen": chosen, "wars": wars, "childhoods": childhoods,
            "unrated": unrated, "notBest": notBest, "mediocre": mediocre, "sixties": sixties, "oldOnes": oldOnes,
        ]
        let authors = ["modern": modern, "productive": productive, "masters": masters]
        return try books.mapValues { statement(try context.explain($0)) }
            .merging(authors.mapValues { statement(try context.explain($0)) }) { $1 }
    }

    /// A statement as the guide prints it: with its values, and without the columns.
    private func statement(_ explanation: RequestExplanation) -> String {
        let sql = explanation.sql.replacing(/^SELECT (?:t0\.\w+, )*t0\.\w+ FROM/, with: "SELECT … FROM")
        let values = explanation.bindings.enumerated().map { "?\($0 + 1) = \($1)" }
        return values.isEmpty ? sql : "\(sql) -- \(values.joined(separator: ", "))"
    }
    #endif
}

// The types of the guide.
#if !canImport(CoreData)
extension ConditionsGuideTests {
    private struct Book: ManagedObjectConvertible {
        var title = ""
        var year = 0
        var rating: Int?
        static let attributes: Set<Attribute<Book>> = [
            .init(\.title, "title", .indexed), .init(\.year, "year", .indexed), .init(\.rating, "rating"),
        ]
        struct Relations: Sendable { let author = ToOneRelation<Author>("author", inverse: \.books) }
        static let relations = Relations()
    }

    private struct Author: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Author>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }
}
#endif
