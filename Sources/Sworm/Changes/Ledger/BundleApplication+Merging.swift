import SwormPredicates

// Merging the changes of a bundle into the records.
extension BundleApplication {
    func merge(_ change: ChangeBundle.Change, at stamp: BundleStamp) throws {
        let entry = try ledger.entry(try BundleIdentity(change.key))
        try ledger.check(change, of: entry.entity)
        settlement.unsettled.append(entry)
        if change.kind == .deleted { return try mergeDeletion(of: entry, at: stamp) }
        let wasDeleted = !entry.isAlive(in: ledger) && entry.state.deleted != nil
        let deleted = entry.state.deleted
        if change.kind == .inserted, ledger.isLater(stamp, than: entry.state.base) {
            // The properties without an own stamp keep that of the base until now.
            if let base = entry.state.base {
                for name in entry.entity.contents + entry.entity.relations.keys where entry.state.stamps[name] == nil {
                    entry.state.stamps[name] = base
                }
            }
            entry.state.base = stamp
            extend(entry, to: stamp)
        }
        if change.replaces, ledger.isLater(stamp, than: entry.state.deleted) { entry.state.deleted = stamp }
        for (name, value) in change.attributes {
            try merge(value, for: name, of: entry, at: stamp, reports: !wasDeleted)
        }
        for (name, target) in change.links {
            try mergeTarget(target, for: name, of: entry, at: stamp, reports: !wasDeleted)
        }
        for (name, members) in change.added { try mergeLinks(members, for: name, isMember: true, of: entry, at: stamp) }
        for (name, members) in change.removed {
            try mergeLinks(members, for: name, isMember: false, of: entry, at: stamp)
        }
        for (name, members) in change.orders { try mergeOrder(members, for: name, of: entry, at: stamp) }
        guard wasDeleted, let deleted, change.kind == .inserted || !change.attributes.isEmpty else { return }
        guard isConcurrent(stamp, with: deleted) else { return }
        let isLater = entry.isAlive(in: ledger)
        let choice = try decide(
            conflict(about: nil, of: entry, local: .deleted, remote: .changed, at: stamp, isRemoteLater: isLater))
        if case .local = choice, isLater {
            entry.state.deleted = own()
            entry.note(own())
        }
    }

    private func extend(_ entry: LedgerEntry, to stamp: BundleStamp) {
        if ledger.isLater(stamp, than: entry.state.life) { entry.state.life = stamp }
    }

    private func mergeDeletion(of entry: LedgerEntry, at stamp: BundleStamp) throws {
        let wasAlive = entry.isAlive(in: ledger)
        let life = entry.state.life
        guard ledger.isLater(stamp, than: entry.state.deleted) else { return }
        entry.state.deleted = stamp
        guard wasAlive, let life else { return }
        let isDeleted = !entry.isAlive(in: ledger)
        if isConcurrent(stamp, with: life) {
            let choice = try decide(
                conflict(about: nil, of: entry, local: .changed, remote: .deleted, at: stamp, isRemoteLater: isDeleted))
            switch choice {
            case .local where isDeleted: return try renew(entry)
            case .remote where !isDeleted:
                entry.state.deleted = own()
                entry.note(own())
                return
            default: break
            }
        }
        // The store whose change outlives the deletion sends the whole object, because the other stores have deleted it.
        if isDeleted { return }
        if life.origin == 0 { try renew(entry) }
        settlement.outlived.append(entry)
    }

    /// Makes all values of an object changes of this store.
    private func renew(_ entry: LedgerEntry) throws {
        let stamp = own()
        if let object = try ledger.object(of: entry) {
            try ledger.writeWhole(entry, of: object, at: stamp, touchesOthers: false)
            try ledger.writeDirtyLinks(stamp)
            try ledger.renewLinks(to: entry, object, at: stamp)
        } else {
            entry.state.base = stamp
            entry.state.life = stamp
            entry.state.stamps = [:]
            entry.note(stamp)
        }
    }

    private func merge(
        _ value: AttributeValue, for name: String, of entry: LedgerEntry, at stamp: BundleStamp, reports: Bool
    ) throws {
        let local = entry.state.stamps[name] ?? (entry.state.base == stamp ? nil : entry.state.base)
        let isLater = ledger.isLater(stamp, than: local)
        var taken = isLater ? value : nil
        var takenStamp = stamp
        if reports, isConcurrent(stamp, with: local), let present = try self.value(name, of: entry), present != value {
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
        // A value that is known but missing belongs to an object that was deleted here.
        if taken == nil, stamp == local, entry.row == 0, entry.state.values[name] == nil { taken = value }
        guard let taken else { return }
        if takenStamp == entry.state.base {
            entry.state.stamps[name] = nil
        } else {
            entry.state.stamps[name] = takenStamp
        }
        entry.state.values[name] = BundleValue(taken)
        entry.note(takenStamp)
        extend(entry, to: takenStamp)
    }

    private func value(_ name: String, of entry: LedgerEntry) throws -> AttributeValue? {
        if let value = entry.state.values[name]?.value { return value }
        guard let attribute = entry.entity.attributes[name] else { return nil }
        return try ledger.object(of: entry)?.bundleValue(attribute)
    }

    private func mergeTarget(
        _ target: ChangeBundle.Key?, for name: String, of entry: LedgerEntry, at stamp: BundleStamp, reports: Bool
    ) throws {
        guard let relation = entry.entity.relations[name] else { return }
        let identity = try target.map { try BundleIdentity($0) }
        let local = entry.state.stamps[name] ?? (entry.state.base == stamp ? nil : entry.state.base)
        let isLater = ledger.isLater(stamp, than: local)
        var (isTaken, takenStamp) = (isLater, stamp)
        var taken = identity
        if reports, isConcurrent(stamp, with: local), entry.isAlive(in: ledger) {
            let present = try ledger.target(of: relation, of: entry)
            if present != identity {
                let choice = try decide(
                    conflict(
                        about: name, of: entry, local: .object(present?.bundleKey), remote: .object(target), at: stamp,
                        isRemoteLater: isLater))
                switch choice {
                case .local: if isLater { (isTaken, taken, takenStamp) = (true, present, own()) }
                case .remote: if !isLater { (isTaken, takenStamp) = (true, own()) }
                case .later, .value: break
                }
            }
        }
        guard isTaken else { return }
        if takenStamp == entry.state.base {
            entry.state.stamps[name] = nil
        } else {
            entry.state.stamps[name] = takenStamp
        }
        entry.state.targets[name] = taken?.text ?? ""
        entry.note(takenStamp)
        settlement.changedTargets.append((entry, relation))
    }

    private func mergeLinks(
        _ members: [ChangeBundle.Key], for name: String, isMember: Bool, of entry: LedgerEntry, at stamp: BundleStamp
    ) throws {
        guard let relation = entry.entity.relations[name] else { return }
        var links = entry.state.links[name] ?? [:]
        for key in members {
            let member = try BundleIdentity(key).text
            let local = links[member]
            let isLater = ledger.isLater(stamp, than: local?.stamp)
            if let local, local.isMember != isMember, isConcurrent(stamp, with: local.stamp) {
                _ = try decide(
                    conflict(
                        about: name, of: entry, local: .member(key, local.isMember), remote: .member(key, isMember),
                        at: stamp,
                        isRemoteLater: isLater), canChoose: false)
            }
            guard isLater else { continue }
            links[member] = RecordState.Link(stamp: stamp, isMember: isMember)
            settlement.changedLinks.append((entry, relation, member))
        }
        entry.state.links[name] = links
    }

    private func mergeOrder(
        _ members: [ChangeBundle.Key], for name: String, of entry: LedgerEntry, at stamp: BundleStamp
    ) throws {
        guard let relation = entry.entity.relations[name] else { return }
        let texts = try members.map { try BundleIdentity($0).text }
        let local = entry.state.orders[name]
        let isLater = ledger.isLater(stamp, than: local?.stamp)
        if let local, local.members != texts, isConcurrent(stamp, with: local.stamp) {
            let present = local.members.compactMap { BundleIdentity(text: $0)?.bundleKey }
            _ = try decide(
                conflict(
                    about: name, of: entry, local: .objects(present), remote: .objects(members), at: stamp,
                    isRemoteLater: isLater),
                canChoose: false)
        }
        guard isLater else { return }
        entry.state.orders[name] = RecordState.Order(stamp: stamp, members: texts)
        settlement.changedOrders.append((entry, relation))
    }
}
