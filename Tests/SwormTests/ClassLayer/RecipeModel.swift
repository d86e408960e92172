import Sworm

/// The managed object model of the recipe box, built in code so that app extensions and tests share it.
enum RecipeModel {
    /// One model for all stacks: every entity belongs to exactly one class.
    ///
    /// Unsafe: the model is complete when it is first returned, and is not changed afterwards, so any thread may read it.
    nonisolated(unsafe) static let shared = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        let recipe = entity("Recipe", Recipe.self)
        let ingredient = entity("Ingredient", Ingredient.self)
        let cuisine = entity("Cuisine", Cuisine.self)
        let keyword = entity("Keyword", Keyword.self)
        let media = entity("RecipeMedia", RecipeMedia.self)
        let picture = entity("Picture", Picture.self)
        let remark = entity("Remark", Remark.self)

        recipe.properties = [
            attribute("identifier", .UUIDAttributeType),
            title(),
            attribute("summary", .stringAttributeType, optional: true),
            attribute("servings", .integer16AttributeType, default: 2),
            rating(),
            attribute("difficultyValue", .integer16AttributeType, default: 1),
            attribute("isFavorite", .booleanAttributeType, default: false),
            attribute("createdAt", .dateAttributeType),
            attribute("modifiedAt", .dateAttributeType, optional: true),
            attribute("sourceURL", .URIAttributeType, optional: true),
            attribute("cost", .decimalAttributeType, optional: true),
        ]
        recipe.uniquenessConstraints = [["identifier"]]
        recipe.indexes = [
            NSFetchIndexDescription(
                name: "byTitle",
                elements: recipe.properties.filter { $0.name == "title" }.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                })
        ]
        ingredient.properties = [
            attribute("name", .stringAttributeType, default: ""),
            attribute("quantity", .decimalAttributeType, optional: true),
            attribute("unitName", .stringAttributeType, optional: true),
        ]
        cuisine.properties = [attribute("name", .stringAttributeType)]
        cuisine.uniquenessConstraints = [["name"]]
        keyword.properties = [attribute("name", .stringAttributeType)]
        keyword.uniquenessConstraints = [["name"]]

        media.isAbstract = true
        media.subentities = [picture, remark]
        media.properties = [attribute("createdAt", .dateAttributeType)]
        let data = attribute("data", .binaryDataAttributeType, optional: true)
        data.allowsExternalBinaryDataStorage = true
        picture.properties = [data, attribute("width", .integer32AttributeType, default: 0)]
        remark.properties = [attribute("text", .stringAttributeType, default: "")]

        relate(recipe, "ingredients", to: ingredient, "recipe", ordered: true, deleteRule: .cascadeDeleteRule)
        relate(recipe, "media", to: media, "recipe", deleteRule: .cascadeDeleteRule)
        relate(cuisine, "recipes", to: recipe, "cuisine", deleteRule: .denyDeleteRule)
        relate(cuisine, "regions", to: cuisine, "parent")
        relate(recipe, "keywords", to: keyword, "recipes", manyToMany: true)

        let model = NSManagedObjectModel()
        model.entities = [recipe, ingredient, cuisine, keyword, media, picture, remark]
        return model
    }

    private static func entity(_ name: String, _ managedClass: NSManagedObject.Type) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(managedClass)
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = false, default defaultValue: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = defaultValue
        return attribute
    }

    private static func title() -> NSAttributeDescription {
        let title = attribute("title", .stringAttributeType)
        title.setValidationPredicates(
            [NSPredicate(format: "length >= 1"), NSPredicate(format: "length <= 120")],
            withValidationWarnings: ["The title is empty.", "The title is too long."])
        return title
    }

    private static func rating() -> NSAttributeDescription {
        let rating = attribute("rating", .doubleAttributeType, default: 0.0)
        rating.setValidationPredicates(
            [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 5")],
            withValidationWarnings: ["The rating is negative.", "The rating is greater than five."])
        return rating
    }

    private static func relate(
        _ source: NSEntityDescription, _ name: String, to destination: NSEntityDescription, _ inverseName: String,
        ordered: Bool = false, manyToMany: Bool = false, deleteRule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.isOptional = true
        relationship.minCount = 0
        relationship.maxCount = 0
        relationship.isOrdered = ordered
        relationship.deleteRule = deleteRule

        let inverse = NSRelationshipDescription()
        inverse.name = inverseName
        inverse.destinationEntity = source
        inverse.isOptional = true
        inverse.minCount = 0
        inverse.maxCount = manyToMany ? 0 : 1
        inverse.deleteRule = .nullifyDeleteRule

        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        source.properties.append(relationship)
        destination.properties.append(inverse)
    }
}
