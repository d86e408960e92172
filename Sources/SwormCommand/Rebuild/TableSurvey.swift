import OpenCoreData

/// The pages of tables, by their trees, and where these are broken by the pages themselves.
struct TableSurvey {
    struct Table {
        var name: String
        var root: Int
    }

    /// How a page is used, in the map that SQLite keeps for vacuuming.
    private enum Use { case root, free, overflow, tree(parent: Int) }

    private let file: PageFile
    /// The leaves of each table, those that its tree leads to first.
    private(set) var leaves: [String: [Int]] = [:]
    /// The tables of which the tree is broken, and the pages that it leads to and that cannot be read.
    private(set) var broken: [String: [Int]] = [:]
    /// Leaves that no tree leads to.
    private(set) var orphans: [Int] = []
    private var owned: Set<Int> = []

    init(_ file: PageFile, _ tables: [Table]) {
        self.file = file
        for table in tables { walk(table) }
        let free = freePages()
        guard tables.isEmpty || !broken.isEmpty else { return }
        for number in stride(from: 1, through: file.count, by: 1)
        where !owned.contains(number) && !free.contains(number) {
            if case .free? = use(of: number) { continue }
            if case .overflow? = use(of: number) { continue }
            guard let page = file.page(number), case .leaf(let cells)? = TablePage(page, number: number, in: file),
                !cells.isEmpty
            else { continue }
            orphans.append(number)
        }
    }

    /// Gives a leaf to a table.
    mutating func assign(_ leaf: Int, to table: String) { leaves[table, default: []].append(leaf) }

    /// The root of the tree to which a page says that it belongs; nil where nothing says so.
    func root(above number: Int) -> Int? {
        var (number, steps) = (number, 0)
        while steps < 64 {
            switch use(of: number) {
            case .root?: return number
            case .tree(let parent)?: number = parent
            case .free?, .overflow?, nil: return nil
            }
            steps += 1
        }
        return nil
    }

    private mutating func walk(_ table: Table) {
        var waiting = [table.root]
        while let number = waiting.popLast() {
            guard owned.insert(number).inserted else { continue }
            switch file.page(number).flatMap({ TablePage($0, number: number, in: file) }) {
            case .leaf?: leaves[table.name, default: []].append(number)
            case .interior(let below)?: waiting += below.reversed()
            case nil:
                owned.remove(number)
                broken[table.name, default: []].append(number)
            }
        }
    }

    private func freePages() -> Set<Int> {
        var free: Set<Int> = []
        guard let header = file.page(1) else { return free }
        var trunk = Int(header.number(at: 32, size: 4))
        while trunk > 0, free.insert(trunk).inserted, let page = file.page(trunk) {
            let count = Int(page.number(at: 4, size: 4))
            guard count <= file.usableSize / 4 - 2 else { break }
            for index in 0..<count { free.insert(Int(page.number(at: 8 + 4 * index, size: 4))) }
            trunk = Int(page.number(at: 0, size: 4))
        }
        return free
    }

    private func use(of number: Int) -> Use? {
        guard number > 2, file.hasMaps else { return nil }
        let entries = file.usableSize / 5
        let map = (number - 2) / (entries + 1) * (entries + 1) + 2
        guard map != number, let page = file.page(map) else { return nil }
        let isSound = (0..<min(entries, file.count - map)).allSatisfy { index in
            (1...5).contains(page[5 * index]) && page.number(at: 5 * index + 1, size: 4) <= UInt64(file.count)
        }
        guard isSound else { return nil }
        let entry = 5 * (number - map - 1)
        let parent = Int(page.number(at: entry + 1, size: 4))
        switch page[entry] {
        case 1: return .root
        case 2: return .free
        case 3, 4: return .overflow
        case 5 where parent > 0 && parent <= file.count: return .tree(parent: parent)
        default: return nil
        }
    }
}
