import Sworm

/// A recipe as the server sends it.
struct RecipeRecord: Codable, Sendable {
    var identifier: UUID
    var title: String
    var summary: String?
    var rating: Double
    var servings: Int16

    var dictionary: [String: Any] {
        var values: [String: Any] = [
            "identifier": identifier, "title": title, "rating": rating, "servings": servings, "createdAt": Date(),
        ]
        values["summary"] = summary
        return values
    }
}

/// Writes many recipes at once, past the objects of the contexts.
struct RecipeImporter: Sendable {
    let stack: CoreDataStack

    /// Imports records in batches. A recipe that is there already gets the values of its record.
    ///
    /// - Returns: The number of records that were written.
    func importRecipes(_ records: [RecipeRecord], batchSize: Int = 500) async throws -> Int {
        var count = 0
        for start in stride(from: 0, to: records.count, by: batchSize) {
            count += try await insert(Array(records[start..<min(start + batchSize, records.count)]))
        }
        return count
    }

    private func insert(_ records: [RecipeRecord]) async throws -> Int {
        let context = stack.newTaskContext(author: .importer)
        let ids = try await context.perform {
            let result = try context.execute(Self.makeRequest(records)) as? NSBatchInsertResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
        await merge([NSInsertedObjectIDsKey: ids])
        return ids.count
    }

    private static func makeRequest(_ records: [RecipeRecord]) -> NSBatchInsertRequest {
        var index = 0
        let request = NSBatchInsertRequest(entity: Recipe.entity()) { (dictionary: NSMutableDictionary) in
            guard index < records.count else { return true }
            dictionary.addEntries(from: records[index].dictionary)
            index += 1
            return false
        }
        request.resultType = .objectIDs
        return request
    }

    /// Imports keywords without their recipes; those with a name that exists are left as they are.
    func importKeywords(_ names: [String]) async throws -> Int {
        let context = stack.newTaskContext(author: .importer, policy: .mergeByPropertyStoreTrumpMergePolicyType)
        return try await context.perform {
            var remaining = names.makeIterator()
            let request = NSBatchInsertRequest(entity: Keyword.entity()) { (object: NSManagedObject) in
                guard let keyword = object as? Keyword, let name = remaining.next() else { return true }
                keyword.name = name
                return false
            }
            request.resultType = .count
            return (try context.execute(request) as? NSBatchInsertResult)?.result as? Int ?? 0
        }
    }

    /// Marks or unmarks all recipes with at least a rating.
    func setFavorite(_ isFavorite: Bool, ratedAtLeast rating: Double) async throws -> Int {
        let context = stack.newTaskContext(author: .importer)
        let ids = try await context.perform {
            let request = NSBatchUpdateRequest(entity: Recipe.entity())
            request.predicate = NSPredicate(
                format: "rating >= %lf AND isFavorite != %@", rating, NSNumber(value: isFavorite))
            request.propertiesToUpdate = ["isFavorite": isFavorite]
            request.resultType = .updatedObjectIDsResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
        await merge([NSUpdatedObjectIDsKey: ids])
        return ids.count
    }

    /// Deletes all recipes below a rating, with their ingredients and media.
    func deleteRecipes(ratedBelow rating: Double) async throws -> Int {
        let context = stack.newTaskContext(author: .importer)
        let ids = try await context.perform {
            let recipes: NSFetchRequest<any NSFetchRequestResult> = Recipe.fetchRequest()
            recipes.predicate = NSPredicate(format: "rating < %lf", rating)
            let request = NSBatchDeleteRequest(fetchRequest: recipes)
            request.resultType = .resultTypeObjectIDs
            let result = try context.execute(request) as? NSBatchDeleteResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
        await merge([NSDeletedObjectIDsKey: ids])
        return ids.count
    }

    @MainActor
    private func merge(_ changes: [String: [NSManagedObjectID]]) {
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [stack.viewContext])
    }
}
