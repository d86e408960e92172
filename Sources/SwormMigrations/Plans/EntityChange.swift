public import Sworm

/// What becomes of the objects of an entity in a stage of a migration.
///
/// The closures are called once for each object, on the thread that migrates. Their handles work only while they run.
public struct EntityChange: Sendable {
    enum Work: Sendable {
        /// Sees an object and what it has become, which has what is carried over.
        case changing(@Sendable (_ old: NSManagedObject, _ new: NSManagedObject, _ run: StageRun) throws -> Void)
        /// Makes what an object becomes.
        case making(@Sendable (_ old: NSManagedObject, _ run: StageRun) throws -> [NSManagedObject])
    }

    /// The name of the old entity.
    let source: String
    /// The name of the new entity.
    let destination: String
    let work: Work
    /// Called when all objects are there, for an object and what it has become.
    var relations: (@Sendable (_ old: NSManagedObject, _ new: NSManagedObject, _ run: StageRun) throws -> Void)?
    var carriesRelations = true

    var makes: Bool {
        if case .making = work { true } else { false }
    }

    /// Each object becomes one, and a closure makes the new value of the old one.
    ///
    /// - Parameters:
    ///   - old: The type of the old version.
    ///   - new: The type of the new version. It may be of another entity.
    ///   - change: Sets what is not carried over by itself: the new value has the rest already.
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

    /// Each object becomes one, and closures see both as objects, with their relations.
    ///
    /// - Parameters:
    ///   - old: The type of the old version.
    ///   - new: The type of the new version. It may be of another entity.
    ///   - change: Sets attributes of the new object, and may insert others. Nothing is related yet.
    ///   - relations: Called when all objects of the store are there and the relations that could be are carried over.
    public static func changeObjects<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        of old: Old.Type, to new: New.Type,
        _ change: @escaping @Sendable (ManagedObject<Old>, ManagedObject<New>, StageStores) throws -> Void,
        relations: (@Sendable (ManagedObject<Old>, ManagedObject<New>, StageStores) throws -> Void)? = nil
    ) -> EntityChange {
        EntityChange(
            source: Old.entityName, destination: New.entityName, work: .changing(Self.lending(change)),
            relations: relations.map(Self.lending))
    }

    /// A closure makes what an object becomes: nothing, one object, or several; or it finds one that others have become, too.
    ///
    /// - Parameters:
    ///   - new: The type of the new version.
    ///   - old: The type of the old version.
    ///   - carriesRelations: Whether the relations of the old object are carried over to the new ones.
    ///   - make: Returns objects of the new store: inserted, or found there. No attribute is carried over to them.
    ///   - relations: Called when all objects of the store are there, for an old object and each that it has become.
    public static func make<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ new: New.Type, from old: Old.Type, carriesRelations: Bool = true,
        _ make: @escaping @Sendable (ManagedObject<Old>, StageStores) throws -> [ManagedObject<New>],
        relations: (@Sendable (ManagedObject<Old>, ManagedObject<New>, StageStores) throws -> Void)? = nil
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

    /// Each object becomes one, and a closure sees both as managed objects: for models without types.
    ///
    /// - Parameters:
    ///   - old: The name of the old entity.
    ///   - new: The name of the new entity.
    ///   - change: Sets attributes of the new object.
    ///   - relations: Called when all objects of the store are there and the relations that could be are carried over.
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
    ) -> @Sendable (NSManagedObject, NSManagedObject, StageRun) throws -> Void {
        { before, after, run in try body(before, after, run.manager) }
    }

    private static func lending<Old: ManagedObjectConvertible, New: ManagedObjectConvertible>(
        _ body: @escaping @Sendable (ManagedObject<Old>, ManagedObject<New>, StageStores) throws -> Void
    ) -> @Sendable (NSManagedObject, NSManagedObject, StageRun) throws -> Void {
        { (before: NSManagedObject, after: NSManagedObject, run: StageRun) throws -> Void in
            try run.lend { (stores: StageStores) throws -> Void in
                let old = try stores.old.handle(before, as: Old.self)
                let new = try stores.new.handle(after, as: New.self)
                try body(old, new, stores)
            }
        }
    }
}
