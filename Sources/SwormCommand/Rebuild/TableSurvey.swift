/// The pages that the trees of tables refer to.
///
/// Each tree is walked separately: a page that two trees refer to is in both.
struct TableSurvey {
    struct Table {
        var name: String
        var root: Int
    }

    private let file: PageFile
    /// The leaves of each table, in the order of its tree, each once.
    private(set) var leaves: [String: [Int]] = [:]
    /// The unreadable pages that a tree refers to, by table.
    private(set) var broken: [String: [Int]] = [:]
    /// The pages that refer back to pages that the walk has already visited, by table.
    private(set) var turning: [String: [Int]] = [:]
    /// All readable pages that a tree refers to.
    private(set) var visited: Set<Int> = []

    init(_ file: PageFile, tables: [Table]) {
        self.file = file
        for table in tables { walk(table) }
    }

    private mutating func walk(_ table: Table) {
        var seen: Set<Int> = []
        var waiting = [table.root]
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted else { continue }
            switch file.page(number).flatMap({ TablePage($0, number: number, in: file) }) {
            case .leaf?:
                visited.insert(number)
                leaves[table.name, default: []].append(number)
            case .interior(let below)?:
                visited.insert(number)
                if below.contains(where: seen.contains) { turning[table.name, default: []].append(number) }
                waiting += below.reversed()
            case nil: broken[table.name, default: []].append(number)
            }
        }
    }
}
