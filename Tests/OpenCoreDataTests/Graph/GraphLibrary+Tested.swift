import Foundation
import TestSupport

@testable import OpenCoreData

extension StoreUnderTest {
    /// Opens a coordinator with a new store of the kind that the test runs over.
    func coordinator(
        of model: NSManagedObjectModel, options: [AnyHashable: Any]?
    ) throws -> NSPersistentStoreCoordinator {
        markUse()
        #if PostgreSQL
        if kind == .server { return try PostgresStores.coordinator(of: model, options: options ?? [:]) }
        #endif
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: kind == .memory ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil,
            at: kind == .memory ? nil : newFile(), options: options)
        return coordinator
    }
}
