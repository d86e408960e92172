import SwormPredicates

// The properties of objects.
extension BundleApplication {
    /// Merges the properties of a change.
    func merge(_ item: Item, into entry: LedgerEntry, reports: Bool) throws {
        let (change, stamp) = (item.change, item.stamp)
        if change.kind == .inserted, ledger.isLater(stamp, than: entry.state.base) { entry.setBase(stamp) }
        for (name, value) in change.attributes.sorted(by: { $0.key < $1.key }) {
            try merge(value, for: name, of: entry, at: stamp, reports: reports)
        }
        for (name, target) in change.links.sorted(by: { $0.key < $1.key }) {
            guard let relation = entry.entity.relations[name] else { continue }
            let target = try target.map { try BundleIdentity($0) }
            try mergeTarget(target, for: relation, of: entry, at: stamp, reports: reports)
        }
        for (links, isMember) in [(change.added, true), (change.removed, false)] {
            for (name, members) in links.sorted(by: { $0.key < $1.key }) {
                guard let relation = entry.entity.relations[name] else { continue }
                for member in members {
                    let link = RecordState.Link(stamp: stamp, isMember: isMember)
                    try mergeLink(link, to: member, in: relation, of: entry, reports: reports)
                }
            }
        }
        for (name, members) in change.orders.sorted(by: { $0.key < $1.key }) {
            guard let relation = entry.entity.relations[name] else { continue }
            let order = RecordState.Order(stamp: stamp, members: try members.map { try BundleIdentity($0).text })
            try mergeOrder(order, for: relation, of: entry, reports: reports)
        }
    }

    /// Returns whether a write of the bundle and one that this store knows are in conflict, so that it is reported.
    private func isConflict(_ remote: BundleStamp, with local: BundleStamp?, of entry: LedgerEntry) -> Bool {
        guard let local, isNew(remote, to: entry) else { return false }
        return remote.isConcurrent(with: local)
    }

    /// Notes that a write is kept, and one that this store knew is not.
    private func replace(
        _ local: BundleStamp?, with stamp: BundleStamp, of property: String, of entry: LedgerEntry,
        _ content: @autoclosure () -> RecordState.Replaced.Content?
    ) {
        if stamp.origin == 0 {
            entry.state.replaced[property] = nil
            return
        }
        // Only a write that the other store did not know is in conflict with it.
        guard let local, local.origin == 0, stamp.isConcurrent(with: local), let content = content() else { return }
        let write = RecordState.Replaced(stamp: local, property: property, content: content)
        entry.state.replaced[write.key] = write
    }

    /// Notes a value that is older than the deletion of the object.
    private func reviveIfOlder(_ entry: LedgerEntry, at stamp: BundleStamp) {
        if let deleted = entry.state.deleted, ledger.isLater(deleted, than: stamp) { revive(entry) }
    }

    private func merge(
        _ value: AttributeValue, for name: String, of entry: LedgerEntry, at stamp: BundleStamp, reports: Bool
    ) throws {
        let local = entry.hasValue(name) ? entry.state.stamp(name) : nil
        let isLater = ledger.isLater(stamp, than: local)
        let present = local == nil ? nil : try self.value(name, of: entry)
        var taken = isLater ? value : nil
        var takenStamp = stamp
        if reports, isConflict(stamp, with: local, of: entry), let present, present != value {
            let choice = try decide(
                conflict(
                    about: name, of: entry, local: .attribute(present), remote: .attribute(value), at: stamp,
                    isRemoteLater: isLater))
            switch choice {
            case .later: break
            case .local: if isLater { (taken, takenStamp) = (present, own()) }
            case .remote: if !isLater { (taken, takenStamp) = (value, own()) }
            case .value(let other):
                try ledger.check(other, of: name, in: entry.entity)
                (taken, takenStamp) = (other, own())
            }
        }
        guard let taken else { return }
        takenStamp = entry.note(takenStamp)
        replace(local, with: takenStamp, of: name, of: entry, present.map { .value(BundleValue($0)) })
        reviveIfOlder(entry, at: takenStamp)
        entry.state.values[name] = BundleValue(taken)
        entry.setStamp(takenStamp, of: name)
        extend(entry, to: takenStamp)
    }

    private func value(_ name: String, of entry: LedgerEntry) throws -> AttributeValue? {
        if let value = entry.state.values[name]?.value { return value }
        guard let attribute = entry.entity.attributes[name] else { return nil }
        return try ledger.object(of: entry)?.bundleValue(attribute)
    }

    private func mergeTarget(
        _ target: BundleIdentity?, for relation: BundleEntity.Relation, of entry: LedgerEntry, at stamp: BundleStamp,
        reports: Bool
    ) throws {
        let name = relation.name
        let local = entry.hasTarget(name) ? entry.state.stamp(name) : nil
        let isLater = ledger.isLater(stamp, than: local)
        let present = local == nil ? nil : try ledger.target(of: relation, of: entry)
        var (isTaken, takenStamp, taken) = (isLater, stamp, target)
        if reports, isConflict(stamp, with: local, of: entry), present != target {
            let choice = try decide(
                conflict(
                    about: name, of: entry, local: .object(present?.bundleKey), remote: .object(target?.bundleKey),
                    at: stamp, isRemoteLater: isLater))
            switch choice {
            case .local: if isLater { (taken, takenStamp) = (present, own()) }
            case .remote: if !isLater { (isTaken, takenStamp) = (true, own()) }
            case .later, .value: break
            }
        }
        guard isTaken else { return }
        takenStamp = entry.note(takenStamp)
        replace(local, with: takenStamp, of: name, of: entry, .target(present?.text ?? ""))
        reviveIfOlder(entry, at: takenStamp)
        entry.state.targets[name] = taken?.text ?? ""
        entry.setStamp(takenStamp, of: name)
        settlement.changedTargets.append((entry, relation))
    }

    private func mergeLink(
        _ link: RecordState.Link, to key: ChangeBundle.Key, in relation: BundleEntity.Relation, of entry: LedgerEntry,
        reports: Bool
    ) throws {
        let (name, member) = (relation.name, try BundleIdentity(key).text)
        let local = entry.state.links[name]?[member]
        let isLater = ledger.isLater(link.stamp, than: local?.stamp)
        if reports, let local, local.isMember != link.isMember, isConflict(link.stamp, with: local.stamp, of: entry) {
            _ = try decide(
                conflict(
                    about: name, of: entry, local: .member(key, local.isMember), remote: .member(key, link.isMember),
                    at: link.stamp, isRemoteLater: isLater),
                canChoose: false)
        }
        guard isLater else { return }
        replace(
            local?.stamp, with: link.stamp, of: name, of: entry, local.map { .link(member, isMember: $0.isMember) })
        entry.state.links[name, default: [:]][member] = link
        settlement.changedLinks.append((entry, relation, member))
    }

    private func mergeOrder(
        _ order: RecordState.Order, for relation: BundleEntity.Relation, of entry: LedgerEntry, reports: Bool
    ) throws {
        let local = entry.state.orders[relation.name]
        let isLater = ledger.isLater(order.stamp, than: local?.stamp)
        if reports, let local, local.members != order.members, isConflict(order.stamp, with: local.stamp, of: entry) {
            let keys = { (members: [String]) in members.compactMap { BundleIdentity(text: $0)?.bundleKey } }
            _ = try decide(
                conflict(
                    about: relation.name, of: entry, local: .objects(keys(local.members)),
                    remote: .objects(keys(order.members)), at: order.stamp, isRemoteLater: isLater),
                canChoose: false)
        }
        guard isLater else { return }
        replace(local?.stamp, with: order.stamp, of: relation.name, of: entry, local.map { .order($0.members) })
        reviveIfOlder(entry, at: order.stamp)
        entry.state.orders[relation.name] = order
        settlement.changedOrders.append((entry, relation))
    }
}
