import Foundation
import SwormPredicates

extension BundleLedger {
    /// Merges a bundle into the records, and changes the objects accordingly.
    ///
    /// - Parameter now: The present time, with which the times of the bundle are compared.
    func apply(_ bundle: ChangeBundle, policy: ConflictPolicy, now: Date) throws -> AppliedBundle {
        let known = state.origins.firstIndex(of: bundle.origin)
        let applied = known.flatMap { state.applied[$0] } ?? 0
        if bundle.origin == origin || !bundle.isSnapshot && bundle.number <= applied {
            return AppliedBundle(isRepeated: true, conflicts: [])
        }
        guard bundle.isSnapshot || bundle.after <= applied else {
            throw StoreError(
                .bundleMissing,
                "The bundle of '\(bundle.origin)' continues after the number \(bundle.after), but the number \(applied + 1) is missing. Apply `changeBundle(after: \(applied))` of that store first."
            )
        }
        let latest = now.addingTimeInterval(86_400).bundleTime
        if let transaction = bundle.transactions.first(where: { $0.time > latest }) {
            throw StoreError(
                .invalidBundle,
                "The transaction \(transaction.number) of '\(transaction.origin)' is more than a day in the future. Correct the clock of that device or of this one, and apply the bundle again."
            )
        }
        let application = BundleApplication(bundle, to: self, policy: policy)
        try application.run()
        return AppliedBundle(isRepeated: false, conflicts: application.conflicts)
    }
}
