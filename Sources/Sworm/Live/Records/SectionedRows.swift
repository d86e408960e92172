/// The rows of a sectioned request at one moment.
struct SectionedRows<PlainObject: ManagedObjectConvertible, Key: Hashable & Sendable> {
    /// A section, whose rows are adjacent.
    struct Section: Sendable {
        var key: Key
        var identity: SectionIdentity
        var range: Range<Int>

        func isSame(as other: Section) -> Bool { identity == other.identity && range == other.range }
    }

    var rows = LiveRows<PlainObject>()
    var sections: [Section] = []

    /// Returns whether the sections have the same keys and ranges.
    func hasSameSections(as other: [Section]) -> Bool {
        sections.count == other.count && zip(sections, other).allSatisfy { $0.isSame(as: $1) }
    }

    /// Returns the differences from earlier rows.
    func changes(since old: SectionedRows) -> ListChanges {
        if hasSameSections(as: old.sections), let changes = rows.replacements(since: old.rows) { return changes }
        var numbers: [SectionIdentity: Int] = [:]
        func sectionNumbers(_ rows: SectionedRows) -> [Int] {
            var result: [Int] = []
            result.reserveCapacity(rows.rows.count)
            for section in rows.sections {
                let number = numbers[section.identity] ?? numbers.count
                numbers[section.identity] = number
                result.append(contentsOf: repeatElement(number, count: section.range.count))
            }
            return result
        }
        let (before, now) = (sectionNumbers(old), sectionNumbers(self))
        var changes = rows.changes(since: old.rows) { before[$0] == now[$1] }
        // Sections change their order only if the request was replaced.
        let sections = ListChanges(
            from: old.sections.count, { old.sections[$0].identity }, to: sections.count,
            { self.sections[$0].identity }, isSame: { _, _ in true })
        changes.sections.removed = (sections.removed + sections.moved.map(\.from)).sorted()
        changes.sections.inserted = (sections.inserted + sections.moved.map(\.to)).sorted()
        return changes
    }
}

extension SectionedRows: Sendable where PlainObject: Sendable {}
