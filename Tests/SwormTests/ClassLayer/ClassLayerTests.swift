import Foundation
import Sworm
@testable import SwormTools
import Testing

/// A class layer as an app on Apple platforms has it: subclasses, a stack, repositories, a fetched results controller, batch
/// requests, merge policies and history.
@Suite("A class layer", .timeLimit(.minutes(2)))
struct ClassLayerTests {
    private let folder: StoreFolder
    private let stack: CoreDataStack
    private var service: RecipeService { RecipeService(stack: stack) }

    init() async throws {
        folder = try StoreFolder()
        stack = CoreDataStack(location: .file(folder.file("Recipes.sqlite")))
        try await stack.load()
    }

    private var borscht: RecipeDraft {
        RecipeDraft(
            title: "Borscht", cuisine: "Ukrainian", keywords: ["soup", "beetroot"],
            ingredients: [("beetroot", 3, .piece), ("water", 1500, .millilitre), ("salt", nil, nil)],
            difficulty: .medium, cost: Decimal(string: "7.5"))
    }

    @Test func `a recipe is saved with its parts, and has the values of its life cycle`() async throws {
        let id = try await service.add(borscht)
        #expect(!id.isTemporaryID)
        try await stack.performTask { context in
            let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
            #expect(recipe.title == "Borscht" && recipe.difficulty == .medium && recipe.servings == 2)
            #expect(recipe.searchText == "borscht " && recipe.modifiedAt == nil && !recipe.hasChanges)
            #expect(recipe.orderedIngredients.map(\.name) == ["beetroot", "water", "salt"])
            #expect(recipe.orderedIngredients.map(\.unit) == [.piece, .millilitre, nil])
            #expect(recipe.keywords.map(\.name).sorted() == ["beetroot", "soup"])
            #expect(recipe.cuisine?.path == "Ukrainian" && recipe.cost == Decimal(string: "7.5"))
            recipe.moveIngredient(from: 2, to: 0)
            recipe.isFavorite = true
        }
        try await stack.performTask { context in
            let recipe = try #require(try EntityRepository<Recipe>(context).first(where: Recipe.matching("SOUP")))
            #expect(recipe.orderedIngredients.map(\.name) == ["salt", "beetroot", "water"])
            #expect(recipe.modifiedAt != nil && recipe.id == recipe.identifier)
            #expect(try EntityRepository<Recipe>(context).contains(where: Recipe.withIdentifier(recipe.identifier)))
            #expect(try EntityRepository<Recipe>(context).count(where: Recipe.cheaper(than: 8, atLeast: 0)) == 1)
        }
        #expect(try await service.favoritesCost() == Decimal(string: "7.5"))
    }

    @Test func `sub-entities are fetched as their classes, and deleted with their recipe`() async throws {
        let id = try await service.add(borscht)
        try await service.addRemark("Better on the second day", to: id)
        try await service.addPicture(Data(repeating: 7, count: 200_000), width: 640, to: id)
        try await stack.performTask { context in
            let media = try EntityRepository<RecipeMedia>(context).all()
            #expect(media.count == 2 && media.contains { $0 is Remark })
            let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
            #expect(recipe.pictures.map(\.width) == [640] && recipe.pictures.first?.data?.count == 200_000)
        }
        try await service.delete(id)
        try await stack.performTask { (context: NSManagedObjectContext) throws in
            #expect(try EntityRepository<RecipeMedia>(context).count() == 0)
            #expect(try EntityRepository<Ingredient>(context).count() == 0)
            #expect(try EntityRepository<Keyword>(context).values(of: "name") == ["beetroot", "soup"])
        }
    }

    @Test func `errors are those of the app`() async throws {
        await #expect(throws: RecipeError.invalid(["title"])) {
            try await service.add(RecipeDraft(title: ""))
        }
        let id = try await service.add(borscht)
        await #expect(throws: RecipeError.invalid(["rating", "servings"])) {
            try await stack.performTask { context in
                let recipe = try EntityRepository<Recipe>(context).object(with: id)
                recipe?.servings = 0
                recipe?.rating = 9
            }
        }
        await #expect(throws: RecipeError.inUse("recipes")) {
            try await stack.performTask { context in
                let cuisines = EntityRepository<Cuisine>(context)
                if let cuisine = try cuisines.first() { cuisines.delete(cuisine) }
            }
        }
    }

    @Test func `merge policies settle a conflict between two contexts`() async throws {
        let id = try await service.add(borscht)
        let outcomes: [(NSMergePolicyType, String, Double)] = [
            (.mergeByPropertyObjectTrumpMergePolicyType, "mine", 4),
            (.mergeByPropertyStoreTrumpMergePolicyType, "theirs", 4),
            (.overwriteMergePolicyType, "mine", 0), (.rollbackMergePolicyType, "theirs", 4),
        ]
        for (policy, title, rating) in outcomes {
            try await stack.performTask { context in
                let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
                (recipe.title, recipe.rating) = ("Borscht", 0)
            }
            let mine = stack.newTaskContext(policy: policy)
            mine.retainsRegisteredObjects = true
            _ = try await mine.perform { try EntityRepository<Recipe>(mine).object(with: id)?.title }
            try await stack.performTask { context in
                let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
                (recipe.title, recipe.rating) = ("theirs", 4)
            }
            try await mine.perform {
                try EntityRepository<Recipe>(mine).object(with: id)?.title = "mine"
                try mine.saveIfNeeded()
            }
            try await stack.performTask { context in
                let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
                #expect(recipe.title == title && recipe.rating == rating, "\(policy)")
            }
        }
    }

    @Test func `a conflict without a policy is an error with the objects`() async throws {
        let id = try await service.add(borscht)
        let mine = stack.newTaskContext(policy: .errorMergePolicyType)
        mine.retainsRegisteredObjects = true
        _ = try await mine.perform { try EntityRepository<Recipe>(mine).object(with: id)?.title }
        try await service.rename(id, to: "theirs")
        await #expect(throws: RecipeError.conflict(objects: 1)) {
            try await mine.perform {
                try EntityRepository<Recipe>(mine).object(with: id)?.title = "mine"
                try mine.saveIfNeeded()
            }
        }
        await #expect(throws: RecipeError.duplicate) {
            try await mine.perform {
                EntityRepository<Keyword>(mine).create { $0.name = "soup" }
                try mine.saveIfNeeded()
            }
        }
    }

    @Test func `a policy of the app resolves a conflict in its own way`() async throws {
        let id = try await service.add(borscht)
        for (own, other) in [(2.0, 5.0), (5.0, 2.0)] {
            let mine = stack.newTaskContext()
            mine.mergePolicy = BestRatingPolicy()
            mine.retainsRegisteredObjects = true
            _ = try await mine.perform { try EntityRepository<Recipe>(mine).object(with: id)?.title }
            try await stack.performTask { context in
                let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
                (recipe.title, recipe.rating) = ("theirs", other)
            }
            try await mine.perform {
                let recipe = try #require(try EntityRepository<Recipe>(mine).object(with: id))
                (recipe.title, recipe.rating) = ("mine, \(own)", own)
                try mine.saveIfNeeded()
            }
            try await stack.performTask { context in
                let recipe = try #require(try EntityRepository<Recipe>(context).object(with: id))
                #expect(recipe.title == "mine, \(own)" && recipe.rating == 5)
            }
        }
    }

    @MainActor
    @Test func `an editor changes a child context, and saves through its parent`() async throws {
        let id = try await service.add(borscht)
        let shown = try #require(try EntityRepository<Recipe>(stack.viewContext).object(with: id))
        let cancelled = try RecipeEditor(id, in: stack)
        cancelled.recipe.title = "Soup"
        cancelled.recipe.addIngredient("dill")
        #expect(cancelled.hasChanges && shown.title == "Borscht" && shown.ingredients.count == 3)
        cancelled.cancel()
        #expect(!cancelled.hasChanges && cancelled.recipe.title == "Borscht")

        let editor = try RecipeEditor(id, in: stack)
        editor.recipe.title = "Green borscht"
        editor.recipe.addIngredient("sorrel", quantity: 200, unit: .gram)
        try editor.save()
        #expect(shown.title == "Green borscht" && shown.orderedIngredients.last?.name == "sorrel")
        #expect(!shown.hasChanges && !stack.viewContext.hasChanges)
        let rows = try await service.search("green")
        #expect(rows == [RecipeRow(id: id, title: "Green borscht", keywords: ["beetroot", "soup"], ingredients: 4)])

        let new = try RecipeEditor(in: stack)
        #expect(throws: RecipeError.invalid(["title"])) { try new.save() }
        new.recipe.title = "Kulish"
        try new.save()
        #expect(try EntityRepository<Recipe>(stack.viewContext).count() == 2)
        #expect(try await service.search("kulish").map(\.ingredients) == [0])
    }

    @MainActor
    @Test func `a fetched results controller follows background saves`() async throws {
        let list = RecipeListController(context: stack.viewContext)
        try list.start()
        var events: [[RecipeListController.Change]] = []
        list.onChange = { events.append($0) }
        let id = try await service.add(borscht)
        _ = try await service.add(RecipeDraft(title: "Aioli", cuisine: "Catalan"))
        try await wait { list.titles == [["Aioli"], ["Borscht"]] }
        #expect(list.sectionTitles == ["Catalan", "Ukrainian"] && list.numberOfRecipes(inSection: 1) == 1)
        #expect(events.first == [.insertSection(0), .insert(IndexPath(indexes: [0, 0]))])
        events = []
        try await service.rename(id, to: "Green borscht")
        try await wait { list.titles == [["Aioli"], ["Green borscht"]] }
        #expect(events == [[.update(IndexPath(indexes: [1, 0]))]])
        let recipe = list.recipe(at: IndexPath(indexes: [1, 0]))
        #expect(recipe.objectID == id && list.indexPath(of: recipe) == IndexPath(indexes: [1, 0]))
        try list.search("beet")
        #expect(list.titles.isEmpty)
        try list.search("beetroot")
        #expect(list.titles == [["Green borscht"]])
        try list.search("")
        try await service.delete(id)
        try await wait { list.titles == [["Aioli"]] }
    }

    @MainActor
    @Test func `batches are merged into the view context`() async throws {
        let importer = RecipeImporter(stack: stack)
        var records = (0..<1200).map {
            RecipeRecord(identifier: UUID(), title: "Recipe \($0)", rating: Double($0 % 6), servings: 4)
        }
        #expect(try await importer.importRecipes(records) == 1200)
        let recipes = EntityRepository<Recipe>(stack.viewContext)
        let first = try #require(try recipes.first(where: Recipe.withIdentifier(records[5].identifier)))
        #expect(first.title == "Recipe 5" && first.servings == 4 && !first.isFavorite)
        records[5].title = "Changed"
        #expect(try await importer.importRecipes([records[5]]) == 1)
        #expect(try recipes.count() == 1200)
        stack.viewContext.refresh(first, mergeChanges: true)
        #expect(first.title == "Changed")
        #expect(try await importer.setFavorite(true, ratedAtLeast: 5) == 200)
        #expect(first.isFavorite)
        #expect(try await importer.deleteRecipes(ratedBelow: 4) == 800)
        #expect(try recipes.count() == 400)
        #expect(try await importer.importKeywords(["soup", "cold", "soup"]) == 2)
    }

    @MainActor
    @Test func `the history of another process is merged once, and purged`() async throws {
        let id = try await service.add(borscht)
        let processor = HistoryProcessor(stack: stack, tokenFile: folder.file("token"))
        #expect(try await processor.process() == HistoryProcessor.Summary())
        let recipe = try #require(try EntityRepository<Recipe>(stack.viewContext).object(with: id))
        #expect(recipe.title == "Borscht")

        let widget = CoreDataStack(location: .file(folder.file("Recipes.sqlite")), author: .widget)
        try await widget.load()
        let coordinator = widget.container.persistentStoreCoordinator
        let own = try #require(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
        try await RecipeService(stack: widget).rename(own, to: "Cold borscht")
        _ = try await RecipeService(stack: widget).add(RecipeDraft(title: "Okroshka"))
        let summary = try await processor.process()
        #expect(summary.transactions == 2 && summary.inserted.count == 1 && summary.deleted.isEmpty)
        #expect(summary.updated[id]?.isSuperset(of: ["title"]) == true)
        #expect(recipe.title == "Cold borscht")
        let again = HistoryProcessor(stack: stack, tokenFile: folder.file("token"))
        #expect(try await again.process().transactions == 0)
        try await again.purge()

        await again.start()
        try await RecipeService(stack: widget).rename(own, to: "Borscht")
        try await wait { recipe.title == "Borscht" }
        await again.stop()
        #expect(try storeIssues(at: folder.file("Recipes.sqlite"), RecipeModel.shared).isEmpty)
    }

    /// Waits until the main queue has processed pending changes.
    @MainActor
    private func wait(until condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }
}
