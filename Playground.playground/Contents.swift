// Sworm in five minutes. On a Mac, open this playground; elsewhere: swift run Tour
import Foundation
import Sworm

// MARK: 1 Declare
//
// A model is a plain struct. It declares its attributes and its relations in two tables, and needs no base class.

enum Shelf: String, SupportedAttributeType { case bedroom, kitchen, lent }

struct Book: Equatable {
    var id = UUID()
    var title = ""
    var year = 0
    var rating: Int?
    var shelf = Shelf.bedroom
}

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Book>> = [
        .init(\.id, "id", .unique), .init(\.title, "title", .indexed), .init(\.year, "year"),
        .init(\.rating, "rating", .range(1...5)), .init(\.shelf, "shelf"),
    ]
    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author", inverse: \.books)
        let reviews = ToManyOrderedRelation<Review>("reviews", inverse: \.book, deleteRule: .cascade)
    }
    static let relations = Relations()
}

struct Author: Equatable {
    var name = ""
}

extension Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Author>> = [.init(\.name, "name", .unique)]
    struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
    static let relations = Relations()
}

/// A struct with a table of its own is a composite attribute: each property has a column, and conditions know it.
/// Any other `Codable` property is stored as JSON: `.init(\.visitor, "visitor", .json)`.
struct Visitor: CompositeConvertible, Equatable {
    var name = ""
    var city = ""

    static let attributes: Set<Attribute<Visitor>> = [.init(\.name, "name"), .init(\.city, "city")]
}

struct Review: Equatable {
    var text = ""
    var mark = 0
    var visitor: Visitor?
}

extension Review: ManagedObjectConvertible, CompositeOwner {
    static let attributes: Set<Attribute<Review>> = [
        .init(\.text, "text"), .init(\.mark, "mark"), .init(\.visitor, "visitor"),
    ]
    struct Relations: Sendable { let book = ToOneRelation<Book>("book") }
    static let relations = Relations()
}

func chapter(_ title: String) { print("\n--- \(title)") }

// MARK: 2 Open
//
// The model is created from the tables. It includes all types that the relations refer to. A `.memory` store has no
// file; a `.file(url)` store has a file that Core Data can open too. With a history, the store records its transactions.

chapter("Open")
let store = try PersistentContainer(for: Book.self, at: .memory, history: true)
print("A store for books, authors and reviews is open.")

// MARK: 3 Insert
//
// Objects are read and written in a `perform`. Its changes are saved when it returns, and discarded if it throws.

chapter("Insert")
try store.perform { context in
    let leo = try context.insert(Author(name: "Leo Tolstoy"))
    let fyodor = try context.insert(Author(name: "Fyodor Dostoevsky"))
    let war = try context.insert(Book(title: "War and Peace", year: 1869, rating: 5, shelf: .kitchen))
    let anna = try context.insert(Book(title: "Anna Karenina", year: 1878))
    let idiot = try context.insert(Book(title: "The Idiot", year: 1869, rating: 4))

    // Set one side of a relation, and the other side is updated.
    try leo.books.add(war)
    anna.author = leo
    idiot.author = fyodor

    for (text, mark) in [("Long.", 3), ("I was sorry when it ended.", 5)] {
        try war.reviews.add(context.insert(Review(text: text, mark: mark)))
    }
    try idiot.reviews.add(
        context.insert(
            Review(text: "A good man, beautifully drawn.", mark: 5, visitor: Visitor(name: "Ada", city: "Bath"))))
}
let total = try store.perform { try $0.count(of: Book.all) }
print("\(total) books are in the store.")

// MARK: 4 Follow relations
//
// A handle, such as a `ManagedObject<Book>`, refers to an object. It decodes the struct and follows the relations.

chapter("Follow relations")
try store.perform { context in
    for handle in try context.fetch(Book.all.sort(\.title)) {
        let book = try handle.decode()
        let author = try handle.author?.decode().name ?? "unknown"
        let marks = try handle.reviews.decode().map(\.mark)
        print("\(book.title) by \(author), \(book.year), marks \(marks)")
    }
}

// MARK: 5 Query
//
// The closure accesses attributes and relations like those of a struct. The compiler checks every name and type.

chapter("Query")
let early = try store.perform { context in
    try context.decode(Book.all.where { $0.year < 1870 && $0.author.name == "Leo Tolstoy" })
}
print("Leo's before 1870:", early.map(\.title))

let praised = try store.perform { context in
    try context.decode(Book.all.where { $0.reviews.any.mark >= 5 }.sort(\.year).sort(\.title))
}
print("With a mark of 5:", praised.map(\.title))

let fromBath = try store.perform { context in
    try context.count(of: Review.all.where { $0.visitor.city == "Bath" && $0.book.author.name != nil })
}
print("Reviews by visitors from Bath:", fromBath)

// Conditions can also be written with key paths, and as strings in Core Data's predicate language. `decode`, and
// `fetch` with a key path, read the values directly from the rows.
let unrated = try store.perform { try $0.fetch(Book.all.where(\.rating == nil), \.title) }
print("Not rated:", unrated)

let prefix = "the"
let byPrefix = try store.perform { context in
    try context.fetch(Book.all.where(Condition(format: "title BEGINSWITH[c] %@", prefix)), \.title)
}
print("Beginning with \(prefix):", byPrefix)

// Foundation's predicates are translated with the semantics of Swift: a rating that is nil does not equal 4.
let notFour = try store.perform { try $0.fetch(Book.all.where(#Predicate { $0.rating != 4 }).sort(\.title), \.title) }
print("Not rated with 4:", notFour)

// Requests can select single columns instead of whole books, and aggregate values of groups of rows.
let lines = try store.perform { context in
    try context.fetch(Book.all.sort(\.title).select(\.title, \.author.name, \.reviews.count))
}
for (title, author, reviews) in lines { print(title, "|", author ?? "unknown", "|", reviews) }
let years = try store.perform { context in
    try context.fetch(Book.all.grouped(by: \.year).select { ($0.key, $0.count) })
}
print("Books of each year:", years.map { "\($0.0): \($0.1)" })
// Rows can be grouped by a computed value. Groups are sorted and limited like rows.
let byDecade = Book.all.grouped { $0.year / 10 }.sort(ascending: false) { $0.count }.limit(2)
let decades = try store.perform { try $0.fetch(byDecade.select { ($0.key * 10, $0.count) }) }
print("The decades with the most books:", decades.map { "\($0.0)s: \($0.1)" })

// A condition is a value, which can be stored, combined and printed.
let condition: Condition<Book> = \.year > 1800 && \.shelf == .kitchen
print("A condition as a string:", condition)

// A condition can also filter values in memory.
print("Of Leo's, after 1800:", try early.filtered(by: condition).map(\.title))

// MARK: 6 Update
//
// `encode` writes a struct or a single attribute to the object. An id can be used outside of a `perform`, and
// identifies the object in a later one.

chapter("Update")
let idiotID = try store.perform { context in
    try context.fetchOne(Book.all.where { $0.title == "The Idiot" })?.id
}
if let idiotID {
    try store.perform { context in
        let idiot = try context.object(with: idiotID)
        try idiot.encode(\.shelf, .lent)
        var book = try idiot.decode()
        book.rating = 5
        try idiot.encode(book)
    }
    let idiot = try store.perform { try $0.object(with: idiotID).decode() }
    print("\(idiot.title): rating \(idiot.rating ?? 0), shelf \(idiot.shelf)")
}

// `schedule` is the asynchronous variant of `perform`. It does not block a thread.
let kitchen = try await store.schedule { try $0.count(of: Book.all.where(\.shelf == .kitchen)) }
print("In the kitchen: \(kitchen)")

// `read` rejects changes. `write` holds the write lock from the beginning, so no other change can occur between its
// reads and its writes.
try store.write { context in
    for book in try context.fetch(Book.all.where(\.rating == nil)) { try book.encode(\.rating, 3) }
}
let rated = try store.read { try $0.count(of: Book.all.where(\.rating != nil)) }
print("With a rating: \(rated)")

// Every call can have a deadline. `backup` copies a consistent state of the store, even during other writes.
let backupURL = FileManager.default.temporaryDirectory.appendingPathComponent("tour-\(UUID().uuidString).sqlite")
try store.backup(to: backupURL, deadline: .now + .seconds(60))
let copied = try PersistentContainer(for: Book.self, at: .readOnly(backupURL)).read { try $0.count(of: Book.all) }
print("In the backup: \(copied) books")
try FileManager.default.removeItem(at: backupURL)

// MARK: 7 Follow changes
//
// A request can be followed: the sequence yields the current result, and a newer one after each commit that changes it. A list
// comes with the differences from the one before. A consumer that has written receives its own changes with the next one.

chapter("Follow changes")
var isFirst = true
for try await list in store.lists(of: Book.all.where { $0.year > 1800 }.sort(\.title)) {
    if isFirst {
        isFirst = false
        try store.perform { context in
            try context.insert(Book(title: "A Confession", year: 1882))
            try context.fetchOne(Book.all.where { $0.title == "Anna Karenina" })?.encode(\.rating, 5)
        }
        continue
    }
    print("Inserted: \(list.changes.inserted.map { list[$0].title }),", terminator: " ")
    print("updated: \(list.changes.updated.map { list[$0].title })")
    break
}

// Sections divide a list by the value of a column. Observable results keep the current list for the main actor, or for the actor
// that creates them; in a SwiftUI view, `@Live` of the product `SwormUI` does.

for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.author.name)) {
    for section in list.sections { print("By \(section.key ?? "nobody"):", section.map(\.title)) }
    break
}
let results = LiveResults(Book.all.where(\.rating == 5).sort(\.title), in: store)
while !results.isLoaded { try await Task.sleep(for: .milliseconds(1)) }
print("With five stars:", results.values.map(\.title))

// A feed has every transaction once. In a store with a history it includes those of other processes, and continues behind a
// token after a restart.

let token = try store.changeToken()
try store.perform { _ = try $0.insert(Author(name: "Nikolai Gogol")) }
for try await changes in store.changes(since: token) {
    print("Transaction: \(changes.of(Author.self).map(\.kind.rawValue))")
    break
}

// MARK: 8 Edit
//
// An editing context keeps the changes of a user: it undoes them, also after they were saved, and saves by itself. A draft is
// a value in a form. It merges what was saved elsewhere in the meantime.

chapter("Edit")
let editing = try EditingContext(store)
try editing.edit("Rename") { context in
    try context.fetchOne(Book.all.where { $0.title == "Anna Karenina" })?.encode(\.title, "Anna")
}
try editing.save()
print("Can be undone: \(editing.undoNames)")
editing.undo()
try editing.save()

let anna = try store.perform { try $0.fetchOne(Book.all.where { $0.title == "Anna Karenina" }) }
if let anna {
    let draft = try Draft(of: anna, in: store)
    draft.mine.shelf = .kitchen
    try store.perform { _ = try $0.object(with: anna).encode(\.rating, 4) }
    try draft.save()
    print("Saved: on the shelf \(draft.mine.shelf), with the rating \(draft.mine.rating ?? 0) of somebody else")
}

// MARK: 9 Delete
//
// Delete rules are applied immediately: deleting a book deletes its reviews too, but not its author.

chapter("Delete")
try store.perform { context in
    try context.delete(Book.all.where { $0.title == "War and Peace" })
    print(
        "Left: \(try context.count(of: Book.all)) books, \(try context.count(of: Review.all)) review,", terminator: " ")
    print("\(try context.count(of: Author.all)) authors")
}

// MARK: 10 Errors
//
// An error has a code to match, and a message with the cause, the affected object, and a remedy.

chapter("Errors")
do {
    try store.perform { context in
        try context.insert(Book(title: "This one is fine", rating: 1))
        try context.insert(Book(title: "This one is not", rating: 9))
    }
} catch let error as StoreError where error.code == .validation {
    print("Rejected:", error.message)
}
print("Neither was saved: there are still \(try store.perform { try $0.count(of: Book.all) }) books.")

do {
    try store.perform { try $0.insert(Author(name: "Leo Tolstoy")) }
} catch StoreError.Code.uniquenessViolation {
    print("Rejected: the name of an author is unique, and Leo already exists.")
}

// A handle that is used after its `perform` has returned throws an error.
var escaped: ManagedObject<Author>?
try store.perform { escaped = try $0.fetchOne(Author.all) }
do {
    _ = try escaped?.decode()
} catch let error as StoreError {
    print("Rejected:", error.message)
}

// MARK: 11 Synchronize
//
// Stores exchange their changes as bundles, which are `Codable`: send them however you like. Unique attributes name the
// objects. If both stores have changed a property, the later change wins in both of them, and is reported.

struct Note: ManagedObjectConvertible {
    var id = UUID(); var text = ""
    static let attributes: Set<Attribute<Note>> = [.init(\.id, "id", .unique), .init(\.text, "text")]
}

chapter("Synchronize")
let phone = try PersistentContainer(for: Note.self, BundleRecord.self, at: .memory, history: true)
let laptop = try PersistentContainer(for: Note.self, BundleRecord.self, at: .memory, history: true)
try phone.perform { _ = try $0.insert(Note(text: "Buy tea")) }
if let bundle = try phone.changeBundle() { try laptop.apply(bundle) }

try phone.perform { try $0.fetchOne(Note.all)?.encode(\.text, "Buy green tea") }
let sent = try JSONEncoder().encode(phone.changeBundle(after: 1))
try laptop.perform { try $0.fetchOne(Note.all)?.encode(\.text, "Buy black tea") }
if let bundle = try JSONDecoder().decode(ChangeBundle?.self, from: sent) {
    for conflict in try laptop.apply(bundle).conflicts { print("Both changed:", conflict.property ?? "") }
}
if let bundle = try laptop.changeBundle() { try phone.apply(bundle) }
print("On both:", try phone.read { try $0.decode(Note.all).map(\.text) })

// MARK: 12 Sub-entities
//
// An enum of structs is an entity with sub-entities: a letter or a postcard is an object of its own case, in one table.

enum Mail: Equatable { case letter(Letter), postcard(Postcard) }
struct Letter: Equatable { var sender = ""; var pages = 1 }
struct Postcard: Equatable { var sender = ""; var picture = "" }

extension Mail: SuperentityConvertible {
    struct Subentities: Sendable {
        let letter = Subentity(Mail.letter)
        let postcard = Subentity(Mail.postcard)
    }
    static let subentities = Subentities()
    var subentity: any ManagedObjectConvertible {
        switch self {
        case .letter(let letter): letter
        case .postcard(let postcard): postcard
        }
    }
    var sender: String {
        switch self {
        case .letter(let letter): letter.sender
        case .postcard(let postcard): postcard.sender
        }
    }
    static let attributes: Set<Attribute<Mail>> = [.init(shared: \.sender, named: "sender")]
    init() { self = .letter(Letter()) }
}

extension Letter: ManagedObjectConvertible {
    typealias Superentity = Mail
    static let attributes: Set<Attribute<Letter>> = [.init(\.sender, "sender"), .init(\.pages, "pages")]
}

extension Postcard: ManagedObjectConvertible {
    typealias Superentity = Mail
    static let attributes: Set<Attribute<Postcard>> = [.init(\.sender, "sender"), .init(\.picture, "picture")]
}

chapter("Sub-entities")
let mailbox = try PersistentContainer(for: Mail.self, at: .memory)
try mailbox.perform { context in
    try context.insert(Mail.letter(Letter(sender: "Ada", pages: 4)))
    try context.insert(Mail.postcard(Postcard(sender: "Leo", picture: "a lake")))
    // Conditions use the attributes that all cases share, and those of one case.
    let chosen = Mail.all.where { $0.as(Letter.self).pages > 2 || $0.sender == "Leo" }
    for mail in try context.decode(chosen) {
        switch mail {
        case .letter(let letter): print("A letter of \(letter.pages) pages from", letter.sender)
        case .postcard(let postcard): print("A postcard from \(postcard.sender) with", postcard.picture)
        }
    }
}

// MARK: 13 Trees
//
// A struct can hold the objects behind relations. Each of its branches is read by one statement for all trees. A save writes what
// differs: it updates known objects, inserts new ones, and deletes reviews that are no longer in their book.

struct BookPage {
    var id = UUID()
    var title = ""
    var author: Author?
    var reviews: [Review] = []
}

extension BookPage: ManagedTreeConvertible {
    typealias Entity = Book
    static let attributes: Set<Attribute<BookPage>> = [.init(\.id, \.id), .init(\.title, \.title)]
    static let branches: [Branch<BookPage>] = [
        .init(\.author, \.author, .shared), .init(\.reviews, \.reviews, .matchedByPosition),
    ]
}

chapter("Trees")
let poems = BookPage(
    title: "Kobzar", author: Author(name: "Taras"), reviews: [Review(text: "Read it again", mark: 5)])
try store.perform { _ = try $0.save(poems) }
let pages = try store.perform { try $0.decode(BookPage.all.where { $0.author.name == "Taras" }) }
let longer = pages.map { page in
    var page = page
    page.reviews.append(Review(text: "And again", mark: 4))
    return page
}
print("Planned: \(try store.perform { try $0.plan(saving: longer) })")
let saved = try store.perform { try $0.save(contentsOf: longer) }
print("Inserted: \(saved.inserted), unchanged: \(saved.unchanged)")

// MARK: 14 Classes
//
// The classes of an app with a Core Data stack work too, and on Linux. `@Managed` takes the part of `@NSManaged`, and
// `keyPath(_:)` that of `#keyPath`; everything else is the same source. A container over their contexts reads the same
// objects as structs.

final class Plant: NSManagedObject {
    @Managed("name") var name: String
    @Managed("height") var height: Double?
    @Managed("neighbor") var neighbor: Plant?
}

func garden() -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Plant"
    entity.managedObjectClassName = NSStringFromClass(Plant.self)
    entity.properties = [("name", NSAttributeType.stringAttributeType), ("height", .doubleAttributeType)].map {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType) = $0
        return attribute
    }
    let neighbor = NSRelationshipDescription()
    neighbor.name = "neighbor"
    neighbor.maxCount = 1
    neighbor.destinationEntity = entity
    neighbor.inverseRelationship = neighbor
    entity.properties.append(neighbor)
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
}

chapter("Classes")
let coordinator = NSPersistentStoreCoordinator(managedObjectModel: garden())
_ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.persistentStoreCoordinator = coordinator
try context.performAndWait {
    let plant = Plant(context: context)
    (plant.name, plant.height) = ("Sunflower", 2.5)
    try context.save()
    let request = NSFetchRequest<Plant>(entityName: "Plant")
    request.predicate = NSPredicate(format: "height > 2")
    print("Higher than 2 m:", try context.fetch(request).map(\.name))
}

// A child context saves to its parent, which saves to the store.
let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
child.parent = context
try child.performAndWait {
    let sunflower = try child.fetch(NSFetchRequest<Plant>(entityName: "Plant")).first
    let hop = Plant(context: child)
    hop.name = "Hop"
    hop.neighbor = sunflower
    try child.save()
}
try context.performAndWait {
    try context.save()
    let request = NSFetchRequest<Plant>(entityName: "Plant")
    request.predicate = NSPredicate(
        format: "%K == %@", argumentArray: [keyPath(\Plant.neighbor?.name), "Sunflower"])
    print("Beside the sunflower:", try context.fetch(request).map(\.name))
}

// MARK: 15 Serve
//
// The location is all that changes when a store has to serve several machines: this function runs over memory, over a file,
// and over a schema of a PostgreSQL server.

func shelve(_ title: String, by name: String, at location: StoreLocation) throws {
    let library = try PersistentContainer(for: Book.self, at: location)
    let titles = try library.perform { context in
        let author = try context.fetchOne(Author.all.where { $0.name == name }) ?? context.insert(Author(name: name))
        if try context.count(of: Book.all.where { $0.title == title }) == 0 {
            try author.books.add(context.insert(Book(title: title)))
        }
        return try author.books.decode().map(\.title).sorted()
    }
    print("At \(location):", titles)
}

chapter("Serve")
try shelve("The Forest Song", by: "Lesya Ukrainka", at: .memory)
#if PostgreSQL && !canImport(CoreData)
if let address = ProcessInfo.processInfo.environment["SWORM_TOUR_SERVER"] {
    try shelve("The Forest Song", by: "Lesya Ukrainka", at: .postgres(address))
} else {
    print("For a server, set SWORM_TOUR_SERVER to an address, such as postgres://me@localhost/me?schema=tour")
}
#else
print("For a server: SWORM_TOUR_SERVER='postgres://me@localhost/me?schema=tour' swift run --traits PostgreSQL Tour")
#endif
