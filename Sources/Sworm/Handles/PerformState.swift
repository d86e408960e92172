/// The state that all handles of one scope share.
final class PerformState {
    let scope: Scope
    let bindings: BindingCache
    private var families: [ObjectIdentifier: AnyObject] = [:]
    /// The family that was created last for rows. The members of one object are usually in the same rows as those of
    /// the next one.
    private var lastFamily: AnyObject?

    init(_ scope: Scope, bindings: BindingCache) {
        self.scope = scope
        self.bindings = bindings
    }

    /// Returns the state shared by handles of a type that were not fetched together.
    ///
    /// - Throws: A ``StoreError`` if the type's tables do not fit the model.
    func family<T: ManagedObjectConvertible>(of type: T.Type) throws -> HandleStorage<T> {
        bindings.recordHandles(of: type)
        // The entry of a type always has that type. A checked cast would look types up for each request.
        if let known = families[ObjectIdentifier(type)] { return unsafeDowncast(known, to: HandleStorage<T>.self) }
        let family = HandleStorage<T>(try bindings.binding(for: type), workspace: self, rows: nil)
        // Families and workspace retain each other until the scope ends, so no family is stored after that.
        if scope.isActive { families[ObjectIdentifier(type)] = family }
        return family
    }

    /// Returns the state shared by handles to rows.
    ///
    /// - Throws: The errors of ``family(of:)``.
    func family<T>(of type: T.Type, _ rows: FetchedRows) throws -> HandleStorage<T> {
        bindings.recordHandles(of: type)
        if let known = lastFamily as? HandleStorage<T>, let others = known.rows, others === rows {
            return known
        }
        let family = HandleStorage<T>(try bindings.binding(for: type), workspace: self, rows: rows)
        if scope.isActive { lastFamily = family }
        return family
    }

    /// Releases the shared state. Handles that outlive the scope retain their family.
    func end() {
        families = [:]
        lastFamily = nil
    }
}

/// The state that the handles of one type in one scope share, so that a handle stays small.
final class HandleStorage<T: ManagedObjectConvertible> {
    let binding: EntityBinding<T>
    let workspace: PerformState
    let scope: Scope
    /// The rows of a fetch whose objects are created on demand, or nil if the handles have objects.
    let rows: FetchedRows?
    /// The two most recently used key paths, with their attributes. A key path literal in a program is a single object,
    /// so a loop finds it here by identity.
    private var knownKeyPaths = (first: KnownKeyPath(), second: KnownKeyPath())

    private struct KnownKeyPath {
        var keyPath: PartialKeyPath<T>?
        var index = 0
    }

    init(_ binding: EntityBinding<T>, workspace: PerformState, rows: FetchedRows?) {
        self.binding = binding
        self.workspace = workspace
        scope = workspace.scope
        self.rows = rows
    }

    /// Returns the index of the attribute that a key path refers to. It is called while the scope is active, and
    /// therefore on its thread.
    ///
    /// - Throws: A ``StoreError`` if the property is not in the table.
    func index(of keyPath: PartialKeyPath<T>) throws(StoreError) -> Int {
        if knownKeyPaths.first.keyPath === keyPath { return knownKeyPaths.first.index }
        if knownKeyPaths.second.keyPath === keyPath { return knownKeyPaths.second.index }
        let index = try binding.mapping.index(of: keyPath)
        knownKeyPaths = (KnownKeyPath(keyPath: keyPath, index: index), knownKeyPaths.first)
        return index
    }
}
