/// What all handles of one scope share.
final class Workspace {
    let scope: Scope
    let bindings: BindingCache
    private var families: [ObjectIdentifier: AnyObject] = [:]

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

    /// Lets go of what the handles share. Those that outlive the scope keep their own.
    func end() { families = [:] }
}

/// What the handles of one type in one scope share, so that a handle stays small.
final class HandleFamily<T: ManagedObjectConvertible> {
    let binding: EngineBinding<T>
    let workspace: Workspace
    let scope: Scope
    /// The rows of a fetch whose objects are made when they are asked for; nil where handles hold their objects.
    let rows: Engine.Rows?

    init(_ binding: EngineBinding<T>, _ workspace: Workspace, _ rows: Engine.Rows?) {
        self.binding = binding
        self.workspace = workspace
        scope = workspace.scope
        self.rows = rows
    }
}
