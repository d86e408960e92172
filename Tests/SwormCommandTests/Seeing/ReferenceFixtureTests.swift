import Foundation
@testable import OpenCoreData
import SwormPredicates
import TestSupport
import Testing

@testable import SwormCommand
@testable import SwormStore

@Suite("Objects of stores that Apple's framework wrote")
struct ReferenceFixtureTests {
    /// The number of objects of each store that are compared.
    private static let objects = 200

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)), arguments: FixtureStores.all)
    func `the numbers of objects that refer to an object are those of a count`(store: FixtureStores.Store) throws {
        let words = [store.url.path, "Entity/1", "--model", store.model.path]
        let arguments = try Arguments(words, for: ShowCommand.command.spec)
        let opened = try StoreReader(store.url.path, arguments: arguments)
        let hidden = try HiddenAttributes(arguments, model: opened.model)
        let labels = Labels(opened, rule: try LabelRule(opened, arguments: arguments, hidden: hidden))
        let reader = ObjectReader(opened, labels: labels, hidden: hidden)
        for row in try sample(of: opened) {
            let facts = try reader.facts(of: row)
            #expect(facts.name.key == row.key)
            for source in facts.sources {
                let name = "\(source.name) to \(facts.name)"
                let found = try counted(source, to: row, in: opened)
                #expect(source.count == found.count, "\(name)")
                #expect(source.links.count == min(found.count, ObjectReader.usualLinks), "\(name)")
                #expect(Set(source.links.map(\.name.key)).isSubset(of: found.map(\.key)), "\(name)")
            }
            for target in facts.targets where !target.isToMany { #expect(target.links.count == target.count) }
        }
    }

    /// Returns objects of all entities, at even distances.
    private func sample(of store: StoreReader) throws -> [RowID] {
        let rows = try store.model.entities.filter { $0.superentity == nil }.flatMap { entity in
            var fetch = FetchSpecification(entity: entity.number)
            fetch.sorts = [.init(path: ["self"])]
            return try store.session.identities(fetch)
        }
        let step = max(1, rows.count / Self.objects)
        return stride(from: 0, to: rows.count, by: step).map { rows[$0] }
    }

    private func counted(_ source: ObjectFacts.Source, to row: RowID, in store: StoreReader) throws -> [RowID] {
        let entity = try #require(store.model.entity(named: source.entity))
        guard case .relationship(let slot)? = entity.slot(named: source.relationship) else { return [] }
        var fetch = FetchSpecification(entity: entity.number)
        fetch.predicate = .comparison(
            Comparison(
                .path([source.relationship]), by: .equal, with: store.reference(to: row),
                quantifier: entity.relationships[slot].isToMany ? .any : .direct))
        return try store.session.identities(fetch)
    }
}
