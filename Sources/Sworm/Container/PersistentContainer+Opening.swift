public import Foundation
// Containers that open their own store.
extension PersistentContainer {
    /// Opens a store whose model is made from the tables of types.
    ///
    /// ```swift
    /// let store = try PersistentContainer(for: Book.self, at: .file(url))
    /// ```
    /// The types that the relations of the given ones lead to are found. Several containers may open one file, in one
    /// process or in several. The store stays open as long as the container lives.
    ///
    /// - Parameters:
    ///   - type: A type with tables.
    ///   - others: Types that no relation of the others leads to.
    ///   - location: Where the store is.
    ///   - logError: Called with every error that a `perform` throws, and with what could not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown stops the program. For tests.
    ///   - timeout: The seconds to wait for a store that another process holds locked.
    ///   - readers: The number of calls of this process that may read the file at the same time; nil for four, or the number
    ///     of processors if that is higher. Among containers over the same file the highest number counts. Core Data has no
    ///     such bound: on Apple's platforms a number makes the initialiser throw.
    ///   - mergePolicy: What a save does about rows that others changed in the meantime, and about unique values that are
    ///     taken.
    ///   - trace: Called with every statement that the store's connections run, with its time, on the thread that runs it. It
    ///     must not use the container. Nothing is measured without it. Core Data does not tell its statements: on Apple's
    ///     platforms a trace makes the initialiser throw.
    ///   - tracesValues: Whether the trace gets the values, too. They can be somebody's secrets.
    /// - Throws: A ``StoreError``: `invalidTable` with every fault of the tables, `incompatibleModel` when the file was
    ///   written with another model, `cannotOpen` and others when it cannot be opened. The file is then as it was.
    public convenience init(
        for type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
        at location: StoreLocation, logError: (@Sendable (any Swift.Error) -> Void)? = nil, strict: Bool = false,
        timeout: TimeInterval = 240, readers: Int? = nil, mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        trace: (@Sendable (SQLTrace) -> Void)? = nil, tracesValues: Bool = false
    ) throws {
        let model = try TableModel.shared(for: [type] + others)
        try self.init(
            opening: model, at: location, logError: logError, strict: strict, timeout: timeout,
            readers: readers, mergePolicy: mergePolicy, trace: trace, tracesValues: tracesValues)
    }

    /// Opens a store with a model of your own, after comparing the tables of types with it.
    ///
    /// - Parameters:
    ///   - model: The model. It must not be changed any more.
    ///   - types: The types to be compared with the model, with all that their relations lead to.
    ///   - location: Where the store is.
    ///   - use: What the types are compared for. By default to be read and written; only to be read where the store is opened
    ///     read-only.
    ///   - logError: Called with every error that a `perform` throws, and with what could not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown stops the program. For tests.
    ///   - timeout: The seconds to wait for a store that another process holds locked.
    ///   - readers: The number of calls of this process that may read the file at the same time; nil for four, or the number
    ///     of processors if that is higher. Among containers over the same file the highest number counts. Core Data has no
    ///     such bound: on Apple's platforms a number makes the initialiser throw.
    ///   - mergePolicy: What a save does about rows that others changed in the meantime, and about unique values that are
    ///     taken.
    ///   - trace: Called with every statement that the store's connections run, with its time, on the thread that runs it. It
    ///     must not use the container. Nothing is measured without it. Core Data does not tell its statements: on Apple's
    ///     platforms a trace makes the initialiser throw.
    ///   - tracesValues: Whether the trace gets the values, too. They can be somebody's secrets.
    /// - Throws: A ``StoreError``: `contractViolation` with every point in which tables and model differ, `invalidModel`,
    ///   `incompatibleModel` when the file was written with another model, `cannotOpen` and others when it cannot be opened.
    ///   The file is then as it was.
    public convenience init(
        model: NSManagedObjectModel, checking types: any ManagedObjectConvertible.Type..., at location: StoreLocation,
        for use: ModelContract.Use? = nil, logError: (@Sendable (any Swift.Error) -> Void)? = nil,
        strict: Bool = false, timeout: TimeInterval = 240, readers: Int? = nil,
        mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        trace: (@Sendable (SQLTrace) -> Void)? = nil, tracesValues: Bool = false
    ) throws {
        try ModelContract(types).check(model, for: use ?? (location.isReadOnly ? .reading : .writing))
        try self.init(
            opening: model, at: location, logError: logError, strict: strict, timeout: timeout,
            readers: readers, mergePolicy: mergePolicy, trace: trace, tracesValues: tracesValues)
    }

    /// Opens a store with the model of a model file, after comparing the tables of types with it.
    ///
    /// - Parameters:
    ///   - modelFile: The model: an `.xcdatamodeld` (its current version) or `.xcdatamodel` folder where this library's own
    ///     engine runs, and a compiled `.momd` or `.mom` on Apple's platforms.
    ///   - types: The types to be compared with the model, with all that their relations lead to.
    ///   - location: Where the store is.
    ///   - use: What the types are compared for. By default to be read and written; only to be read where the store is opened
    ///     read-only.
    ///   - logError: Called with every error that a `perform` throws, and with what could not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown stops the program. For tests.
    ///   - timeout: The seconds to wait for a store that another process holds locked.
    ///   - readers: The number of calls of this process that may read the file at the same time; nil for four, or the number
    ///     of processors if that is higher. Among containers over the same file the highest number counts. Core Data has no
    ///     such bound: on Apple's platforms a number makes the initialiser throw.
    ///   - mergePolicy: What a save does about rows that others changed in the meantime, and about unique values that are
    ///     taken.
    ///   - trace: Called with every statement that the store's connections run, with its time, on the thread that runs it. It
    ///     must not use the container. Nothing is measured without it. Core Data does not tell its statements: on Apple's
    ///     platforms a trace makes the initialiser throw.
    ///   - tracesValues: Whether the trace gets the values, too. They can be somebody's secrets.
    /// - Throws: A ``StoreError``: `invalidModel` when the model cannot be read, and what the initialiser for a model throws.
    public convenience init(
        modelFile: URL, checking types: any ManagedObjectConvertible.Type..., at location: StoreLocation,
        for use: ModelContract.Use? = nil, logError: (@Sendable (any Swift.Error) -> Void)? = nil,
        strict: Bool = false, timeout: TimeInterval = 240, readers: Int? = nil,
        mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        trace: (@Sendable (SQLTrace) -> Void)? = nil, tracesValues: Bool = false
    ) throws {
        let model = try Engine.model(at: modelFile)
        try ModelContract(types).check(model, for: use ?? (location.isReadOnly ? .reading : .writing))
        try self.init(
            opening: model, at: location, logError: logError, strict: strict, timeout: timeout,
            readers: readers, mergePolicy: mergePolicy, trace: trace, tracesValues: tracesValues)
    }

    private convenience init(
        opening model: NSManagedObjectModel, at location: StoreLocation,
        logError: (@Sendable (any Swift.Error) -> Void)?, strict: Bool, timeout: TimeInterval,
        readers: Int?, mergePolicy: NSMergePolicyType, trace: (@Sendable (SQLTrace) -> Void)?, tracesValues: Bool
    ) throws {
        let coordinator = try Self.coordinator(
            of: model, at: location, timeout: timeout,
            options: try Engine.options(tracing: trace, withValues: tracesValues)
                .merging(try Engine.options(readers: readers)) { $1 })
        self.init(coordinator: coordinator, mergePolicy: mergePolicy, logError: logError, strict: strict)
    }

    private static func coordinator(
        of model: NSManagedObjectModel, at location: StoreLocation, timeout: TimeInterval, options: [String: Any]
    ) throws -> NSPersistentStoreCoordinator {
        guard timeout >= 0, timeout.isFinite else {
            throw StoreError(
                .cannotOpen,
                "Cannot open \(location): a timeout of \(timeout) seconds makes no sense. Give zero or more.")
        }
        try Engine.checkModel(model)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if case .file(let url) = location.kind { try createFolder(of: url) }
        try Engine.translating(isOpening: true) {
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil,
                // An SQLite store without a file, and not one of the in-memory type: it also keeps unique values unique.
                at: location.url ?? URL(fileURLWithPath: "/dev/null"),
                options: options.merging([
                    NSReadOnlyPersistentStoreOption: NSNumber(value: location.isReadOnly),
                    NSPersistentStoreTimeoutOption: NSNumber(value: timeout),
                ]) { $1 })
        }
        return coordinator
    }

    private static func createFolder(of url: URL) throws {
        guard url.isFileURL else {
            throw StoreError(.cannotOpen, "Cannot open \(url): a store needs the URL of a file.")
        }
        let folder = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .cannotOpen, "Cannot create the folder \(folder.path) for the store \(url.lastPathComponent).",
                cause: error)
        }
    }
}
