/// The operations on an object's relations to many, independent of the object's type.
protocol RelationOwner: AnyObject {
    var scope: Scope { get }
    /// Throws an error if the object cannot be used in the current scope and thread.
    func check() throws(StoreError)
    /// Throws an error if the object cannot be changed in the current scope and thread.
    func checkWriting() throws(StoreError)
    func requireRelatable<Other>(_ other: ManagedObject<Other>, by relation: String) throws(StoreError)
    /// Returns handles that do not need objects, or nil if the members have objects.
    func rowHandles<T>(of relation: String, as type: T.Type) throws -> [ManagedObject<T>]?
    /// Returns the number of members without objects, or nil if the members have objects.
    func rowMemberCount(of relation: String) throws -> Int?
    func handle<T>(_ object: NSManagedObject, as type: T.Type) throws -> ManagedObject<T>
    func members(of relation: String) throws -> [NSManagedObject]
    func memberCount(of relation: String) throws -> Int
    func member(at position: Int, of relation: String) throws -> NSManagedObject?
    func position(of object: NSManagedObject, in relation: String) throws -> Int?
    func hasMember(_ object: NSManagedObject, of relation: String) throws -> Bool
    func addMember(_ object: NSManagedObject, to relation: String) throws
    func insertMember(_ object: NSManagedObject, at position: Int, of relation: String) throws
    func moveMember(from source: Int, to destination: Int, of relation: String) throws
    func removeMember(_ object: NSManagedObject, from relation: String) throws
    func setMembers(_ objects: [NSManagedObject], of relation: String) throws
}

extension ManagedObject: RelationOwner {
    func members(of relation: String) throws -> [NSManagedObject] { try binding.members(of: instance, along: relation) }
    func memberCount(of relation: String) throws -> Int { try binding.memberCount(of: instance, along: relation) }
    func member(at position: Int, of relation: String) throws -> NSManagedObject? {
        try binding.member(at: position, of: instance, along: relation)
    }
    func position(of object: NSManagedObject, in relation: String) throws -> Int? {
        try binding.index(of: object, in: instance, along: relation)
    }
    func hasMember(_ object: NSManagedObject, of relation: String) throws -> Bool {
        try binding.hasMember(object, of: instance, along: relation)
    }
    func addMember(_ object: NSManagedObject, to relation: String) throws {
        try binding.addMember(object, to: instance, along: relation)
    }
    func insertMember(_ object: NSManagedObject, at position: Int, of relation: String) throws {
        try binding.insertMember(object, at: position, of: instance, along: relation)
    }
    func moveMember(from source: Int, to destination: Int, of relation: String) throws {
        try binding.moveMember(from: source, to: destination, of: instance, along: relation)
    }
    func removeMember(_ object: NSManagedObject, from relation: String) throws {
        try binding.removeMember(object, from: instance, along: relation)
    }
    func setMembers(_ objects: [NSManagedObject], of relation: String) throws {
        try binding.setMembers(objects, of: instance, along: relation)
    }
}

/// A relation to many of one object, on which the sets of handles are based.
struct RelationHandle<Destination: ManagedObjectConvertible> {
    private let owner: any RelationOwner
    private let name: String

    init(of owner: any RelationOwner, named name: String) {
        self.owner = owner
        self.name = name
    }

    var scope: Scope { owner.scope }

    // MARK: Reading

    /// Returns handles that do not need objects, or nil if the members have objects.
    private func rows() throws -> [ManagedObject<Destination>]? { try owner.rowHandles(of: name, as: Destination.self) }

    /// Whether the handles can be used. Reports an error if they cannot.
    var isUsable: Bool { scope.isActive || reading(otherwise: false) { true } }

    var count: Int { reading(otherwise: 0) { try owner.rowMemberCount(of: name) ?? owner.memberCount(of: name) } }

    func contains(_ object: ManagedObject<Destination>) -> Bool {
        reading(otherwise: false) {
            try object.check()
            return try owner.hasMember(object.instance, of: name)
        }
    }

    func index(of object: ManagedObject<Destination>) -> Int? {
        reading(otherwise: nil) {
            try object.check()
            return try owner.position(of: object.instance, in: name)
        }
    }

    /// Returns the member at an index, or nil if the index is beyond the last member.
    func handle(at position: Int) -> ManagedObject<Destination>? {
        reading(otherwise: nil) {
            try owner.member(at: position, of: name).map { try owner.handle($0, as: Destination.self) }
        }
    }

    /// Returns the current members.
    ///
    /// - Throws: A ``StoreError`` if the members cannot be read.
    func handles() throws -> [ManagedObject<Destination>] {
        try owner.check()
        if let handles = try translatingErrors({ try rows() }) { return handles }
        return try translatingErrors { try owner.members(of: name) }.map { try owner.handle($0, as: Destination.self) }
    }

    /// The current members. If they cannot be read, an empty array, and the error is reported.
    var present: [ManagedObject<Destination>] {
        reading(otherwise: []) {
            try rows() ?? owner.members(of: name).map { try owner.handle($0, as: Destination.self) }
        }
    }

    private func reading<R>(otherwise nothing: R, _ work: () throws -> R) -> R {
        do {
            try owner.check()
            return try translatingErrors(work)
        } catch {
            scope.note(error)
            return nothing
        }
    }

    // MARK: Changing

    func add(_ object: ManagedObject<Destination>) throws {
        try owner.checkWriting()
        try owner.requireRelatable(object, by: name)
        try translatingErrors { try owner.addMember(object.instance, to: name) }
    }

    func remove(_ object: ManagedObject<Destination>) throws {
        try owner.checkWriting()
        try owner.requireRelatable(object, by: name)
        try translatingErrors { try owner.removeMember(object.instance, from: name) }
    }

    /// Replaces the members with the given objects, in this order.
    func set(_ objects: [ManagedObject<Destination>]) throws {
        try owner.checkWriting()
        for object in objects { try owner.requireRelatable(object, by: name) }
        try translatingErrors { try owner.setMembers(objects.map(\.instance), of: name) }
    }

    /// Inserts an object at an index. An existing member is moved.
    func insert(_ object: ManagedObject<Destination>, at position: Int) throws {
        try owner.checkWriting()
        try owner.requireRelatable(object, by: name)
        try translatingErrors { try owner.insertMember(object.instance, at: position, of: name) }
    }

    /// Moves a member to another index.
    func move(from source: Int, to destination: Int) throws {
        try owner.checkWriting()
        try translatingErrors {
            let count = try owner.memberCount(of: name)
            guard source >= 0, source < count else {
                throw StoreError(
                    .objectNotFound,
                    "Cannot move member \(source) of an ordered relation: it has \(count) members.",
                    entity: Destination.entityName)
            }
            try owner.moveMember(from: source, to: destination, of: name)
        }
    }
}
