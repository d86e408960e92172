/// A page of the tree of a table.
enum TablePage {
    /// A row on a leaf: its key, the length of its record, and the part of the record that is on the page.
    struct Cell {
        var key: Int64
        var size: Int
        var local: Range<Int>
        /// The page with the rest, or 0 if the whole record is on this page.
        var overflow: Int
    }

    case leaf([Cell])
    /// The child pages.
    case interior([Int])

    /// Returns nil for a page of another kind, and for a damaged page.
    init?(_ page: [UInt8], number: Int, in file: PageFile) {
        let start = number == 1 ? 100 : 0
        guard start < page.count, page[start] == 13 || page[start] == 5 else { return nil }
        let isLeaf = page[start] == 13
        let count = Int(page.number(at: start + 3, size: 2))
        let list = start + (isLeaf ? 8 : 12)
        guard list + 2 * count <= file.usableSize else { return nil }
        let cells = (0..<count).map { Int(page.number(at: list + 2 * $0, size: 2)) }
        guard cells.allSatisfy({ $0 >= list + 2 * count && $0 < file.usableSize }) else { return nil }
        if isLeaf {
            var found: [Cell] = []
            for cell in cells {
                guard let cell = Self.cell(page, at: cell, in: file) else { return nil }
                found.append(cell)
            }
            self = .leaf(found)
        } else {
            let pages = cells.map { Int(page.number(at: $0, size: 4)) } + [Int(page.number(at: start + 8, size: 4))]
            self = .interior(pages)
        }
    }

    private static func cell(_ page: [UInt8], at start: Int, in file: PageFile) -> Cell? {
        guard let (size, next) = page.variableNumber(at: start), size >= 0, size <= 1 << 31,
            let (key, content) = page.variableNumber(at: next)
        else { return nil }
        let largest = file.usableSize - 35
        var local = Int(size)
        if local > largest {
            let least = (file.usableSize - 12) * 32 / 255 - 23
            local = least + (Int(size) - least) % (file.usableSize - 4)
            if local > largest { local = least }
        }
        let end = content + local
        guard end + (local < size ? 4 : 0) <= file.usableSize else { return nil }
        return Cell(
            key: key, size: Int(size), local: content..<end,
            overflow: local < size ? Int(page.number(at: end, size: 4)) : 0)
    }
}
