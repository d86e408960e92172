// The entities of history fetch requests. These descriptions exist for requests only and belong to no model.

extension NSPersistentHistoryTransaction {
    /// The entity of requests that fetch transactions.
    ///
    /// Predicates may use `author`, `bundleID`, `contextName`, `processID`, `storeID`, `timestamp` and
    /// `transactionNumber`.
    public class var entityDescription: NSEntityDescription? {
        historyEntity(
            "Transaction",
            attributes: [
                ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
                ("transactionNumber", .integer64AttributeType),
            ])
    }

    /// Returns the entity of requests that fetch transactions.
    ///
    /// - Parameter context: Not used.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A new request that fetches transactions, for ``NSPersistentHistoryChangeRequest/fetchRequest``.
    public class var fetchRequest: NSFetchRequest<NSManagedObject>? { historyRequest(entityDescription) }
}

extension NSPersistentHistoryChange {
    /// The entity of requests that fetch changes.
    ///
    /// Predicates may use `changeID`, `changeType` (a raw value of `NSPersistentHistoryChangeType`) and
    /// `changedObjectID`.
    public class var entityDescription: NSEntityDescription? {
        historyEntity(
            "Change",
            attributes: [
                ("changeID", .integer64AttributeType), ("changeType", .integer64AttributeType),
                ("changedObjectID", .objectIDAttributeType),
            ])
    }

    /// Returns the entity of requests that fetch changes.
    ///
    /// - Parameter context: Not used.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A new request that fetches changes, for ``NSPersistentHistoryChangeRequest/fetchRequest``.
    public class var fetchRequest: NSFetchRequest<NSManagedObject>? { historyRequest(entityDescription) }
}

private func historyEntity(_ name: String, attributes: [(name: String, type: NSAttributeType)]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.map { attribute in
        let description = NSAttributeDescription()
        description.name = attribute.name
        description.attributeType = attribute.type
        return description
    }
    return entity
}

private func historyRequest(_ entity: NSEntityDescription?) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = entity
    return request
}
