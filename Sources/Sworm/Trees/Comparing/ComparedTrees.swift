import SwormPredicates

/// Trees of one level with their rows.
struct ComparedTrees<Tree> {
    private(set) var trees: [Tree] = []
    /// The rows of the trees, known or new.
    private(set) var rows: [TreeRow] = []
    /// The keys of the destinations of relations to one, by the name of the relation; 0 for a missing object.
    private(set) var links: [String: [Int64]]
    private let names: [String]
    /// Whether a change of a tree moves on the version of another tree, to which it belongs.
    let movesVersion: Bool

    /// - Parameter names: The relations to one whose keys are needed.
    init(links names: [String], movesVersion: Bool = false) {
        (self.names, self.movesVersion) = (names, movesVersion)
        links = Dictionary(uniqueKeysWithValues: names.map { ($0, []) })
    }

    /// Adds a tree.
    ///
    /// - Parameter links: The keys of the destinations, in the order of the names; empty for a new row.
    mutating func add(_ tree: Tree, at row: TreeRow, links keys: [Int64]) {
        trees.append(tree)
        rows.append(row)
        for (index, name) in names.enumerated() { links[name, default: []].append(keys.isEmpty ? 0 : keys[index]) }
    }
}

/// The keys of the destinations of relations to one, of all rows of a level.
struct LevelLinks {
    private let lists: [[Int64]]

    init<Value>(of rows: TreeRows<Value>?, _ names: [String]) { lists = names.map { rows?.links($0) ?? [] } }

    subscript(row: Int) -> [Int64] { lists.isEmpty ? [] : lists.map { $0[row] } }
}

/// Rows that were searched by their keys.
struct FoundRows<Value> {
    let rows: TreeRows<Value>
    let saved: [TreeRow]
    let indices: [SaveKey: Int]
}
