import Sworm

/// The contents of a form for a recipe.
struct RecipeDraft: Sendable {
    var title: String
    var cuisine: String?
    var keywords: [String] = []
    var ingredients: [(name: String, quantity: Decimal?, unit: MeasureUnit?)] = []
    var difficulty = Difficulty.easy
    var cost: Decimal?
}

/// A row of a list, which may travel between queues.
struct RecipeRow: Equatable, Sendable {
    var id: NSManagedObjectID
    var title: String
    var keywords: [String]
    var ingredients: Int
}

/// What view models call: every method works in the background.
struct RecipeService: Sendable {
    let stack: CoreDataStack

    func add(_ draft: RecipeDraft) async throws -> NSManagedObjectID {
        try await stack.performTask { context in
            let recipe = try Self.insert(draft, into: context)
            try context.obtainPermanentIDs(for: [recipe])
            return recipe.objectID
        }
    }

    private static func insert(_ draft: RecipeDraft, into context: NSManagedObjectContext) throws -> Recipe {
        try EntityRepository<Recipe>(context).create { recipe in
            recipe.title = draft.title
            recipe.difficulty = draft.difficulty
            recipe.cost = draft.cost
            for ingredient in draft.ingredients {
                recipe.addIngredient(ingredient.name, quantity: ingredient.quantity, unit: ingredient.unit)
            }
            if let name = draft.cuisine {
                let cuisines = EntityRepository<Cuisine>(context)
                recipe.cuisine = try cuisines.findOrCreate(where: NSPredicate(format: "name == %@", name)) {
                    $0.name = name
                }
            }
            let keywords = EntityRepository<Keyword>(context)
            for name in draft.keywords {
                let keyword = try keywords.findOrCreate(where: NSPredicate(format: "name == %@", name)) {
                    $0.name = name
                }
                recipe.keywords.insert(keyword)
            }
        }
    }

    func rename(_ id: NSManagedObjectID, to title: String) async throws {
        try await stack.performTask { context in
            guard let recipe = try EntityRepository<Recipe>(context).object(with: id) else { return }
            recipe.title = title
        }
    }

    func delete(_ id: NSManagedObjectID) async throws {
        try await stack.performTask { context in
            let recipes = EntityRepository<Recipe>(context)
            if let recipe = try recipes.object(with: id) { recipes.delete(recipe) }
        }
    }

    func addRemark(_ text: String, to id: NSManagedObjectID) async throws {
        try await stack.performTask { context in
            guard let recipe = try EntityRepository<Recipe>(context).object(with: id) else { return }
            EntityRepository<Remark>(context).create { remark in
                remark.text = text
                remark.recipe = recipe
            }
        }
    }

    func addPicture(_ data: Data, width: Int32, to id: NSManagedObjectID) async throws {
        try await stack.performTask { context in
            guard let recipe = try EntityRepository<Recipe>(context).object(with: id) else { return }
            EntityRepository<Picture>(context).create { picture in
                picture.data = data
                picture.width = width
                picture.recipe = recipe
            }
        }
    }

    func search(_ text: String, limit: Int = 20) async throws -> [RecipeRow] {
        try await stack.performTask { context in
            let recipes = try EntityRepository<Recipe>(context).all(
                where: Recipe.matching(text), sortedBy: [NSSortDescriptor(key: "title", ascending: true)],
                limit: limit, prefetching: ["keywords", "ingredients"])
            return recipes.map { recipe in
                RecipeRow(
                    id: recipe.objectID, title: recipe.title, keywords: recipe.keywords.map(\.name).sorted(),
                    ingredients: recipe.ingredients.count)
            }
        }
    }

    /// The total cost of the favorites, in memory.
    func favoritesCost() async throws -> Decimal {
        try await stack.performTask { context in
            let favorites = try EntityRepository<Recipe>(context).all(where: NSPredicate(format: "isFavorite == YES"))
            return favorites.compactMap(\.cost).reduce(0, +)
        }
    }
}
