import Foundation
import SwormPredicates

extension BundleLedger {
    /// Merges a bundle into the records, and changes the objects accordingly.
    func apply(_ bundle: ChangeBundle, policy: ConflictPolicy) throws -> AppliedBundle {
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
        try checkOwnTransactions(in: bundle)
        if let transaction = bundle.transactions.first(where: { $0.time > latestTime }) {
            throw StoreError(
                .invalidBundle,
                "The transaction \(transaction.number) of '\(transaction.origin)' is more than a day in the future. If the clock of this device is wrong, correct it and apply the bundle again. If that of the other one was, call `resetChangeBundles()` there."
            )
        }
        let application = BundleApplication(bundle, to: self, policy: policy)
        try application.run()
        return AppliedBundle(isRepeated: false, conflicts: application.conflicts)
    }

    /// Throws an error if another store knows transactions of this store that it does not have itself. Its next transactions
    /// would get the same numbers, and be taken for those.
    private func checkOwnTransactions(in bundle: ChangeBundle) throws {
        let seen = [bundle.seen] + bundle.transactions.map(\.seen) + bundle.restored.values
        let own = bundle.transactions.filter { $0.origin == origin }.map(\.number)
        guard let last = (seen.compactMap { $0[origin] } + own).max(), last > state.number else { return }
        throw StoreError(
            .bundleMissing,
            "The bundle of '\(bundle.origin)' refers to the transaction \(last) of this store, whose last one is \(state.number). This store was replaced by an older one: call `resetChangeBundles()`, and then apply a `changeSnapshot()` of another store."
        )
    }
}
