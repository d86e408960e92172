import OpenCoreData
import SwormStore

/// A writer that adds the objects of a dump to an empty store: rows first, and links to later rows afterwards.
final class StoreImport {
    /// The limits of a batch. A dump up to this size is saved at once, so that every row has version 1.
    private static let batch = (objects: 20_000, bytes: 64 << 20, links: 50_000)

    private let store: SQLiteStore
    let model: CompiledModel
    private let layout: StoreLayout
    private let progress: Progress
    private let derived: DerivedValues
    var dumpLinks: DumpLinks
    /// The one-to-one pairs that were completed since the last save.
    var pairs: [DumpLinks.Pair] = []
    /// The links that no save would write. They are written to the file after the last save.
    var strays: StrayLinks
    /// The rules that the dump violates without being rejected.
    var warnings: [String] = []
    var request = SaveRequest()
    private var inserted: Set<RowID> = []
    private var size = 0
    var later: [(row: RowID, slot: Int, destination: RowID)] = []
    var links: [SaveRequest.Link] = []
    var positions: [SaveRequest.Position] = []

    /// - Parameters:
    ///   - derived: Collects the values that no save computes.
    ///   - dump: The name of the dump in messages.
    init(_ store: SQLiteStore, derived: DerivedValues, dump: String, console: Console) {
        self.store = store
        self.derived = derived
        model = store.model
        let strays = StrayLinks(store.model)
        self.strays = strays
        dumpLinks = DumpLinks(store.model, dump: dump) { strays.canKeep($0, of: $1) }
        layout = StoreLayout(model: store.model)
        progress = Progress(console, label: "objects")
    }

    /// - Returns: The number of objects.
    func fill(from reader: DumpReader) throws -> Int {
        var count = 0
        while let object = try reader.next(model) {
            try dumpLinks.add(object)
            pairs += dumpLinks.takePairs()
            try addStrays(of: object)
            derived.add(object)
            add(object)
            count += 1
            progress.update(count)
            if request.insertions.count >= Self.batch.objects || size >= Self.batch.bytes { try save() }
        }
        try passOverStrays()
        if inserted.isEmpty {
            joinPairs()
            request.addedLinks = links
            request.positions = positions
            try write()
        } else {
            try save()
            try saveRelations()
        }
        progress.end()
        return count
    }

    private func add(_ object: DumpReader.Object) {
        let row = object.row
        size += object.size
        var insertion = SaveRequest.Insertion(row: row, attributes: object.attributes, toOnes: object.toOnes)
        // A one-to-one link is only written once both sides have stated it.
        for case (let slot, let destination?) in object.toOnes.enumerated()
        where inversePair(slot, of: row).map({ !(destination == row && $0 == slot) }) ?? false {
            insertion.toOnes[slot] = nil
        }
        insertion.exact = object.exact
        request.insertions.append(insertion)
        for (slot, members) in object.toManys {
            switch layout.toMany(slot, in: object.entity.number) {
            case .join(let join)?:
                // For an unordered relationship, the other side writes the same link.
                let isOrdered = join.orderColumn != nil
                guard join.isOwner || isOrdered || object.entity.relationships[slot].inverse == nil else { continue }
                add(members, of: row, slot: slot, isLinked: true, isOrdered: isOrdered)
            case .oneWay(_, let order)?: add(members, of: row, slot: slot, isLinked: true, isOrdered: order != nil)
            case .inverse(_, let order)?: add(members, of: row, slot: slot, isLinked: false, isOrdered: order != nil)
            case nil: continue
            }
        }
    }

    private func add(
        _ members: [RowID], of row: RowID, slot: Int, isLinked: Bool, isOrdered: Bool
    ) {
        for (index, member) in members.enumerated() {
            let link = SaveRequest.Link(owner: row, relationship: slot, destination: member)
            if isLinked { links.append(link) }
            if isOrdered {
                positions.append(.init(link: link, orderKey: OrderKeys.first + Int64(index) * OrderKeys.step))
            }
        }
    }

    /// Saves the pending rows. Links to rows that are not there yet are deferred.
    private func save() throws {
        let new = Set(request.insertions.map(\.row))
        inserted.formUnion(new)
        for index in request.insertions.indices {
            let row = request.insertions[index].row
            for case (let slot, let destination?) in request.insertions[index].toOnes.enumerated()
            where !inserted.contains(destination) {
                later.append((row, slot, destination))
                request.insertions[index].toOnes[slot] = nil
            }
        }
        joinPairs()
        try write()
        request = SaveRequest()
        size = 0
    }

    func updates(
        _ rows: [RowID: [(slot: Int, destination: RowID?)]]
    ) -> [SaveRequest.Update] {
        rows.sorted { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }.map {
            .init(row: $0.key, version: nil, attributes: SlotValues(), toOnes: $0.value)
        }
    }

    private func write() throws {
        do {
            try store.save(request)
        } catch let error as UniquenessConflicts {
            guard let conflict = error.conflicts.first else { throw error }
            let rows = [conflict.row, conflict.existing].sorted {
                (dumpLinks.line(of: $0) ?? 0) < (dumpLinks.line(of: $1) ?? 0)
            }
            throw dumpLinks.issue(
                at: dumpLinks.line(of: rows[1]) ?? 0,
                "cannot be imported: \(dumpLinks.name(rows[1])) has the same \(conflict.constraint.joined(separator: ", ")) as "
                    + "\(dumpLinks.name(rows[0])) in line \(dumpLinks.line(of: rows[0]) ?? 0), which must be unique",
                hint: "change the value of one of them")
        }
    }

    private func saveRelations() throws {
        request = SaveRequest()
        // A row with several deferred relationships is updated once.
        var rows: [RowID: [(slot: Int, destination: RowID?)]] = [:]
        for item in later { rows[item.row, default: []].append((item.slot, item.destination)) }
        let updates = updates(rows)
        for start in stride(from: 0, to: updates.count, by: Self.batch.objects) {
            request.updates = Array(updates[start..<min(start + Self.batch.objects, updates.count)])
            try save()
        }
        for start in stride(from: 0, to: links.count, by: Self.batch.links) {
            request.addedLinks = Array(links[start..<min(start + Self.batch.links, links.count)])
            try save()
        }
        for start in stride(from: 0, to: positions.count, by: Self.batch.links) {
            request.positions = Array(positions[start..<min(start + Self.batch.links, positions.count)])
            try save()
        }
    }
}
