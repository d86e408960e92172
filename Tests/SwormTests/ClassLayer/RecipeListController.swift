import Sworm

/// Keeps the list of recipes up to date for a table view.
final class RecipeListController: NSObject {
    enum Change: Equatable {
        case insertSection(Int), deleteSection(Int)
        case insert(IndexPath), delete(IndexPath), update(IndexPath)
        case move(IndexPath, IndexPath)
    }

    /// Called with the changes of each event, as a batch update of a table view needs them.
    var onChange: (([Change]) -> Void)?

    private let controller: NSFetchedResultsController<Recipe>
    private var changes: [Change] = []

    init(context: NSManagedObjectContext, sectioned: Bool = true) {
        let request = NSFetchRequest<Recipe>(entityName: "Recipe")
        request.sortDescriptors = Recipe.byCuisineAndTitle
        request.fetchBatchSize = 20
        request.relationshipKeyPathsForPrefetching = ["cuisine"]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context,
            sectionNameKeyPath: sectioned ? "cuisine.name" : nil, cacheName: nil)
        super.init()
        controller.delegate = self
    }

    // MARK: Content

    func start() throws {
        try controller.performFetch()
    }

    /// Shows the recipes that match a search text.
    func search(_ text: String) throws {
        controller.fetchRequest.predicate = text.isEmpty ? nil : Recipe.matching(text)
        try controller.performFetch()
    }

    var sectionTitles: [String] {
        controller.sections?.map(\.name) ?? []
    }

    func numberOfRecipes(inSection section: Int) -> Int {
        guard let sections = controller.sections, sections.indices.contains(section) else { return 0 }
        return sections[section].numberOfObjects
    }

    func recipe(at indexPath: IndexPath) -> Recipe {
        controller.object(at: indexPath)
    }

    func indexPath(of recipe: Recipe) -> IndexPath? {
        controller.indexPath(forObject: recipe)
    }

    var titles: [[String]] {
        controller.sections?.map { section in
            (section.objects as? [Recipe] ?? []).map(\.title)
        } ?? []
    }
}

extension RecipeListController: NSFetchedResultsControllerDelegate {
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        changes = []
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert: changes.append(.insertSection(sectionIndex))
        case .delete: changes.append(.deleteSection(sectionIndex))
        default: break
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert:
            if let newIndexPath { changes.append(.insert(newIndexPath)) }
        case .delete:
            if let indexPath { changes.append(.delete(indexPath)) }
        case .update:
            if let indexPath { changes.append(.update(indexPath)) }
        case .move:
            if let indexPath, let newIndexPath { changes.append(.move(indexPath, newIndexPath)) }
        @unknown default:
            break
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        onChange?(changes)
    }
}
