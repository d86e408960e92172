import OpenCoreData

/// Writes the objects of a dump into an empty store: rows first, and what leads to later rows afterwards.
final class StoreFiller {
    /// A dump up to this size is saved at once, so that every row has its first version.
    private static let batch = (objects: 20_000, bytes: 64 << 20, links: 50_000)

    private let store: SQLiteStore
    private let model: CompiledModel
    private let layout: StoreLayout
    private let progress: Progress
    private var request = SaveRequest()
    private var inserted: Set<SaveRequest.Row> = []
    private var size = 0
    private var later: [(row: SaveRequest.Row, slot: Int, destination: SaveRequest.Row)] = []
    private var links: [SaveRequest.Link] = []
    private var positions: [SaveRequest.Position] = []

    init(_ store: SQLiteStore, _ console: Console) {
        self.store = store
        model = store.model
        layout = StoreLayout(model: store.model)
        progress = Progress(console, "objects")
    }

    /// - Returns: The number of objects.
    func fill(from reader: DumpReader) throws -> Int {
        var count = 0
        while let object = try reader.next(model) {
            add(object)
            count += 1
            progress.update(count)
            if request.insertions.count >= Self.batch.objects || size >= Self.batch.bytes { try save() }
        }
        if inserted.isEmpty {
            request.addedLinks = links
            request.positions = positions
            try store.save(request)
        } else {
            try save()
            try saveRelations()
        }
        progress.end()
        return count
    }

    private func add(_ object: DumpReader.Object) {
        let row = SaveRequest.Row(entity: object.entity.number, key: object.key)
        size += object.size
        request.insertions.append(.init(row: row, attributes: object.attributes, toOnes: object.toOnes))
        for (slot, members) in object.toManys {
            switch layout.toMany(slot, in: object.entity.number) {
            case .join(let join)?:
                // The other side says the same of an unordered one.
                let isOrdered = join.orderColumn != nil
                guard join.isOwner || isOrdered || object.entity.relationships[slot].inverse == nil else { continue }
                add(members, of: row, slot, isLinked: true, isOrdered: isOrdered)
            case .oneWay(_, let order)?: add(members, of: row, slot, isLinked: true, isOrdered: order != nil)
            case .inverse(_, let order)?: add(members, of: row, slot, isLinked: false, isOrdered: order != nil)
            case nil: continue
            }
        }
    }

    private func add(
        _ members: [SaveRequest.Row], of row: SaveRequest.Row, _ slot: Int, isLinked: Bool, isOrdered: Bool
    ) {
        for (index, member) in members.enumerated() {
            let link = SaveRequest.Link(owner: row, relationship: slot, destination: member)
            if isLinked { links.append(link) }
            if isOrdered {
                positions.append(.init(link: link, orderKey: OrderKeys.first + Int64(index) * OrderKeys.step))
            }
        }
    }

    /// Saves the rows at hand. What leads to rows that are not there yet waits.
    private func save() throws {
        for insertion in request.insertions { inserted.insert(insertion.row) }
        for index in request.insertions.indices {
            for (slot, destination) in request.insertions[index].toOnes.enumerated() {
                guard let destination, !inserted.contains(destination) else { continue }
                later.append((request.insertions[index].row, slot, destination))
                request.insertions[index].toOnes[slot] = nil
            }
        }
        try store.save(request)
        request = SaveRequest()
        size = 0
    }

    private func saveRelations() throws {
        request = SaveRequest()
        // A row that several relationships wait for is updated once.
        var rows: [SaveRequest.Row: [(slot: Int, destination: SaveRequest.Row?)]] = [:]
        for item in later { rows[item.row, default: []].append((item.slot, item.destination)) }
        let updates = rows.sorted { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }
        for start in stride(from: 0, to: updates.count, by: Self.batch.objects) {
            request.updates = updates[start..<min(start + Self.batch.objects, updates.count)].map {
                .init(row: $0.key, version: nil, attributes: [], toOnes: $0.value)
            }
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
