#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif
import SwormPredicates

extension NSManagedObjectContext {
    /// Returns a request for the rows of an entity with some keys, in any store.
    func request(forKeys keys: [Int64], of entityName: String) -> RequestContent {
        let objects = storeIdentifiers.flatMap { store in
            keys.map { key in
                ExpressionTree.value(
                    .object(ObjectReference(storeIdentifier: store, entityName: entityName, key: key)))
            }
        }
        var content = RequestContent()
        content.condition = ConditionContent(
            .comparison(Comparison(.evaluatedObject, by: .in, with: .list(objects))))
        return content
    }
}
