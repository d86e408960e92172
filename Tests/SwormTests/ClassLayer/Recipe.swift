import Sworm

enum Difficulty: Int16, Codable, CaseIterable {
    case easy = 1, medium, hard
}

final class Recipe: NSManagedObject {
    @Managed("identifier") var identifier: UUID
    @Managed("title") var title: String
    @Managed("summary") var summary: String?
    @Managed("servings") var servings: Int16
    @Managed("rating") var rating: Double
    @Managed("difficultyValue") private var difficultyValue: Int16
    @Managed("isFavorite") var isFavorite: Bool
    @Managed("createdAt") private(set) var createdAt: Date
    @Managed("modifiedAt") private(set) var modifiedAt: Date?
    @Managed("sourceURL") var sourceURL: URL?
    @Managed("cost") var cost: Decimal?
    @Managed("cuisine") var cuisine: Cuisine?
    @Managed("ingredients") var ingredients: NSOrderedSet
    @Managed("keywords") var keywords: Set<Keyword>
    @Managed("media") var media: Set<RecipeMedia>

    /// Computed from the stored values each time the object is fetched, and never saved.
    private(set) var searchText = ""

    class func fetchRequest() -> NSFetchRequest<Recipe> {
        NSFetchRequest<Recipe>(entityName: "Recipe")
    }

    var difficulty: Difficulty {
        get { Difficulty(rawValue: difficultyValue) ?? .easy }
        set { difficultyValue = newValue.rawValue }
    }

    var orderedIngredients: [Ingredient] {
        ingredients.array as? [Ingredient] ?? []
    }

    var pictures: [Picture] {
        media.compactMap { $0 as? Picture }.sorted { $0.createdAt < $1.createdAt }
    }

    // MARK: Life cycle

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(UUID(), forKey: "identifier")
        setPrimitiveValue(Date(), forKey: "createdAt")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        searchText = [title, summary ?? ""].joined(separator: " ").lowercased()
    }

    override func willSave() {
        super.willSave()
        guard isUpdated, !isDeleted, changedValues()["modifiedAt"] == nil else { return }
        setPrimitiveValue(Date(), forKey: "modifiedAt")
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        if let cuisine, cuisine.recipes == [self] {
            cuisine.isOrphaned = true
        }
    }

    // MARK: Validation

    override func validateForInsert() throws {
        try Self.validate([super.validateForInsert, validateServings])
    }

    override func validateForUpdate() throws {
        try Self.validate([super.validateForUpdate, validateServings])
    }

    private func validateServings() throws {
        guard servings < 1 else { return }
        throw CocoaError(
            .managedObjectValidation,
            userInfo: [
                NSLocalizedDescriptionKey: "A recipe serves at least one person.",
                NSValidationKeyErrorKey: "servings", NSValidationObjectErrorKey: self,
            ])
    }

    /// Applies all rules, and throws one error with the errors of those that are broken.
    private static func validate(_ rules: [() throws -> Void]) throws {
        var errors: [NSError] = []
        for rule in rules {
            do {
                try rule()
            } catch let error as NSError {
                errors += error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
            }
        }
        guard let first = errors.first else { return }
        guard errors.count > 1 else { throw first }
        throw CocoaError(.validationMultipleErrors, userInfo: [NSDetailedErrorsKey: errors])
    }

    // MARK: Ingredients

    @discardableResult
    func addIngredient(_ name: String, quantity: Decimal? = nil, unit: MeasureUnit? = nil) -> Ingredient? {
        guard let context = managedObjectContext else { return nil }
        let ingredient = Ingredient(context: context)
        ingredient.name = name
        ingredient.quantity = quantity
        ingredient.unit = unit
        mutableOrderedSetValue(forKey: "ingredients").add(ingredient)
        return ingredient
    }

    func moveIngredient(from source: Int, to destination: Int) {
        let ingredients = mutableOrderedSetValue(forKey: "ingredients")
        guard source < ingredients.count, destination < ingredients.count else { return }
        let ingredient = ingredients.object(at: source)
        ingredients.removeObject(at: source)
        ingredients.insert(ingredient, at: destination)
    }
}

extension Recipe: Identifiable {
    var id: UUID { identifier }
}

// MARK: Sort descriptors and predicates

extension Recipe {
    static var byCuisineAndTitle: [NSSortDescriptor] {
        [NSSortDescriptor(key: "cuisine.name", ascending: true), NSSortDescriptor(key: "title", ascending: true)]
    }

    static func matching(_ text: String) -> NSPredicate {
        NSPredicate(format: "title CONTAINS[cd] %@ OR ANY keywords.name ==[c] %@", text, text)
    }

    static func withIdentifier(_ identifier: UUID) -> NSPredicate {
        NSPredicate(format: "%K == %@", "identifier", identifier)
    }

    static func cheaper(than cost: Decimal, atLeast rating: Double) -> NSPredicate {
        NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "cost < %@", NSDecimalNumber(decimal: cost)),
            NSPredicate(format: "rating >= %lf", rating),
        ])
    }
}
