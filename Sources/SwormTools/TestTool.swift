public import Foundation
public import Sworm

/// Helpers for tests of stores whose model has versions in files.
public enum TestTool {
    /// Tests of migrations.
    public enum Migrations {
        /// What a test found.
        public enum Error: Swift.Error, Sendable {
            /// There were so many steps where so many were expected; nil for none at all.
            case invalidMigrationStepCount(Int?, expected: Int?, store: SQLiteStoreDescription)
        }

        /// Looks at a store, or fills it.
        public typealias TestAction = (NSPersistentContainer) -> Void

        /// Makes a store of the first version, and migrates it from each version to the next.
        ///
        /// - Parameters:
        ///   - store: The store; its place is not used.
        ///   - bundle: Where the model is.
        ///   - actions: What to do with the store in a version, by the version's number.
        /// - Throws: ``Error``, and why a store could not be opened or migrated.
        public static func testStepByStep(
            store: SQLiteStoreDescription, bundle: Bundle, actions: [Int: TestAction]
        ) throws {
            try withTemporaryPersistentStore(store) { store in
                for index in store.modelVersions.indices {
                    let version = store.with(maxVersion: index)
                    try migrate(version, bundle, expected: index == 0 ? nil : 1)
                    try open(version, bundle, actions[index])
                }
            }
        }

        /// Makes a store of the first version, and migrates it to the newest one at once.
        ///
        /// - Parameters:
        ///   - store: The store; its place is not used.
        ///   - bundle: Where the model is.
        ///   - preAction: Fills the store of the first version.
        ///   - postAction: Looks at the store of the newest version.
        /// - Throws: ``Error``, and why a store could not be opened or migrated.
        public static func test(
            store: SQLiteStoreDescription, bundle: Bundle, preAction: TestAction?, postAction: TestAction?
        ) throws {
            try withTemporaryPersistentStore(store) { store in
                try open(store.with(maxVersion: 0), bundle, preAction)
                let count = store.modelVersions.count - 1
                try migrate(store, bundle, expected: count > 0 ? count : nil)
                try open(store, bundle, postAction)
            }
        }

        private static func migrate(_ store: SQLiteStoreDescription, _ bundle: Bundle, expected: Int?) throws {
            let migration = try SQLiteProgressiveMigration(store: store, bundle: bundle)
            guard migration?.stepCount == expected else {
                throw Error.invalidMigrationStepCount(migration?.stepCount, expected: expected, store: store)
            }
            try migration?.performMigration(progress: nil)
        }

        private static func open(_ store: SQLiteStoreDescription, _ bundle: Bundle, _ action: TestAction?) throws {
            let container = try NSPersistentContainer(store: store, bundle: bundle)
            try container.loadPersistentStore()
            action?(container)
            try container.removePersistentStores()
        }
    }

    /// Runs a closure with a store in a folder of its own, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - store: The store; its place is not used.
    ///   - action: Gets the store at the other place, where there is no file yet.
    /// - Throws: What the closure throws, and why the folder could not be made.
    public static func withTemporaryPersistentStore(
        _ store: SQLiteStoreDescription, action: (SQLiteStoreDescription) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try action(store.with(url: folder.appendingPathComponent("Store.sqlite")))
    }
}
