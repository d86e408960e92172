import Sworm

/// Edits a recipe in a scratch pad: a child of the view context, so that a form can be cancelled.
@MainActor
final class RecipeEditor {
    let recipe: Recipe
    private let stack: CoreDataStack
    private let context: NSManagedObjectContext

    /// Edits a recipe; without an identifier, a new one.
    init(_ id: NSManagedObjectID? = nil, in stack: CoreDataStack) throws {
        self.stack = stack
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.name = "editor"
        context.parent = stack.viewContext
        if let id {
            guard let existing = try context.existingObject(with: id) as? Recipe else { throw RecipeError.store(0) }
            recipe = existing
        } else {
            recipe = Recipe(context: context)
        }
    }

    var hasChanges: Bool { context.hasChanges }

    func save() throws {
        do {
            try context.save()
        } catch {
            throw RecipeError(error)
        }
        try stack.viewContext.saveIfNeeded()
    }

    func cancel() {
        context.rollback()
    }
}
