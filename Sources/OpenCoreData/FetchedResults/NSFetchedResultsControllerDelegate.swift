public import Foundation

/// The kind of a change in the results of a controller.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// An object or a section was inserted.
    case insert = 1
    /// An object or a section was deleted.
    case delete = 2
    /// An object was moved. Its values may have changed as well.
    case move = 3
    /// The values of an object have changed.
    case update = 4
}

/// An object that is notified of changes in the results of a controller.
///
/// All methods are optional: they have implementations that do nothing, and a controller stops calling those that its
/// delegate does not have. The methods are called while the context processes its changes, where the context is used.
///
/// A controller passes itself as one of `any NSFetchRequestResult`. `===` compares controllers regardless of the type
/// of their results.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// Called with the changes of the list of ids, if the controller has no sections.
    ///
    /// A delegate that implements this method receives no other call from such a controller. An object with other
    /// values is removed and inserted, and both changes are associated with each other; so is an object whose id has
    /// become permanent.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Called before the changes of an event.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called for each section that was inserted or deleted, before the objects.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - sectionInfo: The section.
    ///   - sectionIndex: The section's index: the old one for a deletion, the new one for an insertion.
    ///   - type: `.insert` or `.delete`.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// Called for each object that was inserted, deleted, moved or updated, once.
    ///
    /// The index paths are those that table views expect: old ones refer to the content before all changes of the
    /// event, new ones to the content after them. An object that leaves a deleted section, or enters an inserted one,
    /// is deleted and inserted.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - anObject: The object.
    ///   - indexPath: The old index path; nil for an insertion.
    ///   - type: The kind of change. A moved object may have other values too.
    ///   - newIndexPath: The new index path; nil for a deletion.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Called after the changes of an event.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Returns the title of a section in an index of the sections; nil for no title.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

// A default implementation records in the controller that the delegate does not have the method.
extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.results.missingCalls.insert(.difference)
    }

    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        controller.results.missingCalls.insert(.beginning)
    }

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        controller.results.missingCalls.insert(.sections)
    }

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        controller.results.missingCalls.insert(.objects)
    }

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        controller.results.missingCalls.insert(.end)
    }

    /// Returns the title that the controller has for the section.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        FetchedResults.defaultTitle(sectionName)
    }
}

/// Calls that a delegate does not implement.
struct DelegateCalls: OptionSet {
    let rawValue: Int
    static let difference = DelegateCalls(rawValue: 1)
    static let beginning = DelegateCalls(rawValue: 2)
    static let sections = DelegateCalls(rawValue: 4)
    static let objects = DelegateCalls(rawValue: 8)
    static let end = DelegateCalls(rawValue: 16)
    /// The calls that describe single changes.
    static let changes: DelegateCalls = [.difference, .sections, .objects]
}
