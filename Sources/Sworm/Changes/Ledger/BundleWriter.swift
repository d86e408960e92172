/// The transactions of a bundle, while it is created.
struct BundleWriter {
    private struct Position: Hashable {
        var origin: Int
        var number: Int64
    }

    private struct Transaction {
        var time: Int64
        var changes: [ChangeBundle.Key: (change: ChangeBundle.Change, seen: [Int: Int64])] = [:]

        /// The numbers that the origin knew of every object that it has changed.
        var seen: [Int: Int64] {
            guard var common = changes.first?.value.seen else { return [:] }
            for (_, seen) in changes.values {
                for (origin, number) in common {
                    let least = min(number, seen[origin] ?? 0)
                    common[origin] = least == 0 ? nil : least
                }
            }
            return common
        }
    }

    private let origins: [String]
    private var written: [Position: Transaction] = [:]
    private(set) var restored: [ChangeBundle.Key: [String: Int64]] = [:]

    init(origins: [String]) { self.origins = origins }

    mutating func change(
        _ key: ChangeBundle.Key, at stamp: BundleStamp, _ body: (inout ChangeBundle.Change) -> Void
    ) {
        let position = Position(origin: stamp.origin, number: stamp.number)
        let new = (change: ChangeBundle.Change(key: key, kind: .updated), seen: stamp.seen)
        body(&written[position, default: Transaction(time: stamp.clock)].changes[key, default: new].change)
    }

    /// Notes that the bundle contains everything that the record of an object contains.
    mutating func restore(_ key: ChangeBundle.Key, seen: [Int: Int64]) { restored[key] = names(of: seen) }

    /// Returns numbers by the names of their origins.
    func names(of numbers: [Int: Int64]) -> [String: Int64] {
        var names: [String: Int64] = [:]
        for (origin, number) in numbers where number > 0 { names[origins[origin]] = number }
        return names
    }

    /// The transactions, in the order of their origins and numbers, with their changes in an order that is always the
    /// same.
    var transactions: [ChangeBundle.Transaction] {
        written.map { position, transaction in
            let common = transaction.seen
            let changes = transaction.changes.values.map { change, seen in
                var change = change
                change.seen = names(of: seen.filter { $0.value > common[$0.key] ?? 0 })
                for name in change.added.keys { change.added[name]?.sort { $0.description < $1.description } }
                for name in change.removed.keys { change.removed[name]?.sort { $0.description < $1.description } }
                return change
            }
            return ChangeBundle.Transaction(
                origin: origins[position.origin], number: position.number, time: transaction.time,
                seen: names(of: common), changes: changes.sorted { $0.key.description < $1.key.description })
        }.sorted { ($0.origin, $0.number) < ($1.origin, $1.number) }
    }
}
