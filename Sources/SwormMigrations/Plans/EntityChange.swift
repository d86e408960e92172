public import Sworm

/// The change to the objects of an entity in a stage of a migration.
///
/// The closures are called once per object, on the thread that migrates. Their handles are only valid inside the
/// closures.
public struct EntityChange: Sendable {
    enum Work: Sendable {
        /// Receives an object and its successor, to which values have been carried over.
        case changing(@Sendable (_ old: NSManagedObject, _ new: NSManagedObject, _ run: CustomStageRun) throws -> Void)
        /// Creates the successors of an object.
        case making(@Sendable (_ old: NSManagedObject, _ run: CustomStageRun) throws -> [NSManagedObject])
    }

    /// The name of the old entity.
    let source: String
    /// The name of the new entity.
    let destination: String
    let work: Work
    /// A closure that is called when all objects exist, with an object and its successor.
    var relations: (@Sendable (_ old: NSManagedObject, _ new: NSManagedObject, _ run: CustomStageRun) throws -> Void)?
    var carriesRelations = true

    var makes: Bool {
        if case .making = work { true } else { false }
    }

    /// Returns a change that turns each object into one new object, with a closure that sets the new value.
    ///
    /// - Parameters:
    ///   - old: The type of the old version.
    ///   - new: The type of the new version. It may belong to another entity.
    ///   - change: A closure that sets the properties that are not carried over automatically. The new value already
    ///     has all other values.
    public static func change<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ old: Old.Type, to new: New.Type, _ change: @escaping @Sendable (_ old: Old, _ new: inout New) throws -> Void
    ) -> EntityChange {
        EntityChange(
            source: Old.entityName, destination: New.entityName,
            work: .changing { before, after, run in
                try run.lend { stores in
                    let object = try stores.new.handle(after, as: New.self)
                    var value = try object.decodeUnfinished()
                    try change(try stores.old.handle(before, as: Old.self).decode(), &value)
                    try object.encode(value)
                }
            })
    }

    /// Returns a change that turns each object into one new object, with closures that receive both objects as handles,
    /// with their relations.
    ///
    /// - Parameters:
    ///   - old: The type of the old version.
    ///   - new: The type of the new version. It may belong to another entity.
    ///   - change: A closure that sets attributes of the new object, and may insert further objects. No relations are
    ///     set yet.
    ///   - relations: A closure that is called when all objects of the store exist and all relations that can be
    ///     carried over automatically have been.
    public static func changeObjects<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        of old: Old.Type, to new: New.Type,
        _ change: @escaping @Sendable (ManagedObject<Old>, ManagedObject<New>, CustomStageStores) throws -> Void,
        relations: (@Sendable (ManagedObject<Old>, ManagedObject<New>, CustomStageStores) throws -> Void)? = nil
    ) -> EntityChange {
        EntityChange(
            source: Old.entityName, destination: New.entityName, work: .changing(Self.lending(change)),
            relations: relations.map(Self.lending))
    }

    /// Returns a change with a closure that creates the successors of an object: none, one or several. It may also
    /// return an existing object, which other objects have become as well.
    ///
    /// - Parameters:
    ///   - new: The type of the new version.
    ///   - old: The type of the old version.
    ///   - carriesRelations: Whether the relations of the old object are carried over to the new ones.
    ///   - make: A closure that returns inserted or existing objects of the new store. No attributes are carried over
    ///     to them.
    ///   - relations: A closure that is called when all objects of the store exist, with an old object and each of its
    ///     successors.
    public static func make<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ new: New.Type, from old: Old.Type, carriesRelations: Bool = true,
        _ make: @escaping @Sendable (ManagedObject<Old>, CustomStageStores) throws -> [ManagedObject<New>],
        relations: (@Sendable (ManagedObject<Old>, ManagedObject<New>, CustomStageStores) throws -> Void)? = nil
    ) -> EntityChange {
        EntityChange(
            source: Old.entityName, destination: New.entityName,
            work: .making { before, run in
                try run.lend { stores in
                    try make(try stores.old.handle(before, as: Old.self), stores).map { object in
                        try stores.new.requireOwn(object)
                        return object.instance
                    }
                }
            }, relations: relations.map(Self.lending), carriesRelations: carriesRelations)
    }

    /// Returns a change that turns each object into one new object, with a closure that receives both as managed
    /// objects, for models without types.
    ///
    /// - Parameters:
    ///   - old: The name of the old entity.
    ///   - new: The name of the new entity.
    ///   - change: A closure that sets attributes of the new object.
    ///   - relations: A closure that is called when all objects of the store exist and all relations that can be
    ///     carried over automatically have been.
    public static func changeManagedObjects(
        of old: String, to new: String,
        _ change:
            @escaping @Sendable (_ old: NSManagedObject, _ new: NSManagedObject, NSMigrationManager) throws -> Void,
        relations: (
            @Sendable (_ old: NSManagedObject, _ new: NSManagedObject, NSMigrationManager) throws -> Void
        )? = nil
    ) -> EntityChange {
        EntityChange(
            source: old, destination: new, work: .changing(withManager(change)), relations: relations.map(withManager))
    }

    private static func withManager(
        _ body: @escaping @Sendable (NSManagedObject, NSManagedObject, NSMigrationManager) throws -> Void
    ) -> @Sendable (NSManagedObject, NSManagedObject, CustomStageRun) throws -> Void {
        { before, after, run in try body(before, after, run.manager) }
    }

    private static func lending<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ body: @escaping @Sendable (ManagedObject<Old>, ManagedObject<New>, CustomStageStores) throws -> Void
    ) -> @Sendable (NSManagedObject, NSManagedObject, CustomStageRun) throws -> Void {
        { (before: NSManagedObject, after: NSManagedObject, run: CustomStageRun) throws -> Void in
            try run.lend { (stores: CustomStageStores) throws -> Void in
                let old = try stores.old.handle(before, as: Old.self)
                let new = try stores.new.handle(after, as: New.self)
                try body(old, new, stores)
            }
        }
    }
}
