import SwormPredicates

// Creating bundles.
extension BundleLedger {
    /// Returns a bundle of the changes of this store after a number; nil if it has made no changes.
    func bundle(after number: Int64) throws -> ChangeBundle? {
        guard number >= 0, number <= state.number else {
            throw StoreError(
                .bundleMissing,
                "A bundle after the number \(number) does not exist: the last transaction of this store has the number \(state.number). The store was replaced by an older one, or the number belongs to another store. Apply a `changeSnapshot()` instead."
            )
        }
        if number == state.number { return nil }
        var writer = BundleWriter(origins: state.origins)
        for entry in try entries(after: number) {
            try write(entry, to: &writer) { $0.origin == 0 && $0.number > number }
        }
        return bundle(after: number, isSnapshot: false, writer)
    }

    /// Returns a bundle of everything that this store contains.
    func snapshot() throws -> ChangeBundle {
        var writer = BundleWriter(origins: state.origins)
        for entry in try allEntries() { try write(entry, to: &writer) { _ in true } }
        return bundle(after: 0, isSnapshot: true, writer)
    }

    private func bundle(after number: Int64, isSnapshot: Bool, _ writer: BundleWriter) -> ChangeBundle {
        var seen: [String: Int64] = [:]
        for (origin, number) in state.applied { seen[state.origins[origin]] = number }
        return ChangeBundle(
            origin: origin, after: number, number: state.number, seen: seen, isSnapshot: isSnapshot,
            transactions: writer.transactions)
    }

    /// Adds the writes of a record that are wanted.
    private func write(
        _ entry: LedgerEntry, to writer: inout BundleWriter, where isWanted: (BundleStamp) -> Bool
    ) throws {
        let (state, key) = (entry.state, entry.identity.bundleKey)
        guard entry.isAlive(in: self) else {
            if let deleted = state.deleted, isWanted(deleted) { writer.change(key, at: deleted) { $0.kind = .deleted } }
            return
        }
        // A deletion that the object has outlived still ends older links.
        if let deleted = state.deleted, isWanted(deleted), deleted != state.base {
            writer.change(key, at: deleted) { $0.kind = .deleted }
        }
        let object = try object(of: entry)
        if let base = state.base, isWanted(base) {
            writer.change(key, at: base) { ($0.kind, $0.replaces) = (.inserted, state.deleted == base) }
        }
        for name in entry.entity.contents {
            guard let stamp = state.stamp(name), isWanted(stamp), let attribute = entry.entity.attributes[name],
                let value = try state.values[name]?.value ?? object?.bundleValue(attribute)
            else { continue }
            writer.change(key, at: stamp) { $0.attributes[name] = value }
        }
        for relation in entry.entity.relations.values {
            let name = relation.name
            if !relation.isToMany {
                guard let stamp = state.stamp(name), isWanted(stamp) else { continue }
                let target = try target(of: relation, of: entry)
                writer.change(key, at: stamp) { $0.links.updateValue(target?.bundleKey, forKey: name) }
            }
            for (member, link) in state.links[name] ?? [:] where isWanted(link.stamp) {
                guard let member = BundleIdentity(text: member)?.bundleKey else { continue }
                writer.change(key, at: link.stamp) { change in
                    if link.isMember {
                        change.added[name, default: []].append(member)
                    } else {
                        change.removed[name, default: []].append(member)
                    }
                }
            }
            if let order = state.orders[name], isWanted(order.stamp) {
                let members = order.members.compactMap { BundleIdentity(text: $0)?.bundleKey }
                writer.change(key, at: order.stamp) { $0.orders[name] = members }
            }
        }
    }
}

/// The transactions of a bundle, while it is created.
private struct BundleWriter {
    private struct Position: Hashable {
        var origin: Int
        var number: Int64
    }

    let origins: [String]
    private var times: [Position: Int64] = [:]
    private var changes: [Position: [ChangeBundle.Key: ChangeBundle.Change]] = [:]

    init(origins: [String]) { self.origins = origins }

    mutating func change(
        _ key: ChangeBundle.Key, at stamp: BundleStamp, _ body: (inout ChangeBundle.Change) -> Void
    ) {
        let position = Position(origin: stamp.origin, number: stamp.number)
        times[position] = stamp.clock
        body(&changes[position, default: [:]][key, default: ChangeBundle.Change(key: key, kind: .updated)])
    }

    /// The transactions, in the order of their origins and numbers, with their changes in an order that is always the
    /// same.
    var transactions: [ChangeBundle.Transaction] {
        changes.map { position, changes in
            ChangeBundle.Transaction(
                origin: origins[position.origin], number: position.number, time: times[position] ?? 0,
                changes: changes.values.sorted { $0.key.description < $1.key.description })
        }.sorted { ($0.origin, $0.number) < ($1.origin, $1.number) }
    }
}
