import Foundation
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

#if canImport(CoreData)
/// Returns an empty array. Core Data itself wrote the file, so reading it again is the only possible check.
func storeIssues(at url: URL, _ model: NSManagedObjectModel) throws -> [String] { [] }
#else
/// Returns a message for each violation of Core Data's file format in a store.
func storeIssues(at url: URL, _ model: NSManagedObjectModel) throws -> [String] {
    try StoreVerification.issues(of: url, model: try model.compiled())
}
#endif
