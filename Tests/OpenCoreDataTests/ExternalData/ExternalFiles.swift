import Foundation
import SwormPredicates
import SwormSQLite

@testable import OpenCoreData
@testable import SwormStore
import SwormRows

/// A clock that only a test moves.
final class ManualClock: Sendable {
    private let passed = Locked(Duration.zero)
    private let start = ContinuousClock.now
    private let startDate = Date()

    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    func set(_ limits: inout ExternalDataLimits) {
        limits.instant = { self.start + self.passed.withLock { $0 } }
        limits.date = { self.startDate.addingTimeInterval(self.passed.withLock { $0 } / .seconds(1)) }
    }
}

extension Duration {
    static var day: Duration { .seconds(24 * 60 * 60) }
}

extension StoreFolder {
    var externalPath: String { path + "/.Test_SUPPORT/_EXTERNAL_DATA" }

    /// The names of the files of external data.
    var externalFiles: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: externalPath)) ?? [])
    }

    /// Adds a file that no row names.
    @discardableResult
    func addOrphan(age: Duration = .zero) throws -> String {
        let name = UUID().uuidString
        let path = externalPath + "/" + name
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let date = Date().addingTimeInterval(-(age / .seconds(1)))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        return name
    }
}

extension SQLiteStore {
    /// Gives books other covers, each in a save of its own.
    func setCovers(_ covers: [(row: RowID, content: Data?)]) throws {
        for (row, content) in covers {
            var request = SaveRequest()
            request.update(row, version: nil, in: model, ["cover": content.map(AttributeValue.data) ?? .null])
            try save(request)
        }
    }
}

extension StoreSession {
    /// The content of a book's cover; nil without one.
    func cover(_ row: RowID, in model: CompiledModel = LibraryModel.model) throws -> Data? {
        let shape = RowShape(model: model, entity: LibraryModel.book)
        let buffer = try rows(withKeys: [row.key], shape: shape)
        let cell = shape.cell(ofAttribute: 0, in: LibraryModel.book)
        if buffer.isNull(row: 0, cell: cell) { return nil }
        return try buffer.withBytes(row: 0, cell: cell) { try externalData($0) }
    }
}

extension NSPersistentStoreCoordinator {
    var sqliteStores: [SQLiteStore] { persistentStores.compactMap { $0.objectStore as? SQLiteStore } }
}
