import Foundation

/// The reasons for which the file of a store does not open.
///
/// ```swift
/// do {
///     let store = try PersistentContainer(for: Book.self, at: .file(url))
/// } catch let error as StoreError where error.openingFailure == .locked {
///     // Another process has it. Try again later, or raise the timeout.
/// }
/// ```
///
/// | reason | way out |
/// | --- | --- |
/// | ``damaged`` | restore a copy; `sworm-tool rebuild` makes a new store of all rows that can be read |
/// | ``notAStore`` | check the URL: the file is empty, of another program, encrypted, or a folder |
/// | ``newerModel`` | update the program: a later version of it has written the store |
/// | ``needsMigration`` | open the store with a migration plan, or with the model that it was written with |
/// | ``locked`` | close the other connection or process, or raise the timeout |
/// | ``noPermission`` | change the permissions, or open the store read-only |
/// | ``missing`` | check the URL, or let the container make the store |
public struct StoreOpeningFailure: Sendable, Hashable, CustomStringConvertible {
    /// The name of the reason.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The file is a store, or was one, and cannot be read as a whole.
    public static let damaged = Self("damaged")
    /// The file is not a store of Core Data's.
    public static let notAStore = Self("notAStore")
    /// The store was written with a model that the program does not know.
    public static let newerModel = Self("newerModel")
    /// The store was written with another version of the model.
    public static let needsMigration = Self("needsMigration")
    /// Another connection or process has locked the store.
    public static let locked = Self("locked")
    /// The file, or its folder, does not permit what was asked for.
    public static let noPermission = Self("noPermission")
    /// There is no file, and none was to be made.
    public static let missing = Self("missing")
}
