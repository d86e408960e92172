import Foundation

/// A reason why the file of a store cannot be opened.
///
/// ```swift
/// do {
///     let store = try PersistentContainer(for: Book.self, at: .file(url))
/// } catch let error as StoreError where error.openingFailure == .locked {
///     // Another process has it. Try again later, or raise the timeout.
/// }
/// ```
///
/// | reason | solution |
/// | --- | --- |
/// | ``damaged`` | restore a copy; `sworm-tool rebuild` creates a new store from all rows that can be read |
/// | ``notAStore`` | check the URL: the file is empty, encrypted, a folder, or belongs to another program |
/// | ``newerModel`` | update the program: a later version of it wrote the store |
/// | ``needsMigration`` | open the store with a migration plan, or with the model that it was written with |
/// | ``locked`` | close the other connection or process, or raise the timeout |
/// | ``noPermission`` | change the permissions, or open the store read-only |
/// | ``missing`` | check the URL, or let the container create the store |
public struct StoreOpeningFailure: Sendable, Hashable, CustomStringConvertible {
    /// The name of the reason.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The file is a store, or was one, and cannot be read completely.
    public static let damaged = Self("damaged")
    /// The file is not a Core Data store.
    public static let notAStore = Self("notAStore")
    /// The store was written with a model that the program does not know.
    public static let newerModel = Self("newerModel")
    /// The store was written with another version of the model.
    public static let needsMigration = Self("needsMigration")
    /// Another connection or process has locked the store.
    public static let locked = Self("locked")
    /// The permissions of the file or its folder do not allow the requested access.
    public static let noPermission = Self("noPermission")
    /// The file does not exist, and the container was not allowed to create it.
    public static let missing = Self("missing")
}
