/// The pages to which the trees of tables lead.
///
/// Each tree is walked by itself: a page that two of them lead to is in both.
struct TableSurvey {
    struct Table {
        var name: String
        var root: Int
    }

    private let file: PageFile
    /// The leaves of each table, in the order of its tree, each once.
    private(set) var leaves: [String: [Int]] = [:]
    /// The pages to which a tree leads and that cannot be read.
    private(set) var broken: [String: [Int]] = [:]
    /// The pages from which a tree leads back to pages that it has been at.
    private(set) var turning: [String: [Int]] = [:]
    /// All pages that a tree leads to and that can be read.
    private(set) var visited: Set<Int> = []

    init(_ file: PageFile, _ tables: [Table]) {
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
