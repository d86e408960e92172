import Foundation
import SwormPredicates

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

/// The value by which objects belong to one section. Adjacent objects with equal values share it.
final class SectionKey {
    let value: AttributeValue
    let name: String

    init(value: AttributeValue, name: String) {
        self.value = value
        self.name = name
    }

    func isSame(as other: SectionKey) -> Bool {
        self === other || compareForSort(value, other.value) == .orderedSame
    }
}

/// The section that a delegate receives, with the objects at that time.
struct FetchedSection: NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    let members: ArraySlice<FetchedResultsContent.Entry>

    var numberOfObjects: Int { members.count }
    var objects: [Any]? { members.map(\.object) }
}
