import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite(
    "The conformance cases as fetches",
    .enabled(
        if: PredicateCases.exist, Comment(rawValue: PredicateCases.missing)))
struct LibraryFetchTests {
    /// What is saved and what is not while a case is tried.
    enum State: String, CaseIterable, Sendable {
        case pending, saved, touched, edited
    }

    private func library(in state: State) throws -> CaseLibrary {
        let library = try CaseLibrary()
        guard state != .pending else { return library }
        try library.context.save()
        if state != .saved {
            library.markAllChanged(keeping: state == .edited)
            #expect(library.context.hasChanges)
        }
        return library
    }

    @Test(arguments: State.allCases)
    func `every case finds its rows`(state: State) throws {
        let library = try library(in: state)
        #expect(library.cases.cases.count > 100)
        for item in library.cases.cases {
            do {
                let arguments = try (item.args ?? []).map(library.argument)
                let predicate = NSPredicate(format: item.format, argumentArray: arguments)
                let request = library.request(item.entity, predicate)
                let found = library.names(try library.context.fetch(request))
                #expect(found.sorted() == item.expect.sorted(), "\(item.id) (\(state)): \(item.format)")
                #expect(try library.context.count(for: request) == item.expect.count, "\(item.id) (\(state))")
                // What it prints means the same.
                request.predicate = NSPredicate(format: try predicate.tree().format, argumentArray: nil)
                #expect(library.names(try library.context.fetch(request)) == found, "\(item.id) (\(state)), printed")
            } catch {
                Issue.record("\(item.id) (\(state)): \(item.format): \(error)")
            }
        }
    }

    @Test(arguments: State.allCases)
    func `every fetch has its order, its limit and its entities`(state: State) throws {
        let library = try library(in: state)
        for item in library.cases.fetches {
            let request = library.request(item.entity, nil)
            request.sortDescriptors = item.sort.map { NSSortDescriptor(key: $0.key, ascending: $0.ascending) }
            request.fetchLimit = item.limit ?? 0
            request.fetchOffset = item.offset ?? 0
            request.includesSubentities = item.includesSubentities ?? true
            #expect(library.names(try library.context.fetch(request)) == item.expect, "\(item.id) (\(state))")
        }
    }

    @Test(arguments: State.allCases)
    func `every case with variables finds its rows`(state: State) throws {
        let library = try library(in: state)
        for item in library.cases.variableCases {
            let values = try (item.variables ?? [:]).mapValues { try library.argument($0) }
            let open = NSPredicate(format: item.format, argumentArray: nil)
            let closed = ObjectPredicate(tree: try open.tree().substituting(try predicateVariables(values)))
            let found = library.names(try library.context.fetch(library.request(item.entity, closed)))
            #expect(found.sorted() == item.expect.sorted(), "\(item.id) (\(state))")
            let all = try library.context.fetch(library.request(item.entity, nil))
            let filtered = all.filter { open.evaluate(with: $0, substitutionVariables: values) }
            #expect(library.names(filtered).sorted() == item.expect.sorted(), "\(item.id), one by one")
            #expect(throws: (any Error).self, "\(item.id) without values") {
                try library.context.fetch(library.request(item.entity, open))
            }
        }
    }

    @Test(arguments: State.allCases)
    func `values that are not predicates, and predicates that no store supports, are rejected`(state: State) throws {
        let library = try library(in: state)
        for item in library.cases.parseErrors + library.cases.compileErrors {
            let predicate = NSPredicate(format: item.format, argumentArray: ["a"])
            #expect(throws: (any Error).self, "\(item.format) (\(state))") {
                try library.context.fetch(library.request(item.entity ?? "Book", predicate))
            }
        }
    }

    @Test func `every case over unsaved changes finds its rows, and the store's rows without them`() throws {
        for item in try PredicateCases.load().pendingChanges {
            let library = try library(in: .saved)
            for row in item.insert ?? [] { try library.insert(row, entity: item.entity) }
            for (id, row) in item.update ?? [:] { try library.set(row, of: library.object(id)) }
            for id in item.delete ?? [] { library.context.delete(try library.object(id)) }
            let request = library.request(item.entity, NSPredicate(format: item.format, argumentArray: nil))
            #expect(
                library.names(try library.context.fetch(request)).sorted() == item.expect.sorted(), "\(item.id)")
            request.includesPendingChanges = false
            let saved = library.names(try library.context.fetch(request)).sorted()
            #expect(saved == item.expectWithoutPending.sorted(), "\(item.id)")
        }
    }

    @Test(arguments: State.allCases)
    func `every count is right`(state: State) throws {
        let library = try library(in: state)
        let counts = library.cases.aggregates.filter { $0.result == "count" }
        #expect(!counts.isEmpty)
        for item in counts {
            let predicate = item.format.map { NSPredicate(format: $0, argumentArray: nil) }
            let count = try library.context.count(for: library.request(item.entity, predicate))
            #expect(Double(count) == item.expect.number, "\(item.id) (\(state))")
        }
    }
}
