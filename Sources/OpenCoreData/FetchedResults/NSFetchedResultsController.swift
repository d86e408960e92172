public import Foundation

/// A controller that holds the results of a fetch request in sections, keeps them up to date with the changes of a
/// context, and reports the changes to a delegate.
///
/// ```swift
/// let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let books = NSFetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
/// books.delegate = list
/// try books.performFetch()
/// ```
///
/// The controller sees what a fetch of its context would return: unsaved changes, merged changes of other contexts and
/// refreshed objects, also where the condition or the order follows relationships. It follows the changes as long as it
/// has a delegate. Changes are reported when the context processes them: at the end of `perform` and `performAndWait`,
/// before a save or a fetch, and when it merges or discards changes.
///
/// Use a controller where its context is used. Index paths have two indexes, the section and the object in it:
/// `books.object(at: [0, 3])`.
///
/// A delegate is passed another reference to the same results. It does not have the overrides of a subclass, except for
/// the titles of the sections.
open class NSFetchedResultsController<ResultType>: NSObject {
    // Without a constraint, so that a delegate can be passed a controller of any result.

    final let results: FetchedResults
    /// The sections of one content, because table views ask for each of them.
    private final var knownSections: (version: Int, sections: [any NSFetchedResultsSectionInfo])?

    /// Creates a controller. ``performFetch()`` fetches its results.
    ///
    /// - Parameters:
    ///   - fetchRequest: A request for managed objects with an order. Changes of the request have an effect at the next
    ///     ``performFetch()``.
    ///   - context: The context.
    ///   - sectionNameKeyPath: The key path to the name of an object's section; nil for one section with all objects.
    ///     The first sort descriptor must order the objects by it.
    ///   - name: The name of a cache in Core Data. It has no effect here: results are not cached in files.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        results = FetchedResults(
            fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name,
            isResult: { $0 is ResultType }
        ) { model in
            try context.find(ResultType.self, ofEntityNamed: fetchRequest.entityName)
            return try FetchedResultsPlan(fetchRequest, sectionNameKeyPath: sectionNameKeyPath, in: model)
        }
        super.init()
        results.owner = self
    }

    init(_ results: FetchedResults) {
        self.results = results
        super.init()
    }

    /// The object that is notified of changes; nil to fetch once, and follow no changes.
    ///
    /// Changes that were made while there was no delegate are reported with the first ones that are made while there is
    /// one. Call ``performFetch()`` to have them at once.
    open var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { results.delegate }
        set { results.setDelegate(newValue) }
    }

    /// The request that the controller was created with.
    open var fetchRequest: NSFetchRequest<ResultType> {
        results.request as? NSFetchRequest<ResultType> ?? NSFetchRequest()
    }
    /// The context.
    open var managedObjectContext: NSManagedObjectContext { results.context }
    /// The key path to the names of the sections.
    open var sectionNameKeyPath: String? { results.sectionNameKeyPath }
    /// The name of the cache that the controller was created with.
    open var cacheName: String? { results.cacheName }

    /// Does nothing, because results are not cached in files.
    ///
    /// - Parameter name: The name of a cache; nil for all.
    open class func deleteCache(withName name: String?) {}

    /// Fetches the objects anew, without calls to the delegate.
    ///
    /// - Throws: An error if the request has no order, is not a request for managed objects, or is not valid; if the
    ///   objects are not ordered by section, or are not of the type of the results; and the store's error. The results
    ///   are unchanged then.
    open func performFetch() throws {
        try managedObjectContext.throwingCocoaErrors { try results.performFetch() }
    }

    // MARK: Objects

    /// The objects in order; nil before the first ``performFetch()``.
    open var fetchedObjects: [ResultType]? {
        results.content.map { $0.entries.compactMap { $0.object as? ResultType } }
    }

    /// Returns the object at an index path.
    ///
    /// - Parameter indexPath: The section and the position in it.
    /// - Returns: The object. For an index path without an object, an object of the entity that belongs to no context;
    ///   the next save or fetch of the context throws an error that names the index path.
    open func object(at indexPath: IndexPath) -> ResultType {
        if let object = results.object(at: indexPath) as? ResultType { return object }
        let missing = results.missingObject(at: indexPath)
        let typed = (ResultType.self as? NSManagedObject.Type).map { $0.init(entity: missing.entity, insertInto: nil) }
        // One of them is a result: a request's results have no other types.
        let candidates: [Any?] = [missing, typed, missing.objectID, NSDictionary(), NSNumber(value: 0)]
        return candidates.compactMap { $0 as? ResultType }[0]
    }

    /// Returns the index path of an object; nil if it is not among the results.
    ///
    /// - Complexity: O(*n*) for the first object after a change, then O(log *s*), where *s* is the number of sections.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as? NSManagedObject).flatMap { results.indexPath(of: $0) }
    }

    // MARK: Sections

    /// The sections in order; nil before the first ``performFetch()``.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        guard let content = results.content else { return nil }
        if let knownSections, knownSections.version == results.version { return knownSections.sections }
        let sections = content.sections.map { FetchedSection($0, of: content, in: results) }
        knownSections = (results.version, sections)
        return sections
    }

    /// The different titles of the sections, in their order.
    open var sectionIndexTitles: [String] { titledSections.map(\.title) }

    /// Returns the index of the first section with a title.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - sectionIndex: Its index in ``sectionIndexTitles``.
    /// - Returns: The index of the section; `NSNotFound` if no section has the title.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let titled = titledSections
        if titled.indices.contains(sectionIndex), titled[sectionIndex].title == title {
            return titled[sectionIndex].section
        }
        return titled.first { $0.title == title }?.section ?? NSNotFound
    }

    private final var titledSections: [(title: String, section: Int)] {
        var titled: [(title: String, section: Int)] = []
        var seen = Set<String>()
        for (index, section) in (results.content?.sections ?? []).enumerated() {
            guard let title = sectionIndexTitle(forSectionName: section.name), seen.insert(title).inserted else {
                continue
            }
            titled.append((title, index))
        }
        return titled
    }

    /// Returns the title of a section in an index of the sections: that of the delegate, or else the first character of
    /// the name in upper case.
    ///
    /// - Parameter sectionName: The name of the section.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        results.standardTitle(ofSectionNamed: sectionName)
    }
}

/// A controller that has titles for its sections.
protocol SectionTitling: AnyObject {
    func sectionIndexTitle(forSectionName sectionName: String) -> String?
}

extension NSFetchedResultsController: SectionTitling {}

extension NSFetchedResultsController {
    /// Returns whether two references are the same controller, regardless of the type of their results.
    public static func === <Other>(one: NSFetchedResultsController, other: NSFetchedResultsController<Other>) -> Bool {
        one.results === other.results
    }

    /// Returns whether two references are the same controller, regardless of the type of their results.
    public static func === <Other>(one: NSFetchedResultsController, other: NSFetchedResultsController<Other>?) -> Bool {
        one.results === other?.results
    }

    /// Returns whether two references are the same controller, regardless of the type of their results.
    public static func === <Other>(one: NSFetchedResultsController<Other>?, other: NSFetchedResultsController) -> Bool {
        one?.results === other.results
    }

    /// Returns whether two references are different controllers, regardless of the type of their results.
    public static func !== <Other>(one: NSFetchedResultsController, other: NSFetchedResultsController<Other>) -> Bool {
        !(one === other)
    }

    /// Returns whether two references are different controllers, regardless of the type of their results.
    public static func !== <Other>(one: NSFetchedResultsController, other: NSFetchedResultsController<Other>?) -> Bool {
        !(one === other)
    }

    /// Returns whether two references are different controllers, regardless of the type of their results.
    public static func !== <Other>(one: NSFetchedResultsController<Other>?, other: NSFetchedResultsController) -> Bool {
        !(one === other)
    }
}
