public import Foundation
// Initializers that open a store.
extension PersistentContainer {
    /// Opens a store whose model is created from the tables of types.
    ///
    /// ```swift
    /// let store = try PersistentContainer(for: Book.self, at: .file(url))
    /// ```
    /// Types that the relations of the given types refer to are included. Several containers may open the same file, in
    /// one process or in several. The store stays open for the lifetime of the container.
    ///
    /// - Parameters:
    ///   - type: A type with tables.
    ///   - others: Further types that no relation of the given types refers to.
    ///   - trees: The trees to compare with the tables of the entities.
    ///   - location: The location of the store.
    ///   - logError: A closure that is called with every error that a `perform` throws, and with every error that could
    ///     not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown as an error stops the program. For tests.
    ///   - timeout: The number of seconds to wait for a store that another process holds locked.
    ///   - readers: The maximum number of calls in this process that read the file at the same time. If nil, it is
    ///     four, or the number of processors if that is higher. Among containers over the same file, the highest number
    ///     applies. Core Data has no such limit: on Apple's platforms, the initializer throws an error if this is not
    ///     nil.
    ///   - mergePolicy: The policy for a save that meets rows that were changed concurrently, or unique values that
    ///     already exist.
    ///   - history: Whether the store records its transactions, which live results and change feeds use to learn the
    ///     changes of other processes. Recording costs a few rows with each save. A store that has a history continues
    ///     it regardless.
    ///   - trace: A closure that is called with every statement that the store's connections run, and with its
    ///     duration, on the thread that runs the statement. It must not use the container. Without a trace, nothing is
    ///     measured. Core Data does not report its statements: on Apple's platforms, the initializer throws an error if
    ///     this is not nil.
    ///   - tracesValues: Whether the trace includes the values of the statements. They can be sensitive.
    /// - Throws: A ``StoreError``: `invalidTable` with every issue of the tables, `contractViolation` with every
    ///   difference between the trees and the tables, `incompatibleModel` if the file was
    ///   written with a different model, `cannotOpen` or a similar code if the file cannot be opened. The file is then
    ///   unchanged.
    public convenience init(
        for type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
        checking trees: any ManagedTreeConvertible.Type..., at location: StoreLocation,
        logError: (@Sendable (any Swift.Error) -> Void)? = nil, strict: Bool = false, timeout: TimeInterval = 240,
        readers: Int? = nil, mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        history: Bool = false, trace: (@Sendable (SQLTrace) -> Void)? = nil, tracesValues: Bool = false
    ) throws {
        let model = try TableModel.shared(for: [type] + others)
        if !trees.isEmpty { try ModelContract(trees).check(model, for: location.isReadOnly ? .reading : .writing) }
        try self.init(
            opening: model, at: location, logError: logError, strict: strict, timeout: timeout,
            readers: readers, mergePolicy: mergePolicy, history: history, trace: trace, tracesValues: tracesValues)
    }

    /// Opens a store with an existing model, after comparing the tables of types with the model.
    ///
    /// - Parameters:
    ///   - model: The model. It must not be changed afterwards.
    ///   - types: The types to compare with the model, trees included. Types that their relations refer to are included.
    ///   - location: The location of the store.
    ///   - use: The intended use of the types. By default `writing`, or `reading` if the store is opened read-only.
    ///   - logError: A closure that is called with every error that a `perform` throws, and with every error that could
    ///     not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown as an error stops the program. For tests.
    ///   - timeout: The number of seconds to wait for a store that another process holds locked.
    ///   - readers: The maximum number of calls in this process that read the file at the same time. If nil, it is
    ///     four, or the number of processors if that is higher. Among containers over the same file, the highest number
    ///     applies. Core Data has no such limit: on Apple's platforms, the initializer throws an error if this is not
    ///     nil.
    ///   - mergePolicy: The policy for a save that meets rows that were changed concurrently, or unique values that
    ///     already exist.
    ///   - history: Whether the store records its transactions, which live results and change feeds use to learn the
    ///     changes of other processes. Recording costs a few rows with each save. A store that has a history continues
    ///     it regardless.
    ///   - trace: A closure that is called with every statement that the store's connections run, and with its
    ///     duration, on the thread that runs the statement. It must not use the container. Without a trace, nothing is
    ///     measured. Core Data does not report its statements: on Apple's platforms, the initializer throws an error if
    ///     this is not nil.
    ///   - tracesValues: Whether the trace includes the values of the statements. They can be sensitive.
    /// - Throws: A ``StoreError``: `contractViolation` with every difference between the tables and the model,
    ///   `invalidModel`, `incompatibleModel` if the file was written with a different model, `cannotOpen` or a similar
    ///   code if the file cannot be opened. The file is then unchanged.
    public convenience init(
        model: NSManagedObjectModel, checking types: any ManagedTreeConvertible.Type..., at location: StoreLocation,
        for use: ModelContract.Use? = nil, logError: (@Sendable (any Swift.Error) -> Void)? = nil,
        strict: Bool = false, timeout: TimeInterval = 240, readers: Int? = nil,
        mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        history: Bool = false, trace: (@Sendable (SQLTrace) -> Void)? = nil, tracesValues: Bool = false
    ) throws {
        try ModelContract(types).check(model, for: use ?? (location.isReadOnly ? .reading : .writing))
        try self.init(
            opening: model, at: location, logError: logError, strict: strict, timeout: timeout,
            readers: readers, mergePolicy: mergePolicy, history: history, trace: trace, tracesValues: tracesValues)
    }

    /// Opens a store with the model of a model file, after comparing the tables of types with the model.
    ///
    /// - Parameters:
    ///   - modelFile: The model: an `.xcdatamodeld` folder (its current version) or `.xcdatamodel` folder where this
    ///     library's own engine runs, and a compiled `.momd` or `.mom` on Apple's platforms.
    ///   - types: The types to compare with the model, trees included. Types that their relations refer to are included.
    ///   - location: The location of the store.
    ///   - use: The intended use of the types. By default `writing`, or `reading` if the store is opened read-only.
    ///   - logError: A closure that is called with every error that a `perform` throws, and with every error that could
    ///     not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown as an error stops the program. For tests.
    ///   - timeout: The number of seconds to wait for a store that another process holds locked.
    ///   - readers: The maximum number of calls in this process that read the file at the same time. If nil, it is
    ///     four, or the number of processors if that is higher. Among containers over the same file, the highest number
    ///     applies. Core Data has no such limit: on Apple's platforms, the initializer throws an error if this is not
    ///     nil.
    ///   - mergePolicy: The policy for a save that meets rows that were changed concurrently, or unique values that
    ///     already exist.
    ///   - history: Whether the store records its transactions, which live results and change feeds use to learn the
    ///     changes of other processes. Recording costs a few rows with each save. A store that has a history continues
    ///     it regardless.
    ///   - trace: A closure that is called with every statement that the store's connections run, and with its
    ///     duration, on the thread that runs the statement. It must not use the container. Without a trace, nothing is
    ///     measured. Core Data does not report its statements: on Apple's platforms, the initializer throws an error if
    ///     this is not nil.
    ///   - tracesValues: Whether the trace includes the values of the statements. They can be sensitive.
    /// - Throws: A ``StoreError``: `invalidModel` if the model cannot be read, or any error of the initializer that
    ///   accepts a model.
    public convenience init(
        modelFile: URL, checking types: any ManagedTreeConvertible.Type..., at location: StoreLocation,
        for use: ModelContract.Use? = nil, logError: (@Sendable (any Swift.Error) -> Void)? = nil,
        strict: Bool = false, timeout: TimeInterval = 240, readers: Int? = nil,
        mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        history: Bool = false, trace: (@Sendable (SQLTrace) -> Void)? = nil, tracesValues: Bool = false
    ) throws {
        let model = try readModel(at: modelFile)
        try ModelContract(types).check(model, for: use ?? (location.isReadOnly ? .reading : .writing))
        try self.init(
            opening: model, at: location, logError: logError, strict: strict, timeout: timeout,
            readers: readers, mergePolicy: mergePolicy, history: history, trace: trace, tracesValues: tracesValues)
    }

    private convenience init(
        opening model: NSManagedObjectModel, at location: StoreLocation,
        logError: (@Sendable (any Swift.Error) -> Void)?, strict: Bool, timeout: TimeInterval,
        readers: Int?, mergePolicy: NSMergePolicyType, history: Bool, trace: (@Sendable (SQLTrace) -> Void)?,
        tracesValues: Bool
    ) throws {
        let coordinator = try Self.coordinator(
            of: model, at: location, timeout: timeout,
            options: try OpeningOptions.tracing(trace, withValues: tracesValues)
                .merging(try OpeningOptions.readers(readers)) { $1 }
                .merging(history ? OpeningOptions.history : [:]) { $1 })
        self.init(coordinator: coordinator, mergePolicy: mergePolicy, logError: logError, strict: strict)
    }

    private static func coordinator(
        of model: NSManagedObjectModel, at location: StoreLocation, timeout: TimeInterval, options: [String: Any]
    ) throws -> NSPersistentStoreCoordinator {
        guard timeout >= 0, timeout.isFinite else {
            throw StoreError(
                .cannotOpen,
                "Cannot open \(location): the timeout of \(timeout) seconds is not valid. Use zero or more.")
        }
        try model.checkIssues()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if case .file(let url) = location.kind { try createFolder(of: url) }
        try translatingErrors(isOpening: true) {
            let opening = try opening(of: location)
            _ = try coordinator.addPersistentStore(
                ofType: opening.type, configurationName: nil, at: opening.url,
                options: options.merging(opening.options) { $1 }.merging([
                    NSReadOnlyPersistentStoreOption: NSNumber(value: location.isReadOnly),
                    NSPersistentStoreTimeoutOption: NSNumber(value: timeout),
                ]) { $1 })
        }
        return coordinator
    }

    private static func opening(of location: StoreLocation) throws -> StoreOpening {
        if case .server(let server) = location.kind { return try server.opening() }
        // An SQLite store without a file instead of Core Data's in-memory store type, because it also enforces
        // uniqueness.
        return StoreOpening(type: NSSQLiteStoreType, url: location.url ?? URL(fileURLWithPath: "/dev/null"))
    }

    private static func createFolder(of url: URL) throws {
        guard url.isFileURL else {
            throw StoreError(.cannotOpen, "Cannot open '\(url)': a store needs the URL of a file.")
        }
        let folder = url.deletingLastPathComponent()
        // Below this device, names of stores in memory that are shared.
        if folder.path == "/dev/null" { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .cannotOpen, "Cannot create the folder '\(folder.path)' for the store '\(url.lastPathComponent)'.",
                cause: error)
        }
    }
}
