import Foundation
import OpenCoreData
import TestSupport
import Testing

@testable import SwormCommand

/// The stores in the folder of fixtures whose model is there, as a file or in the store.
enum FixtureStores {
    struct Store: Sendable, CustomTestStringConvertible {
        var url: URL
        var model: URL
        var testDescription: String { Fixtures.relative(url) }
    }

    static let all: [Store] = {
        guard let folder = Fixtures.folder else { return [] }
        let models = Fixtures.paths.filter { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".xcdatamodeld") }
            .map { folder.appendingPathComponent($0, isDirectory: true) }
        return Fixtures.databases.compactMap { url in
            guard (try? StoreLook(url: url)) != nil else { return nil }
            for model in models where (try? StoreModelChoice.model(for: url, option: model)) != nil {
                return Store(url: url, model: model)
            }
            // A store that carries its model stands for it.
            return (try? StoredModel(ofStoreAt: url))?.source == .cache ? Store(url: url, model: url) : nil
        }
    }()
}
