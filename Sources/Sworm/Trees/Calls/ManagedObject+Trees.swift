import Foundation

extension ManagedObject {
    /// Returns the object as a tree.
    ///
    /// - Parameter type: A type of trees over the entity.
    /// - Throws: The errors of ``decode()``.
    public func decode<Tree: ManagedTreeConvertible>(as type: Tree.Type) throws -> Tree
    where Tree.Entity == PlainObject.Entity {
        try check()
        let workspace = family.workspace
        return try translatingErrors {
            let reader = TreeReader(workspace.bindings.context, bindings: workspace.bindings)
            return try reader.value(of: instance, as: Tree.self)
        }
    }

    /// Saves a tree whose root is the object, whatever identifies other trees.
    ///
    /// - Parameter tree: The tree.
    /// - Returns: The numbers of objects.
    /// - Throws: The errors of ``ManagedObjectContext/save(contentsOf:on:repeats:replacing:)``. Nothing of this call is kept
    ///   in that case.
    @discardableResult
    public func save<Tree: ManagedTreeConvertible>(_ tree: Tree) throws -> TreeSaveResult
    where Tree.Entity == PlainObject.Entity {
        try checkWriting()
        return try family.saving { saver in
            try saver.add([tree], from: nil, on: [], root: instance)
            try saver.write()
            return saver.result
        }
    }
}
