import Sworm

enum MeasureUnit: String, Codable {
    case gram, millilitre, piece
}

final class Ingredient: NSManagedObject {
    @Managed("name") var name: String
    @Managed("quantity") var quantity: Decimal?
    @Managed("unitName") private var unitName: String?
    @Managed("recipe") var recipe: Recipe?

    class func fetchRequest() -> NSFetchRequest<Ingredient> {
        NSFetchRequest<Ingredient>(entityName: "Ingredient")
    }

    var unit: MeasureUnit? {
        get { unitName.flatMap(MeasureUnit.init) }
        set { unitName = newValue?.rawValue }
    }
}

final class Cuisine: NSManagedObject {
    @Managed("name") var name: String
    @Managed("parent") var parent: Cuisine?
    @Managed("regions") var regions: Set<Cuisine>
    @Managed("recipes") var recipes: Set<Recipe>

    /// Set while the last recipe of the cuisine is being deleted.
    var isOrphaned = false

    class func fetchRequest() -> NSFetchRequest<Cuisine> {
        NSFetchRequest<Cuisine>(entityName: "Cuisine")
    }

    /// The names from the root down.
    var path: String {
        [parent?.path, name].compactMap { $0 }.joined(separator: " / ")
    }
}

final class Keyword: NSManagedObject {
    @Managed("name") var name: String
    @Managed("recipes") var recipes: Set<Recipe>

    class func fetchRequest() -> NSFetchRequest<Keyword> {
        NSFetchRequest<Keyword>(entityName: "Keyword")
    }
}

class RecipeMedia: NSManagedObject {
    @Managed("createdAt") var createdAt: Date
    @Managed("recipe") var recipe: Recipe?

    class func fetchRequest() -> NSFetchRequest<RecipeMedia> {
        NSFetchRequest<RecipeMedia>(entityName: "RecipeMedia")
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: "createdAt")
    }
}

final class Picture: RecipeMedia {
    @Managed("data") var data: Data?
    @Managed("width") var width: Int32

    class func fetchRequest() -> NSFetchRequest<Picture> {
        NSFetchRequest<Picture>(entityName: "Picture")
    }
}

final class Remark: RecipeMedia {
    @Managed("text") var text: String

    class func fetchRequest() -> NSFetchRequest<Remark> {
        NSFetchRequest<Remark>(entityName: "Remark")
    }
}
