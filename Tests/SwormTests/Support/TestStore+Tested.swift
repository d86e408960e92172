import Foundation
import Sworm
import SwormTools
import TestSupport

extension TestStore {
    /// Creates a store of the kind that the test runs over, and inserts its initial objects.
    ///
    /// - Parameter place: The location of the store in a test that runs over no kind.
    static func tested(
        for type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...,
        in place: Place = .memory, seed: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws -> TestStore {
        guard StoreUnderTest.current != nil else { return try TestStore(for: [type] + others, in: place, seed: seed) }
        return try TestStore(for: [type] + others, at: .tested, seed: seed)
    }

    /// Opens another container with the same store. One in memory belongs to its container, so that it is returned.
    func reopenedIfPossible() throws -> PersistentContainer { location == .memory ? container : try reopened() }

    /// Checks the file of a store that has one.
    func verifyIfFile() throws { if url != nil { try verify() } }
}
