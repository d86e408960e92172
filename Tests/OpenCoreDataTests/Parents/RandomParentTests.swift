import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

/// Random operations on a tree of four contexts, compared with overlays that call no code of the engine.
@Suite(.overEachStore)
struct RandomParentTests {
    /// `SWORM_PARENT_STEPS=100000` runs longer, and `SWORM_RANDOM_SEED` repeats a run.
    @Test func `random operations on a tree of contexts have the results of overlays`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        // A server takes longer, and its rows are those of a file.
        let usual = StoreUnderTest.current?.kind == .server ? 300 : 1500
        let steps = environment["SWORM_PARENT_STEPS"].flatMap { Int($0) } ?? usual
        print("RandomParentTests: SWORM_RANDOM_SEED=\(seed)")
        var run = try ParentRun(seed: seed)
        for step in 0..<steps { try run.step(step) }
        for place in run.tree.indices { try run.compare(place, step: steps) }
    }
}

/// A tree of contexts, and what each of them must show.
struct ParentRun {
    /// A root with two children, one of which has a child of its own. The parents come first.
    private static let parents: [Int?] = [nil, 0, 0, 1]
    private static let policies: [NSMergePolicy] = [
        .mergeByPropertyObjectTrump, .error, .mergeByPropertyStoreTrump, .rollback, .overwrite,
    ]

    private let coordinator: NSPersistentStoreCoordinator
    let tree: [NSManagedObjectContext]
    private var random: SeededRandom
    private var stored = GraphView()
    private var overlays: [GraphOverlay]
    private var number = 0
    /// The last steps, for the messages of failures.
    private var log: [String] = []

    init(seed: UInt64) throws {
        let coordinator = try GraphLibrary.coordinator()
        var tree: [NSManagedObjectContext] = []
        for parent in Self.parents {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            if let parent { context.parent = tree[parent] } else { context.persistentStoreCoordinator = coordinator }
            context.retainsRegisteredObjects = true
            tree.append(context)
        }
        self.coordinator = coordinator
        self.tree = tree
        random = SeededRandom(seed: seed)
        overlays = Self.parents.map { _ in GraphOverlay() }
    }

    /// The objects that a context must show.
    private func view(_ place: Int) -> GraphView {
        overlays[place].applied(to: Self.parents[place].map(view) ?? stored)
    }

    private func viewOfParent(_ place: Int) -> GraphView { Self.parents[place].map(view) ?? stored }

    private func message(_ step: Int, _ place: Int) -> String {
        "step \(step), context \(place)\n" + log.suffix(40).joined(separator: "\n")
    }

    /// The places from the root to a context.
    private func path(to place: Int) -> [Int] { (Self.parents[place].map(path) ?? []) + [place] }

    /// Lets a context and those above it see what has changed above them.
    private mutating func refresh(_ place: Int) {
        for step in path(to: place) {
            tree[step].refreshAllObjects()
            // A change that the parent has made, too, is none from now on.
            for object in tree[step].updatedObjects {
                for name in object.entity.relationshipsByName.keys { _ = object.value(forKey: name) }
            }
            overlays[step].forgetEqual(to: viewOfParent(step))
        }
    }

    private func object(_ label: String, _ place: Int) throws -> NSManagedObject? {
        let view = view(place)
        guard let entity = view.entity(of: label) else { return nil }
        let key = entity == "Book" ? "title" : "name"
        return try tree[place].all(entity, "\(key) == %@", label).first
    }

    // MARK: Steps

    mutating func step(_ step: Int) throws {
        let place = random.pick(tree.count)
        refresh(place)
        switch random.pick(100) {
        case ..<20: try insert(place)
        case ..<48: try change(place)
        case ..<62: try link(place)
        case ..<70: try delete(place)
        case ..<82: try save(place, step: step)
        case ..<85: rollBack(place)
        case ..<90: try writeElsewhere()
        case ..<93: try obtainIDs(place)
        default: try query(place, step: step)
        }
        if random.chance(10) { try compare(place, step: step) }
    }

    private mutating func insert(_ place: Int) throws {
        number += 1
        let label = "o\(number)"
        let entity = random.pick(["Book", "Book", "Author", "Tag"]) ?? "Book"
        try tree[place].make(entity, [entity == "Book" ? "title" : "name": label])
        overlays[place].insert(label, entity)
        log.append("\(place) inserts \(entity) \(label)")
    }

    private mutating func change(_ place: Int) throws {
        let view = view(place)
        guard let label = random.pick(view.books.keys.sorted()), let book = try object(label, place) else { return }
        switch random.pick(3) {
        case 0:
            let year = random.chance(20) ? nil : random.pick(5) + 1900
            book.setValue(year, forKey: "year")
            overlays[place].set(label, .year, year.map { "\($0)" }, over: viewOfParent(place))
            log.append("\(place) sets year of \(label) to \(year ?? 0)")
        case 1:
            let stock = random.pick(4)
            book.setValue(stock, forKey: "stock")
            overlays[place].set(label, .stock, "\(stock)", over: viewOfParent(place))
            log.append("\(place) sets stock of \(label) to \(stock)")
        default:
            let author = random.chance(20) ? nil : random.pick(view.authors.sorted())
            book.setValue(try author.flatMap { try object($0, place) }, forKey: "author")
            overlays[place].set(label, .author, author, over: viewOfParent(place))
            log.append("\(place) sets author of \(label) to \(author ?? "nil")")
        }
    }

    private mutating func link(_ place: Int) throws {
        let view = view(place)
        guard let label = random.pick(view.books.keys.sorted()), let name = random.pick(view.tags.sorted()),
            let book = try object(label, place), let tag = try object(name, place)
        else { return }
        let isLinked = view.books[label]?.tags.contains(name) ?? false
        let tags = book.mutableSetValue(forKey: "tags")
        if isLinked { tags.remove(tag) } else { tags.add(tag) }
        overlays[place].link(label, name, isLinked: !isLinked, over: viewOfParent(place))
        log.append("\(place) \(isLinked ? "unlinks" : "links") \(label) and \(name)")
    }

    private mutating func delete(_ place: Int) throws {
        let view = view(place)
        let all = view.labels
        guard let label = random.pick(all), all.count > 6, let object = try object(label, place) else { return }
        tree[place].delete(object)
        overlays[place].delete(label, in: view, over: viewOfParent(place))
        log.append("\(place) deletes \(label)")
    }

    private mutating func save(_ place: Int, step: Int) throws {
        tree[place].mergePolicy = random.pick(Self.policies) ?? .error
        log.append("\(place) saves")
        let lost = overlays[place].changed.filter { viewOfParent(place).entity(of: $0) == nil }
        let policy = (tree[place].mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType
        if !lost.isEmpty, Self.parents[place] != nil {
            switch policy {
            case .errorMergePolicyType:
                #expect(throws: CocoaError.self, "\(message(step, place))") { try tree[place].save() }
                return rollBack(place)
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                for label in lost { overlays[place].forget(label) }
            // The object returns to the parent: `ParentContextTests`.
            default: return rollBack(place)
            }
        }
        try tree[place].save()
        let overlay = overlays[place]
        overlays[place] = GraphOverlay()
        guard let parent = Self.parents[place] else {
            stored = overlay.applied(to: stored)
            return
        }
        let above = viewOfParent(parent)
        overlays[parent].add(overlay, in: view(parent), over: above)
        for label in overlay.deleted.sorted() {
            let now = view(parent)
            if now.entity(of: label) != nil { overlays[parent].delete(label, in: now, over: above) }
        }
    }

    private mutating func rollBack(_ place: Int) {
        log.append("\(place) rolls back")
        tree[place].rollback()
        overlays[place] = GraphOverlay()
    }

    private mutating func writeElsewhere() throws {
        guard let label = random.pick(stored.books.keys.sorted()) else { return }
        let stock = random.pick(4) + 10
        try GraphLibrary.context(coordinator).with { context in
            for book in try context.all("Book", "title == %@", label) { book.setValue(stock, forKey: "stock") }
        }
        stored.books[label]?.stock = "\(stock)"
        log.append("another context sets stock of \(label) to \(stock)")
        refresh(0)
    }

    private mutating func obtainIDs(_ place: Int) throws {
        log.append("\(place) obtains ids")
        let inserted = Array(tree[place].insertedObjects.prefix(2))
        try tree[place].obtainPermanentIDs(for: inserted)
        #expect(inserted.allSatisfy { !$0.objectID.isTemporaryID })
    }

    // MARK: Comparing

    private mutating func query(_ place: Int, step: Int) throws {
        let view = view(place)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        let year = random.pick(5) + 1900
        let author = random.pick(view.authors.sorted()) ?? "none"
        let tag = random.pick(view.tags.sorted()) ?? "none"
        var expected = view.books
        switch random.pick(5) {
        case 0:
            request.predicate = NSPredicate(format: "year > %@", argumentArray: [year])
            expected = expected.filter { $0.value.year.map { (Int($0) ?? 0) > year } ?? false }
        case 1:
            request.predicate = NSPredicate(format: "author.name == %@", argumentArray: [author])
            expected = expected.filter { $0.value.author == author }
        case 2:
            request.predicate = NSPredicate(format: "ANY tags.name == %@", argumentArray: [tag])
            expected = expected.filter { $0.value.tags.contains(tag) }
        case 3:
            // A changed object keeps a destination that the parent has deleted. Its author is neither nil nor found.
            let authors = Set(try tree[place].all("Author"))
            let others = try tree[place].all("Book").filter { !($0.object("author").map(authors.contains) ?? true) }
            let titles = others.compactMap { $0.text("title") }
            request.predicate = NSPredicate(
                format: "(author == nil OR stock >= 2) AND NOT title IN %@", argumentArray: [titles])
            expected = expected.filter {
                !titles.contains($0.key) && ($0.value.author == nil || (Int($0.value.stock ?? "") ?? 0) >= 2)
            }
        default: break
        }
        var titles = expected.keys.sorted()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        if random.chance(50) {
            // No year comes first.
            titles.sort { (expected[$0]?.year ?? "", $0) < (expected[$1]?.year ?? "", $1) }
            request.sortDescriptors?.insert(NSSortDescriptor(key: "year", ascending: true), at: 0)
        }
        let found = Set(try tree[place].fetch(request).map { $0.text("title") ?? "" })
        let differences = found.symmetricDifference(titles).sorted().map {
            "\($0): \(view.books[$0].map { "\($0)" } ?? "")"
        }
        #expect(
            try tree[place].count(for: request) == titles.count,
            "\(request.predicate.map { "\($0)" } ?? "all"): \(differences)\n\(message(step, place))")
        if random.chance(50) {
            request.fetchOffset = random.pick(3)
            request.fetchLimit = random.pick(5) + 1
            titles = Array(titles.dropFirst(request.fetchOffset).prefix(request.fetchLimit))
        }
        if random.chance(30) { request.fetchBatchSize = 2 }
        let list = try tree[place].fetch(request).map { $0.text("title") ?? "" }
        #expect(list == titles, "\(message(step, place))")
    }

    /// Compares all objects of a context.
    mutating func compare(_ place: Int, step: Int) throws {
        refresh(place)
        let view = view(place)
        // An object that the parent has deleted is not found, although it may still be related with a changed one.
        let (presentAuthors, presentTags) = (Set(try tree[place].all("Author")), Set(try tree[place].all("Tag")))
        var books: [String: BookValues] = [:]
        for book in try tree[place].all("Book") {
            let author = book.object("author").flatMap { presentAuthors.contains($0) ? $0.text("name") : nil }
            books[book.text("title") ?? ""] = BookValues(
                year: (book.value(forKey: "year") as? Int).map { "\($0)" },
                stock: (book.value(forKey: "stock") as? Int).map { "\($0)" }, author: author,
                tags: Set(book.set("tags").intersection(presentTags).compactMap { $0.text("name") }))
        }
        let different = Set(books.keys).union(view.books.keys).filter { books[$0] != view.books[$0] }.sorted()
        let differences = different.map {
            "\($0): \(books[$0].map { "\($0)" } ?? "missing"), not \(view.books[$0].map { "\($0)" } ?? "missing")"
        }
        #expect(differences.isEmpty, "\(differences)\n\(message(step, place))")
        let authors = Set(presentAuthors.compactMap { $0.text("name") })
        #expect(authors == view.authors, "\(message(step, place))")
        let tags = Set(presentTags.compactMap { $0.text("name") })
        #expect(tags == view.tags, "\(message(step, place))")
    }
}

/// The values of a book.
struct BookValues: Equatable {
    var year: String?
    var stock: String? = "7"
    var author: String?
    var tags: Set<String> = []
}

/// The objects of a context, by their labels.
struct GraphView: Equatable {
    var books: [String: BookValues] = [:]
    var authors: Set<String> = []
    var tags: Set<String> = []

    var labels: [String] { (Array(books.keys) + authors + tags).sorted() }

    func entity(of label: String) -> String? {
        if books[label] != nil { return "Book" }
        if authors.contains(label) { return "Author" }
        return tags.contains(label) ? "Tag" : nil
    }
}

/// The unsaved changes of a context.
struct GraphOverlay {
    enum Field: Hashable { case year, stock, author }
    struct Link: Hashable {
        let book: String
        let tag: String
    }

    private var inserted: [String: String] = [:]
    private(set) var deleted: Set<String> = []
    private var values: [String: [Field: String?]] = [:]
    private var links: [Link: Bool] = [:]

    /// The objects whose own values have changed, except new ones.
    var changed: [String] { values.keys.filter { inserted[$0] == nil && values[$0]?.isEmpty == false }.sorted() }

    func applied(to view: GraphView) -> GraphView {
        var view = view
        for (label, entity) in inserted {
            switch entity {
            case "Book": view.books[label] = BookValues()
            case "Author": view.authors.insert(label)
            default: view.tags.insert(label)
            }
        }
        for (label, fields) in values where view.books[label] != nil {
            for (field, value) in fields { view.books[label]?[field] = value }
        }
        for (link, isLinked) in links {
            if isLinked {
                view.books[link.book]?.tags.insert(link.tag)
            } else {
                view.books[link.book]?.tags.remove(link.tag)
            }
        }
        for label in deleted {
            view.books[label] = nil
            view.authors.remove(label)
            view.tags.remove(label)
        }
        // A reference to an object that does not exist is none.
        for label in view.books.keys {
            if let author = view.books[label]?.author, !view.authors.contains(author) {
                view.books[label]?.author = nil
            }
            view.books[label]?.tags.formIntersection(view.tags)
        }
        return view
    }

    mutating func insert(_ label: String, _ entity: String) { inserted[label] = entity }

    mutating func set(_ label: String, _ field: Field, _ value: String?, over parent: GraphView) {
        if inserted[label] == nil, let known = parent.books[label], known[field] == value {
            values[label]?[field] = nil
        } else {
            values[label, default: [:]].updateValue(value, forKey: field)
        }
    }

    mutating func link(_ book: String, _ tag: String, isLinked: Bool, over parent: GraphView) {
        let link = Link(book: book, tag: tag)
        let known = parent.books[book]?.tags.contains(tag) ?? false
        links[link] = known == isLinked ? nil : isLinked
    }

    mutating func delete(_ label: String, in view: GraphView, over parent: GraphView) {
        for (book, known) in view.books where known.author == label { set(book, .author, nil, over: parent) }
        for (book, known) in view.books where known.tags.contains(label) {
            link(book, label, isLinked: false, over: parent)
        }
        forget(label)
        if inserted.removeValue(forKey: label) == nil { deleted.insert(label) }
    }

    mutating func forget(_ label: String) {
        values[label] = nil
        links = links.filter { $0.key.book != label && $0.key.tag != label }
    }

    /// Forgets the changes that the parent has, too.
    mutating func forgetEqual(to parent: GraphView) {
        for (label, fields) in values where inserted[label] == nil {
            for (field, value) in fields { set(label, field, value, over: parent) }
        }
        for (known, isLinked) in links { link(known.book, known.tag, isLinked: isLinked, over: parent) }
    }

    /// Adds the changes of a child, except its deletions.
    mutating func add(_ child: GraphOverlay, in view: GraphView, over parent: GraphView) {
        inserted.merge(child.inserted) { $1 }
        let now = applied(to: parent)
        for (label, fields) in child.values where now.books[label] != nil {
            for (field, value) in fields {
                let exists = field != .author || value.map { now.authors.contains($0) } ?? true
                set(label, field, exists ? value : nil, over: parent)
            }
        }
        for (known, isLinked) in child.links where now.books[known.book] != nil && now.tags.contains(known.tag) {
            link(known.book, known.tag, isLinked: isLinked, over: parent)
        }
    }
}

extension BookValues {
    subscript(field: GraphOverlay.Field) -> String? {
        get {
            switch field {
            case .year: year
            case .stock: stock
            case .author: author
            }
        }
        set {
            switch field {
            case .year: year = newValue
            case .stock: stock = newValue
            case .author: author = newValue
            }
        }
    }
}
