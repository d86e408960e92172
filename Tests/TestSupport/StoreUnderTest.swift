package import Foundation
package import Testing

/// The kinds of stores that tests of behaviour run over.
package enum StoreKindUnderTest: String, Sendable, CaseIterable {
    case memory, file, server

    /// The kinds that tests run over: a server takes part if the trait PostgreSQL is on and its programs are found. The
    /// environment variable SWORM_STORES narrows them to those that it lists, as in "memory,file".
    package static let available: [StoreKindUnderTest] = chosen.filter { kind in
        #if PostgreSQL
        return kind != .server || PostgresServer.isEnabled
        #else
        return kind != .server
        #endif
    }

    private static let chosen: [StoreKindUnderTest] = {
        guard let list = ProcessInfo.processInfo.environment["SWORM_STORES"] else { return allCases }
        return list.split(separator: ",").map { name in
            guard let kind = StoreKindUnderTest(rawValue: String(name)) else {
                preconditionFailure("SWORM_STORES lists '\(name)'; the kinds of stores are memory, file and server")
            }
            return kind
        }
    }()
}

/// The store that a test runs over, in a run of the test for one kind of store. Files are removed at the end of the run.
///
/// @unchecked: the mark is accessed only while the lock is held.
package final class StoreUnderTest: @unchecked Sendable {
    /// The store of the current task; nil in a test that chooses its store itself.
    @TaskLocal package static var current: StoreUnderTest?

    package let kind: StoreKindUnderTest
    private let folder: URL
    private let lock = NSLock()
    private var isMarked = false

    init(_ kind: StoreKindUnderTest) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "sworm-tested-\(UUID().uuidString)")
        if kind == .file { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    }

    /// Returns the location of a new file.
    package func newFile() -> URL { folder.appending(path: "\(UUID().uuidString).sqlite") }

    /// Notes that the test opens a store of the kind.
    package func markUse() { lock.withLock { isMarked = true } }

    /// Whether the test has opened a store of the kind.
    var isUsed: Bool { lock.withLock { isMarked } }

    func end() { try? FileManager.default.removeItem(at: folder) }
}

/// Runs each test once for each kind of store.
package struct OverStores: SuiteTrait, TestTrait, TestScoping, Equatable {
    let kinds: [StoreKindUnderTest]
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // The choice of a test comes before that of its suite.
        let choice = test.traits.compactMap { $0 as? OverStores }.last
        guard choice == nil || choice == self else { return try await function() }
        var failure: (any Error)?
        for kind in kinds where StoreKindUnderTest.available.contains(kind) {
            let store = try StoreUnderTest(kind)
            let start = ContinuousClock.now
            defer {
                store.end()
                // A suite has tests that open no store; they are not counted.
                if store.isUsed { StoreRuns.shared.add(test, over: kind, lasting: start.duration(to: .now)) }
            }
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("over the store: \(kind.rawValue)")
                return issue
            }
            do {
                try await naming.provideScope(for: test, testCase: testCase) {
                    try await StoreUnderTest.$current.withValue(store) { try await function() }
                }
            } catch {
                // An expectation that has failed is recorded already; other errors are recorded here, with their store.
                if !(error is ExpectationFailedError) { Issue.record(error, "over the store: \(kind.rawValue)") }
                failure = failure ?? (error is ExpectationFailedError ? error : nil)
            }
        }
        if let failure { throw failure }
    }
}

extension Trait where Self == OverStores {
    /// The test runs over each kind of store.
    package static var overEachStore: Self { OverStores(kinds: StoreKindUnderTest.allCases) }

    /// The test runs over each of some kinds of stores.
    package static func over(_ kinds: StoreKindUnderTest...) -> Self { OverStores(kinds: kinds) }
}
