// The entities of history fetch requests. These descriptions exist for requests only and belong to no model.

extension NSPersistentHistoryTransaction {
    /// The entity of requests that fetch transactions.
    ///
    /// Predicates may use `author`, `bundleID`, `contextName`, `processID`, `storeID`, `timestamp`,
    /// `transactionNumber`, `token`, which is compared with an ``NSPersistentHistoryToken``, and `changes`, with the keys
    /// of changes.
    public class var entityDescription: NSEntityDescription? {
        historyEntity(
            "Transaction",
            attributes: [
                ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
                ("token", .undefinedAttributeType), ("transactionNumber", .integer64AttributeType),
            ], relationships: [("changes", true)])
    }

    /// Returns the entity of requests that fetch transactions.
    ///
    /// - Parameter context: Not used.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A new request that fetches transactions, for ``NSPersistentHistoryChangeRequest/fetchRequest``.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { historyRequest(entityDescription) }
}

extension NSPersistentHistoryChange {
    /// The entity of requests that fetch changes.
    ///
    /// Predicates may use `changeID`, `changeType` (a raw value of `NSPersistentHistoryChangeType`), `changedEntity` (an
    /// entity, or its name), `changedObjectID`, and `transaction` with the keys of a transaction: `transaction.author`.
    public class var entityDescription: NSEntityDescription? {
        historyEntity(
            "Change",
            attributes: [
                ("changeID", .integer64AttributeType), ("changeType", .integer64AttributeType),
                ("changedEntity", .stringAttributeType), ("changedObjectID", .objectIDAttributeType),
            ], relationships: [("transaction", false)])
    }

    /// Returns the entity of requests that fetch changes.
    ///
    /// - Parameter context: Not used.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A new request that fetches changes, for ``NSPersistentHistoryChangeRequest/fetchRequest``.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { historyRequest(entityDescription) }
}

private func historyEntity(
    _ name: String, attributes: [(name: String, type: NSAttributeType)], relationships: [(name: String, isToMany: Bool)]
) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    let ends = relationships.map { relationship in
        let description = NSRelationshipDescription()
        description.name = relationship.name
        if !relationship.isToMany { description.maxCount = 1 }
        return description
    }
    entity.properties =
        attributes.map { attribute in
            let description = NSAttributeDescription()
            description.name = attribute.name
            description.attributeType = attribute.type
            return description
        } + ends
    return entity
}

private func historyRequest(_ entity: NSEntityDescription?) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    return request
}
