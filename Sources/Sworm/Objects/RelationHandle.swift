/// A relation to many of one object: what the sets of handles stand on. It knows the owner's type only in its closures.
struct RelationHandle<Destination: ManagedObjectConvertible> {
    private let members: () throws -> [NSManagedObject]
    /// Handles that need no objects; nil where the members have objects.
    private let rows: () throws -> [ManagedObject<Destination>]?
    private let counting: () throws -> Int
    private let searching: (NSManagedObject) throws -> Bool
    private let adding: (NSManagedObject) throws -> Void
    private let removing: (NSManagedObject) throws -> Void
    private let setting: ([NSManagedObject]) throws -> Void
    private let checking: () throws -> Void
    private let checkingWith: (ManagedObject<Destination>) throws -> Void
    private let handle: (NSManagedObject) throws -> ManagedObject<Destination>
    private let scope: Scope

    init<Owner>(_ owner: ManagedObject<Owner>, _ name: String) {
        scope = owner.scope
        checking = { try owner.check() }
        checkingWith = { try owner.requireRelatable($0, by: name) }
        rows = { try owner.rowHandles(of: name, as: Destination.self) }
        members = { try Engine.members(owner.instance, name, owner.binding) }
        counting = { try Engine.memberCount(owner.instance, name, owner.binding) }
        searching = { try Engine.hasMember(owner.instance, name, $0, owner.binding) }
        adding = { try Engine.addMember(owner.instance, name, $0, owner.binding) }
        removing = { try Engine.removeMember(owner.instance, name, $0, owner.binding) }
        setting = { try Engine.setMembers(owner.instance, name, $0, owner.binding) }
        handle = { try owner.handle($0, as: Destination.self) }
    }

    // MARK: Reading

    /// The members as they are now; nothing, and a report, when they can't be read.
    var objects: [NSManagedObject] { reading([]) { try members() } }

    /// Whether the handles may be used here and now; a report where they may not.
    var isUsable: Bool { scope.isActive || reading(false) { true } }

    var count: Int { reading(0) { try rows()?.count ?? counting() } }

    func contains(_ object: ManagedObject<Destination>) -> Bool {
        reading(false) {
            try object.check()
            return try searching(object.instance)
        }
    }

    func index(of object: ManagedObject<Destination>) -> Int? {
        reading(nil) {
            try object.check()
            return try members().firstIndex { $0 === object.instance }
        }
    }

    func handle(of object: NSManagedObject) -> ManagedObject<Destination>? { reading(nil) { try handle(object) } }

    /// The members as they are now.
    ///
    /// - Throws: A ``StoreError`` when they can't be read.
    func handles() throws -> [ManagedObject<Destination>] {
        try checking()
        if let handles = try Engine.translating(rows) { return handles }
        return try Engine.translating { try members() }.map { try handle($0) }
    }

    /// The same; nothing, and a report, when they can't be read.
    var present: [ManagedObject<Destination>] {
        reading([]) { try rows() ?? members().map { try handle($0) } }
    }

    private func reading<R>(_ nothing: R, _ work: () throws -> R) -> R {
        do {
            try checking()
            return try Engine.translating(work)
        } catch {
            scope.note(error)
            return nothing
        }
    }

    // MARK: Changing

    func add(_ object: ManagedObject<Destination>) throws {
        try checkingWith(object)
        try Engine.translating { try adding(object.instance) }
    }

    func remove(_ object: ManagedObject<Destination>) throws {
        try checkingWith(object)
        try Engine.translating { try removing(object.instance) }
    }

    /// Makes the members exactly these, in this order.
    func set(_ objects: [ManagedObject<Destination>]) throws {
        try checking()
        for object in objects { try checkingWith(object) }
        try Engine.translating { try setting(objects.map(\.instance)) }
    }

    /// Puts the members into another order, adds one or takes some out, by a change of their list.
    func rearrange(
        with object: ManagedObject<Destination>? = nil, _ change: (inout [NSManagedObject]) throws -> Void
    ) throws {
        try checking()
        if let object { try checkingWith(object) }
        try Engine.translating {
            var objects = try members()
            try change(&objects)
            try setting(objects)
        }
    }
}
