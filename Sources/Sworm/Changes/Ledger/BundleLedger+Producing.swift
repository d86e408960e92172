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
        try checkClock()
        var writer = BundleWriter(origins: state.origins)
        for entry in try entries(after: number) {
            let isOwn = { (stamp: BundleStamp) in stamp.origin == 0 && stamp.number > number }
            if entry.state.restored > number {
                writer.restore(entry.identity.bundleKey, seen: covered(by: entry))
                try write(entry, to: &writer) { _ in true }
            } else {
                try write(entry, to: &writer, where: isOwn)
            }
            writeConflicts(of: entry, to: &writer, where: isOwn)
        }
        return bundle(after: number, isSnapshot: false, writer)
    }

    /// Returns a bundle of everything that this store contains.
    func snapshot() throws -> ChangeBundle {
        try checkClock()
        var writer = BundleWriter(origins: state.origins)
        for entry in try allEntries() {
            if !entry.state.covered.isEmpty { writer.restore(entry.identity.bundleKey, seen: covered(by: entry)) }
            try write(entry, to: &writer) { _ in true }
        }
        return bundle(after: 0, isSnapshot: true, writer)
    }

    /// Throws an error if this store has transactions that other stores reject, because they are in the future.
    private func checkClock() throws {
        guard state.clock > latestTime else { return }
        throw StoreError(
            .invalidBundle,
            "This store has committed while a clock was more than a day ahead, so that other stores reject its bundles. Correct the clock, call `resetChangeBundles()`, and apply a `changeSnapshot()` of another store."
        )
    }

    /// Returns the numbers up to which a record contains the transactions of each origin.
    private func covered(by entry: LedgerEntry) -> [Int: Int64] {
        var covered = state.applied.merging(entry.state.covered) { max($0, $1) }
        covered[0] = state.number
        return covered
    }

    private func bundle(after number: Int64, isSnapshot: Bool, _ writer: BundleWriter) -> ChangeBundle {
        var bundle = ChangeBundle(
            origin: origin, after: number, number: state.number, seen: writer.names(of: state.applied),
            isSnapshot: isSnapshot, transactions: writer.transactions, restored: writer.restored)
        for change in bundle.transactions.lazy.flatMap(\.changes) where change.kind == .inserted {
            let name = change.key.entity
            if bundle.properties[name] == nil { bundle.properties[name] = entities[name]?.writtenProperties }
        }
        return bundle
    }

    /// Adds the writes of a record that are wanted.
    private func write(
        _ entry: LedgerEntry, to writer: inout BundleWriter, where isWanted: (BundleStamp) -> Bool
    ) throws {
        let (state, key) = (entry.state, entry.identity.bundleKey)
        let isAlive = entry.isAlive(in: self)
        // A deletion that the object has outlived still ends older links.
        if let deleted = state.deleted, isWanted(deleted), !isAlive || deleted != state.base {
            writer.change(key, at: deleted) { $0.kind = .deleted }
        }
        if let base = state.base, isWanted(base) {
            writer.change(key, at: base) { ($0.kind, $0.replaces) = (.inserted, state.deleted == base) }
        }
        let object = try object(of: entry)
        for name in entry.entity.contents where entry.hasValue(name) {
            guard let stamp = state.stamp(name), isWanted(stamp), let attribute = entry.entity.attributes[name],
                let value = try state.values[name]?.value ?? object?.bundleValue(attribute)
            else { continue }
            writer.change(key, at: stamp) { $0.attributes[name] = value }
        }
        for relation in entry.entity.relations.values {
            let name = relation.name
            if !relation.isToMany, entry.hasTarget(name), let stamp = state.stamp(name), isWanted(stamp) {
                let target = try target(of: relation, of: entry)
                writer.change(key, at: stamp) { $0.links.updateValue(target?.bundleKey, forKey: name) }
            }
            for (member, link) in state.links[name] ?? [:]
            where isWanted(link.stamp) && isAfterDeletion(link.stamp, of: entry) {
                writer.change(key, at: link.stamp) { $0.setLink(to: member, of: name, isMember: link.isMember) }
            }
            if let order = state.orders[name], isWanted(order.stamp) {
                writer.change(key, at: order.stamp) { $0.setOrder(order.members, of: name) }
            }
        }
    }

    /// Adds the writes that other stores need to notice a conflict, although they have lost it.
    private func writeConflicts(
        of entry: LedgerEntry, to writer: inout BundleWriter, where isWanted: (BundleStamp) -> Bool
    ) {
        let key = entry.identity.bundleKey
        for write in entry.state.replaced.values where isWanted(write.stamp) {
            writer.change(key, at: write.stamp) { change in
                switch write.content {
                case .value(let value): change.attributes[write.property] = value.value
                case .target(let target):
                    change.links.updateValue(BundleIdentity(text: target)?.bundleKey, forKey: write.property)
                case .order(let members): change.setOrder(members, of: write.property)
                case .link(let member, let isMember):
                    change.setLink(to: member, of: write.property, isMember: isMember)
                }
            }
        }
        guard let life = entry.state.life, isWanted(life), let deleted = entry.state.deleted,
            !entry.isAlive(in: self), !deleted.knows(life)
        else { return }
        writer.change(key, at: life) { $0.isWithoutValues = true }
    }
}

extension ChangeBundle.Change {
    fileprivate mutating func setLink(to member: String, of relation: String, isMember: Bool) {
        guard let key = BundleIdentity(text: member)?.bundleKey else { return }
        if isMember {
            added[relation, default: []].append(key)
        } else {
            removed[relation, default: []].append(key)
        }
    }

    fileprivate mutating func setOrder(_ members: [String], of relation: String) {
        orders[relation] = members.compactMap { BundleIdentity(text: $0)?.bundleKey }
    }
}
