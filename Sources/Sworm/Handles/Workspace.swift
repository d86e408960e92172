/// What all handles of one scope share.
final class Workspace {
    let scope: Scope
    let bindings: BindingCache
    private var families: [ObjectIdentifier: AnyObject] = [:]
    /// The family that was made last for rows: the members of one object mostly lie among those of the next one.
    private var lastFamily: AnyObject?

    init(_ scope: Scope, _ bindings: BindingCache) {
        self.scope = scope
        self.bindings = bindings
    }

    /// What the handles of a type share that were not fetched together.
    ///
    /// - Throws: A ``StoreError`` when the type's tables do not fit the model.
    func family<T: ManagedObjectConvertible>(of type: T.Type) throws -> HandleFamily<T> {
        // What is kept for a type is of that type: a cast would look types up, for each request.
        if let known = families[ObjectIdentifier(type)] { return unsafeDowncast(known, to: HandleFamily<T>.self) }
        let family = HandleFamily<T>(try bindings.binding(for: type), self, nil)
        // Families and workspace hold each other until the scope ends, so none is kept after that.
        if scope.isActive { families[ObjectIdentifier(type)] = family }
        return family
    }

    /// What the handles on rows share.
    ///
    /// - Throws: As ``family(of:)``.
    func family<T>(of type: T.Type, _ rows: Engine.Rows) throws -> HandleFamily<T> {
        if let known = lastFamily as? HandleFamily<T>, let others = known.rows, Engine.areSame(others, rows) {
            return known
        }
        let family = HandleFamily<T>(try bindings.binding(for: type), self, rows)
        if scope.isActive { lastFamily = family }
        return family
    }

    /// Lets go of what the handles share. Those that outlive the scope keep their own.
    func end() {
        families = [:]
        lastFamily = nil
    }
}

/// What the handles of one type in one scope share, so that a handle stays small.
final class HandleFamily<T: ManagedObjectConvertible> {
    let binding: EngineBinding<T>
    let workspace: Workspace
    let scope: Scope
    /// The rows of a fetch whose objects are made when they are asked for; nil where handles hold their objects.
    let rows: Engine.Rows?
    /// The key paths that were asked for last, with their attributes. One that is written out in a program is one object, so
    /// that a loop finds it here.
    private var knownKeyPaths = (first: KnownKeyPath(), second: KnownKeyPath())

    private struct KnownKeyPath {
        var keyPath: PartialKeyPath<T>?
        var index = 0
    }

    init(_ binding: EngineBinding<T>, _ workspace: Workspace, _ rows: Engine.Rows?) {
        self.binding = binding
        self.workspace = workspace
        scope = workspace.scope
        self.rows = rows
    }

    /// The place of the attribute that a key path leads to. Called while the scope is active, and so on its thread.
    ///
    /// - Throws: A ``StoreError`` for a property that is not in the table.
    func index(of keyPath: PartialKeyPath<T>) throws(StoreError) -> Int {
        if knownKeyPaths.first.keyPath === keyPath { return knownKeyPaths.first.index }
        if knownKeyPaths.second.keyPath === keyPath { return knownKeyPaths.second.index }
        let index = try binding.plan.index(of: keyPath)
        knownKeyPaths = (KnownKeyPath(keyPath: keyPath, index: index), knownKeyPaths.first)
        return index
    }
}
