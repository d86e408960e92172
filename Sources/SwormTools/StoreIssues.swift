import Foundation
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

#if canImport(CoreData)
/// Returns no issues: Core Data itself wrote the file, and nothing more can be verified than that it reads the file
/// again.
func storeIssues(at url: URL, _ model: NSManagedObjectModel) throws -> [String] { [] }
#else
/// Returns every rule of Core Data's files that a store violates.
func storeIssues(at url: URL, _ model: NSManagedObjectModel) throws -> [String] {
    try StoreVerification.issues(of: url, model: try model.compiled())
}
#endif
