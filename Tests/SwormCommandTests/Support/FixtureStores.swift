import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

@testable import SwormCommand

/// The stores in the folder of fixtures whose model is available, as a file or in the store.
enum FixtureStores {
    struct Store: Sendable, CustomTestStringConvertible {
        var url: URL
        var model: URL
        var testDescription: String { Fixtures.relative(url) }

        /// What `verify` finds wrong with the store.
        func issues() throws -> [Issue] {
            let report = try Run(["verify", url.path, "--model", model.path, "--json"]).json() as? [String: Any]
            let found = try #require(report?["faults"] as? [[String: Any]])
            return found.filter { $0["severity"] as? String == "fault" }.map {
                Issue(
                    kind: $0["kind"] as? String ?? "", entity: $0["entity"] as? String ?? "",
                    property: $0["property"] as? String ?? "")
            }
        }
    }

    struct Issue: Hashable {
        var kind: String
        var entity: String
        var property: String
    }

    static let all: [Store] = {
        guard let folder = Fixtures.folder else { return [] }
        let models = Fixtures.paths.filter { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".xcdatamodeld") }
            .map { folder.appendingPathComponent($0, isDirectory: true) }
        return Fixtures.databases.compactMap { url in
            guard (try? StoreInspector(url: url)) != nil else { return nil }
            for model in models where (try? StoreModelChoice.model(for: url, option: model)) != nil {
                return Store(url: url, model: model)
            }
            // A store that contains its model can be used instead of the model's file.
            return (try? StoredModel(ofStoreAt: url))?.source == .cache ? Store(url: url, model: url) : nil
        }
    }()
}
