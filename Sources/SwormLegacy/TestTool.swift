public import Foundation
public import Sworm

/// Helpers for tests of stores whose model has versions in files.
public enum TestTool {
    /// Tests of migrations.
    public enum Migrations {
        /// An error that reports the result of a failed test.
        public enum Error: Swift.Error, Sendable {
            /// The migration had a different number of steps than expected; nil for no migration.
            case invalidMigrationStepCount(Int?, expected: Int?, store: SQLiteStoreDescription)
        }

        /// A closure that inspects a store, or fills it.
        public typealias TestAction = (NSPersistentContainer) -> Void

        /// Creates a store of the first version, and migrates it from each version to the next.
        ///
        /// - Parameters:
        ///   - store: The store; its location is not used.
        ///   - bundle: The bundle that contains the model.
        ///   - actions: Closures that are called with the store in a version, by the index of the version.
        /// - Throws: ``Error``, or an error if a store could not be opened or migrated.
        public static func testStepByStep(
            store: SQLiteStoreDescription, bundle: Bundle, actions: [Int: TestAction]
        ) throws {
            try withTemporaryPersistentStore(store) { store in
                for index in store.modelVersions.indices {
                    let version = store.with(maxVersion: index)
                    try migrate(version, bundle: bundle, expected: index == 0 ? nil : 1)
                    try open(version, bundle: bundle, then: actions[index])
                }
            }
        }

        /// Creates a store of the first version, and migrates it directly to the newest one.
        ///
        /// - Parameters:
        ///   - store: The store; its location is not used.
        ///   - bundle: The bundle that contains the model.
        ///   - preAction: A closure that fills the store of the first version.
        ///   - postAction: A closure that inspects the store of the newest version.
        /// - Throws: ``Error``, or an error if a store could not be opened or migrated.
        public static func test(
            store: SQLiteStoreDescription, bundle: Bundle, preAction: TestAction?, postAction: TestAction?
        ) throws {
            try withTemporaryPersistentStore(store) { store in
                try open(store.with(maxVersion: 0), bundle: bundle, then: preAction)
                let count = store.modelVersions.count - 1
                try migrate(store, bundle: bundle, expected: count > 0 ? count : nil)
                try open(store, bundle: bundle, then: postAction)
            }
        }

        private static func migrate(_ store: SQLiteStoreDescription, bundle: Bundle, expected: Int?) throws {
            let migration = try SQLiteProgressiveMigration(store: store, bundle: bundle)
            guard migration?.stepCount == expected else {
                throw Error.invalidMigrationStepCount(migration?.stepCount, expected: expected, store: store)
            }
            try migration?.performMigration(progress: nil)
        }

        private static func open(_ store: SQLiteStoreDescription, bundle: Bundle, then action: TestAction?) throws {
            let container = try NSPersistentContainer(store: store, bundle: bundle)
            try container.loadPersistentStore()
            action?(container)
            try container.removePersistentStores()
        }
    }

    /// Runs a closure with a store in a temporary folder, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - store: The store; its location is not used.
    ///   - action: A closure that receives the description of the store at the temporary location, where no file exists
    ///     yet.
    /// - Throws: The error of the closure, or an error if the folder could not be created.
    public static func withTemporaryPersistentStore(
        _ store: SQLiteStoreDescription, action: (SQLiteStoreDescription) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try action(store.with(url: folder.appendingPathComponent("Store.sqlite")))
    }
}
