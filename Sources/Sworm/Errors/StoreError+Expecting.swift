// Tests expect an error by its code: `#expect(throws:)` accepts a value, and compares it with the thrown error.
extension StoreError: Equatable {
    /// Returns whether two errors have the same code.
    ///
    /// Messages are meant for people, and may differ between versions.
    public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}

/// The errors that a test can expect, with the names of their codes.
///
/// ```swift
/// #expect(throws: StoreError.Code.validation) { try store.perform { try $0.insert(Book(title: "")) } }
/// ```
/// An expected error is equal to every error with its code. In all other contexts, the names are those of
/// ``StoreError/Code``. Do not conform your own types.
public protocol ExpectedStoreErrors {}

extension StoreError.Code: ExpectedStoreErrors {
    package var expected: StoreError { StoreError(self, "An error with the code `\(description)`.") }
}

// Disfavored, so that a name refers to a code wherever a code is possible.
extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/unknownKeyPath``.
    @_disfavoredOverload
    public static var unknownKeyPath: StoreError { Self.unknownKeyPath.expected }
    /// An error with the code ``StoreError/Code/invalidCondition``.
    @_disfavoredOverload
    public static var invalidCondition: StoreError { Self.invalidCondition.expected }
    /// An error with the code ``StoreError/Code/invalidRequest``.
    @_disfavoredOverload
    public static var invalidRequest: StoreError { Self.invalidRequest.expected }
    /// An error with the code ``StoreError/Code/invalidTable``.
    @_disfavoredOverload
    public static var invalidTable: StoreError { Self.invalidTable.expected }
    /// An error with the code ``StoreError/Code/invalidObjectID``.
    @_disfavoredOverload
    public static var invalidObjectID: StoreError { Self.invalidObjectID.expected }
    /// An error with the code ``StoreError/Code/scopeEnded``.
    @_disfavoredOverload
    public static var scopeEnded: StoreError { Self.scopeEnded.expected }
    /// An error with the code ``StoreError/Code/wrongThread``.
    @_disfavoredOverload
    public static var wrongThread: StoreError { Self.wrongThread.expected }
    /// An error with the code ``StoreError/Code/objectDeleted``.
    @_disfavoredOverload
    public static var objectDeleted: StoreError { Self.objectDeleted.expected }
    /// An error with the code ``StoreError/Code/objectNotFound``.
    @_disfavoredOverload
    public static var objectNotFound: StoreError { Self.objectNotFound.expected }
    /// An error with the code ``StoreError/Code/otherContext``.
    @_disfavoredOverload
    public static var otherContext: StoreError { Self.otherContext.expected }
    /// An error with the code ``StoreError/Code/unknownName``.
    @_disfavoredOverload
    public static var unknownName: StoreError { Self.unknownName.expected }
    /// An error with the code ``StoreError/Code/contractViolation``.
    @_disfavoredOverload
    public static var contractViolation: StoreError { Self.contractViolation.expected }
    /// An error with the code ``StoreError/Code/validation``.
    @_disfavoredOverload
    public static var validation: StoreError { Self.validation.expected }
    /// An error with the code ``StoreError/Code/uniquenessViolation``.
    @_disfavoredOverload
    public static var uniquenessViolation: StoreError { Self.uniquenessViolation.expected }
    /// An error with the code ``StoreError/Code/conflict``.
    @_disfavoredOverload
    public static var conflict: StoreError { Self.conflict.expected }
    /// An error with the code ``StoreError/Code/readOnly``.
    @_disfavoredOverload
    public static var readOnly: StoreError { Self.readOnly.expected }
    /// An error with the code ``StoreError/Code/timedOut``.
    @_disfavoredOverload
    public static var timedOut: StoreError { Self.timedOut.expected }
    /// An error with the code ``StoreError/Code/interrupted``.
    @_disfavoredOverload
    public static var interrupted: StoreError { Self.interrupted.expected }
    /// An error with the code ``StoreError/Code/wouldDeadlock``.
    @_disfavoredOverload
    public static var wouldDeadlock: StoreError { Self.wouldDeadlock.expected }
    /// An error with the code ``StoreError/Code/suspended``.
    @_disfavoredOverload
    public static var suspended: StoreError { Self.suspended.expected }
    /// An error with the code ``StoreError/Code/storeClosed``.
    @_disfavoredOverload
    public static var storeClosed: StoreError { Self.storeClosed.expected }
    /// An error with the code ``StoreError/Code/invalidModel``.
    @_disfavoredOverload
    public static var invalidModel: StoreError { Self.invalidModel.expected }
    /// An error with the code ``StoreError/Code/incompatibleModel``.
    @_disfavoredOverload
    public static var incompatibleModel: StoreError { Self.incompatibleModel.expected }
    /// An error with the code ``StoreError/Code/migrationFailed``.
    @_disfavoredOverload
    public static var migrationFailed: StoreError { Self.migrationFailed.expected }
    /// An error with the code ``StoreError/Code/cannotOpen``.
    @_disfavoredOverload
    public static var cannotOpen: StoreError { Self.cannotOpen.expected }
    /// An error with the code ``StoreError/Code/storeFailed``.
    @_disfavoredOverload
    public static var storeFailed: StoreError { Self.storeFailed.expected }
    /// An error with the code ``StoreError/Code/historyNeeded``.
    @_disfavoredOverload
    public static var historyNeeded: StoreError { Self.historyNeeded.expected }
    /// An error with the code ``StoreError/Code/bundleMissing``.
    @_disfavoredOverload
    public static var bundleMissing: StoreError { Self.bundleMissing.expected }
    /// An error with the code ``StoreError/Code/invalidBundle``.
    @_disfavoredOverload
    public static var invalidBundle: StoreError { Self.invalidBundle.expected }
    /// An error with the code ``StoreError/Code/uniqueKeyNeeded``.
    @_disfavoredOverload
    public static var uniqueKeyNeeded: StoreError { Self.uniqueKeyNeeded.expected }
    /// An error with the code ``StoreError/Code/historyTokenExpired``.
    @_disfavoredOverload
    public static var historyTokenExpired: StoreError { Self.historyTokenExpired.expected }
    /// An error with the code ``StoreError/Code/serverUnavailable``.
    @_disfavoredOverload
    public static var serverUnavailable: StoreError { Self.serverUnavailable.expected }
    /// An error with the code ``StoreError/Code/outcomeUnknown``.
    @_disfavoredOverload
    public static var outcomeUnknown: StoreError { Self.outcomeUnknown.expected }
    /// An error with the code ``StoreError/Code/schemaDiffers``.
    @_disfavoredOverload
    public static var schemaDiffers: StoreError { Self.schemaDiffers.expected }
    /// An error with the code ``StoreError/Code/unsupported``.
    @_disfavoredOverload
    public static var unsupported: StoreError { Self.unsupported.expected }
    /// An error with the code ``StoreError/Code/overflow``.
    @_disfavoredOverload
    public static var overflow: StoreError { Self.overflow.expected }
}
