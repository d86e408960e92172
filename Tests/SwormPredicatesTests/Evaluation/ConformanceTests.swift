import SwormPredicates
import TestSupport
import Testing

@Suite(
    "Conformance cases in memory",
    .enabled(if: PredicateCases.exist, Comment(rawValue: PredicateCases.missing)))
struct ConformanceTests {
    @Test func `every case selects the expected rows with the logic of SQL and with that of Cocoa`() throws {
        let file = try PredicateCases.load()
        let library = try ConformanceLibrary(file)
        #expect(file.cases.count > 100)
        for item in file.cases {
            let arguments = try (item.args ?? []).map(library.argument)
            do {
                let tree = try parsePredicate(item.format, arguments: arguments)
                try check(item, tree, library)
                // What is printed must mean the same.
                let printed = try parsePredicate(tree.format)
                #expect(printed == tree, "\(item.id): \(tree.format)")
                try check(item, printed, library)
                let template = tree.template
                try check(item, try parsePredicate(template.format, arguments: template.arguments), library)
            } catch {
                Issue.record("\(item.id) `\(item.format)`: \(error)")
            }
        }
    }

    @Test func `cases with variables select the expected rows`() throws {
        let file = try PredicateCases.load()
        let library = try ConformanceLibrary(file)
        for item in file.variableCases {
            let values = try (item.variables ?? [:]).mapValues(library.argument)
            try check(item, try parsePredicate(item.format).substituting(values), library)
        }
    }

    @Test func `constructs outside of the language are rejected with a column`() throws {
        let file = try PredicateCases.load()
        for item in file.parseErrors {
            let error = #expect(throws: QueryError.self, "\(item.format)") {
                try parsePredicate(item.format, arguments: [.value(.string("a"))])
            }
            #expect(error?.column != nil, "\(item.format)")
        }
    }

    private func check(_ item: PredicateCases.Case, _ tree: PredicateTree, _ library: ConformanceLibrary) throws {
        for (logic, expected) in [(NilLogic.sql, item.expect), (.cocoa, item.expectInMemory ?? item.expect)] {
            let prepared = try PreparedPredicate(tree, logic: logic)
            let found = try library.members(of: item.entity).filter(prepared.matches).map(\.id)
            #expect(found == expected.sorted(), "\(item.id) (\(logic)): \(item.format)")
        }
    }
}
