import Foundation
@testable import Sworm
import SwormPredicates
import SwormTools
import Testing

/// A region that lacks a property must be noticed: otherwise the test could not find a fault in the regions.
@Suite("Regions of live requests")
struct LiveRegionTests {
    typealias Folder = Archive.Folder
    typealias Shelf = Archive.Shelf

    /// A part of a region that is left out.
    private enum Fault: CustomTestStringConvertible {
        case property(String, of: String)
        case root(String)

        var testDescription: String {
            switch self {
            case .property(let name, let entity): "\(entity).\(name)"
            case .root(let entity): "the rows of \(entity)"
            }
        }
    }

    /// A request whose result is compared before and after each transaction.
    private struct Watched {
        var name: String
        var region: TrackedRegion
        var fingerprint: () throws -> AnyHashable
        var last: AnyHashable?

        init<T: ManagedObjectConvertible & Sendable & Equatable>(
            _ request: Request<T>, in store: PersistentContainer, without fault: Fault?
        ) throws {
            name = "\(request)"
            region = try store.read { context in
                var builder = RegionBuilder()
                try builder.add(
                    request.content, of: context.entityDescription(of: T.self),
                    attributes: T.attributes.map { [$0.name] })
                return builder.region
            }
            if let fault { region = Self.remove(fault, from: region) }
            fingerprint = { AnyHashable(try store.read { try $0.decode(request).map { "\($0)" } }) }
        }

        private static func remove(_ fault: Fault, from region: TrackedRegion) -> TrackedRegion {
            var result = TrackedRegion()
            for root in region.roots {
                if case .root(root) = fault { continue }
                result.countRows(of: root)
            }
            for (entity, names) in region.properties {
                for name in names {
                    if case .property(name, of: entity) = fault { continue }
                    result.read(name, of: entity)
                }
            }
            return result
        }
    }

    /// Returns the name of a request that a transaction has changed although its region was not touched.
    private func untouched(
        _ make: (PersistentContainer) throws -> [Watched], seed: UInt64, steps: Int
    ) throws -> String? {
        let run = try LiveRandomRun(seed: seed, in: .memory)
        defer { run.end() }
        let store = run.store
        let changes = Locked<CommittedChanges?>(nil)
        let listening = try store.read { context in
            context.instance.listenToCommits { news in
                changes.withLock { known in
                    if known == nil { known = news } else { known?.merge(news) }
                }
            }
        }
        defer { listening.end() }
        var watched = try make(store)
        for _ in 0..<steps {
            try run.step()
            let committed = changes.withLock { changes in
                defer { changes = nil }
                return changes
            }
            for index in watched.indices {
                let now = try watched[index].fingerprint()
                defer { watched[index].last = now }
                guard let last = watched[index].last, last != now else { continue }
                if committed.map({ watched[index].region.isTouched(by: $0) }) != true { return watched[index].name }
            }
        }
        return nil
    }

    private static func requests(_ store: PersistentContainer, without fault: Fault? = nil) throws -> [Watched] {
        [
            try Watched(Folder.all.sort(\.number).limit(8), in: store, without: fault),
            try Watched(Folder.all.where { $0.shelf.floor > 0 }, in: store, without: fault),
            try Watched(Folder.all.where { $0.marks.any.word == "red" }, in: store, without: fault),
            try Watched(Folder.all.where { $0.marks.count > 1 }, in: store, without: fault),
            try Watched(Shelf.all.where { $0.folders.any.rank == 3 }, in: store, without: fault),
            try Watched(Shelf.all.where { $0.notes.count > 0 }, in: store, without: fault),
        ]
    }

    @Test func `are touched by every transaction that changes a result`() throws {
        for seed in 1...2 {
            #expect(try untouched({ try Self.requests($0) }, seed: UInt64(seed), steps: 250) == nil)
        }
    }

    @Test(arguments: [
        Fault.root("Folder"), .property("title", of: "Folder"), .property("rank", of: "Folder"),
        .property("rating", of: "Folder"), .property("shelf", of: "Folder"), .property("floor", of: "Shelf"),
        .property("word", of: "Mark"), .property("marks", of: "Folder"), .property("folders", of: "Shelf"),
        .property("pinned", of: "Shelf"),
    ])
    private func `that lack a part are found out`(fault: Fault) throws {
        let isFound = try (1...8).contains { seed in
            try untouched({ try Self.requests($0, without: fault) }, seed: UInt64(seed), steps: 250) != nil
        }
        #expect(isFound)
    }
}
