/// Which objects of a new store those of an old one have become, by entity mapping. They are kept as rows: there may be many.
struct MigrationAssociations {
    typealias Row = SaveRequest.Row

    private enum Few {
        case one(Row)
        case several([Row])

        var rows: [Row] {
            switch self {
            case .one(let row): [row]
            case .several(let rows): rows
            }
        }

        mutating func add(_ row: Row) {
            guard !rows.contains(row) else { return }
            self = .several(rows + [row])
        }
    }

    private struct Links {
        var destinations: [Row: Few] = [:]
        var sources: [Row: Few] = [:]
    }

    private var links: [String: Links] = [:]

    mutating func add(_ source: Row, _ destination: Row, mapping: String) {
        func note(_ row: Row, for key: Row, in table: inout [Row: Few]) {
            if table[key]?.add(row) == nil { table[key] = .one(row) }
        }
        note(destination, for: source, in: &links[mapping, default: Links()].destinations)
        note(source, for: destination, in: &links[mapping, default: Links()].sources)
    }

    /// Forgets a new object that was deleted again, so that no link leads to it.
    mutating func remove(_ destination: Row) {
        for name in Array(links.keys) {
            for source in links[name]?.sources.removeValue(forKey: destination)?.rows ?? [] {
                let rest = links[name]?.destinations[source]?.rows.filter { $0 != destination } ?? []
                links[name]?.destinations[source] = rest.isEmpty ? nil : .several(rest)
            }
        }
    }

    func destinations(of source: Row, mapping: String) -> [Row] { links[mapping]?.destinations[source]?.rows ?? [] }

    func sources(of destination: Row, mapping: String) -> [Row] { links[mapping]?.sources[destination]?.rows ?? [] }

    /// The new objects of a mapping, in the order of their keys.
    func destinations(mapping: String) -> [Row] {
        (links[mapping]?.sources.keys).map { $0.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) } } ?? []
    }

    /// The old objects of a mapping, in the order of their keys.
    func sources(mapping: String) -> [Row] {
        (links[mapping]?.destinations.keys).map { $0.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) } } ?? []
    }
}
