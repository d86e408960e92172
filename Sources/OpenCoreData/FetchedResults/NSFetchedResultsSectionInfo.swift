import Foundation

/// A section of the results of a controller.
public protocol NSFetchedResultsSectionInfo {
    /// The value of the section's key path, as a string. Empty for nil, and for the only section of a controller
    /// without sections.
    var name: String { get }
    /// The title in an index of the sections.
    var indexTitle: String? { get }
    /// The number of objects in the section.
    var numberOfObjects: Int { get }
    /// The objects of the section.
    var objects: [Any]? { get }
}

/// The name by which objects belong to one section. Adjacent objects of one section share it.
final class SectionKey {
    let name: String

    init(_ name: String) { self.name = name }

    func isSame(as other: SectionKey) -> Bool { self === other || name == other.name }
}

/// A section with the objects at one time.
struct FetchedSection: NSFetchedResultsSectionInfo {
    let name: String
    /// The members of all sections.
    private let entries: [FetchedResultsContent.Entry]
    private let range: Range<Int>
    private let results: FetchedResults

    init(_ section: FetchedResultsContent.Section, of content: FetchedResultsContent, in results: FetchedResults) {
        name = section.name
        entries = content.entries
        range = section.range
        self.results = results
    }

    private var members: ArraySlice<FetchedResultsContent.Entry> { entries[range] }

    // The title may come from a delegate, which is only asked for titles that are used.
    var indexTitle: String? { results.title(ofSectionNamed: name) }
    var numberOfObjects: Int { members.count }
    var objects: [Any]? { members.map(\.object) }
}
