import Foundation
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

#if canImport(CoreData)
/// Core Data itself wrote the file; that it reads it again is all that can be asked.
func storeFaults(at url: URL, _ model: NSManagedObjectModel) throws -> [String] { [] }
#else
/// Every rule of Core Data's files that a store breaks.
func storeFaults(at url: URL, _ model: NSManagedObjectModel) throws -> [String] {
    try StoreVerification.faults(of: url, model: try model.compiled())
}
#endif
