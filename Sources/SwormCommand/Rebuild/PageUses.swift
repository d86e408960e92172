/// The uses of the pages of a file, according to its freelist and its pointer maps.
final class PageUses {
    /// The use of a page, in the pointer map that SQLite maintains for vacuuming.
    private enum Use { case root, free, overflow, tree(parent: Int) }

    private let file: PageFile
    private var free: Set<Int> = []
    /// Whether the freelist can be read to its end. If not, and there are no pointer maps, deleted rows may be
    /// recovered.
    private(set) var knowsFreePages: Bool
    /// The pointer map pages by number; nil for a damaged one.
    private var maps: [Int: [UInt8]?] = [:]

    init(_ file: PageFile) {
        self.file = file
        knowsFreePages = false
        readFreePages()
    }

    /// Returns whether a page is in use by a table or by an index.
    func isInTree(_ number: Int) -> Bool {
        if free.contains(number) { return false }
        return switch use(of: number) {
        case .free?, .overflow?: false
        case .root?, .tree?, nil: true
        }
    }

    /// Returns the root of the tree that a page belongs to according to the pointer maps, or nil if it is unknown.
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

    private func readFreePages() {
        guard let header = file.page(1), header.starts(with: "SQLite format 3\0".utf8) else { return }
        var trunk = Int(header.number(at: 32, size: 4))
        while trunk > 0, free.insert(trunk).inserted {
            guard let page = file.page(trunk) else { return }
            let count = Int(page.number(at: 4, size: 4))
            guard count <= file.usableSize / 4 - 2 else { return }
            for index in 0..<count { free.insert(Int(page.number(at: 8 + 4 * index, size: 4))) }
            trunk = Int(page.number(at: 0, size: 4))
        }
        knowsFreePages = trunk == 0 && free.count == Int(header.number(at: 36, size: 4))
    }

    private func use(of number: Int) -> Use? {
        guard number > 2, file.hasMaps else { return nil }
        let entries = file.usableSize / 5
        let map = (number - 2) / (entries + 1) * (entries + 1) + 2
        guard map != number, let page = page(ofMap: map, entries) else { return nil }
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

    private func page(ofMap map: Int, _ entries: Int) -> [UInt8]? {
        if let known = maps[map] { return known }
        let page = file.page(map).flatMap { page in
            let isSound = (0..<min(entries, file.count - map)).allSatisfy { index in
                (1...5).contains(page[5 * index]) && page.number(at: 5 * index + 1, size: 4) <= UInt64(file.count)
            }
            return isSound ? page : nil
        }
        maps[map] = .some(page)
        return page
    }
}
