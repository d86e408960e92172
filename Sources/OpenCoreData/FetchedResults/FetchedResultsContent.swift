import Foundation
import SwormPredicates

/// The objects of a controller at one time, in sections.
struct FetchedResultsContent {
    struct Entry {
        let object: NSManagedObject
        /// The object's id at that time. A save makes it permanent.
        let id: NSManagedObjectID
        /// Nil for a controller without sections.
        let section: SectionKey?

        init(_ object: NSManagedObject, section: SectionKey?) {
            self.object = object
            id = object.objectID
            self.section = section
        }
    }

    struct Section {
        let name: String
        /// How many sections with the same name come before.
        let occurrence: Int
        let range: Range<Int>
    }

    let entries: [Entry]
    let sections: [Section]

    /// - Parameter hasSections: Whether the entries have sections. If not, there is always one section.
    init(_ entries: [Entry], hasSections: Bool) {
        self.entries = entries
        guard hasSections else {
            sections = [Section(name: "", occurrence: 0, range: entries.indices)]
            return
        }
        var sections: [Section] = []
        var occurrences: [String: Int] = [:]
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, Self.areTogether(entries[start], entries[end]) { end += 1 }
            let name = entries[start].section?.name ?? ""
            sections.append(Section(name: name, occurrence: occurrences[name, default: 0], range: start..<end))
            occurrences[name, default: 0] += 1
            start = end
        }
        self.sections = sections
    }

    private static func areTogether(_ one: Entry, _ other: Entry) -> Bool {
        guard let one = one.section, let other = other.section else { return true }
        return one.isSame(as: other)
    }

    /// Returns the index of the section that contains an offset.
    func section(at offset: Int) -> Int {
        var (low, high) = (0, sections.count)
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].range.upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func indexPath(of offset: Int) -> IndexPath {
        let section = section(at: offset)
        return IndexPath(indexes: [section, offset - sections[section].range.lowerBound])
    }

    /// Returns the offset of an index path; nil if there is no object.
    func offset(of path: IndexPath) -> Int? {
        guard path.count == 2, sections.indices.contains(path[0]), path[1] >= 0,
            path[1] < sections[path[0]].range.count
        else { return nil }
        return sections[path[0]].range.lowerBound + path[1]
    }
}
