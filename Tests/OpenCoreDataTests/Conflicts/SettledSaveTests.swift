import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Two coordinators over one file: what a save makes of conflicts.
@Suite("Saves that settle conflicts")
struct SettledSaveTests {
    static let settling: [NSMergePolicyType] = ContentionModel.policies.filter { $0 != .errorMergePolicyType }

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func context(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
    }

    private func twin(_ object: NSManagedObject, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let id = try #require(
            context.persistentStoreCoordinator?.managedObjectID(
                forURIRepresentation: object.objectID.uriRepresentation()))
        return try context.existingObject(with: id)
    }

    private func wins(_ policy: NSMergePolicyType) -> Bool {
        policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
    }

    // MARK: One lock

    @Test(arguments: settling)
    func `no row can be changed between the check of its conflict and the write`(policy: NSMergePolicyType) throws {
        let model = ContentionModel.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: ContestedTag.self)
        let (first, second) = (try context(model), try context(model))
        let tag = try first.make("Tag", ["name": "old"])
        try first.save()
        let mine = try #require(try twin(tag, in: second) as? ContestedTag)
        tag.setValue("theirs", forKey: "name")
        try first.save()
        mine.setValue("mine", forKey: "name")
        // The other context tries to change the row as soon as the conflict is settled.
        var (tries, commits) = (0, 0)
        mine.onSettling = {
            tries += 1
            tag.setValue("theirs again \(tries)", forKey: "name")
            if coreDataError({ try first.save() }) == nil { commits += 1 }
            first.rollback()
        }
        second.mergePolicy = NSMergePolicy(merge: policy)
        try second.save()
        #expect(tries == 1 && commits == 0)
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTAG") == [wins(policy) ? "mine" : "theirs"])
        #expect(mine.text("name") == (wins(policy) ? "mine" : "theirs") && !second.hasChanges)
    }

    @Test func `the store is free again after a save that could not settle its conflicts`() throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let shelf = try first.make("Shelf", ["name": "s"])
        try first.save()
        let mine = try twin(shelf, in: second)
        _ = mine.set("guests")
        shelf.mutableSetValue(forKey: "guests").add(try first.make("Person", ["name": "p"]))
        try first.save()
        second.mergePolicy = NSMergePolicy.overwrite
        second.delete(mine)
        for _ in 0..<2 {
            let error = coreDataError { try second.save() }
            #expect(error?.errorCode == NSValidationRelationshipDeniedDeleteError)
            #expect(mine.isDeleted && second.hasChanges)
        }
        shelf.setValue("t", forKey: "name")
        try first.save()
        shelf.mutableSetValue(forKey: "guests").removeAllObjects()
        try first.save()
        try second.save()
        #expect(try folder.raw().lines("SELECT count(*) FROM ZSHELF") == ["0"])
    }

    @Test func `an error names every row that was changed or deleted, and leaves all as it was`() throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let tags = try (0..<6).map { try first.make("Tag", ["name": "\($0)"]) }
        try first.save()
        let mine = try tags.map { try twin($0, in: second) }
        for tag in tags[0..<2] { tag.setValue("theirs", forKey: "name") }
        for tag in tags[2..<4] { first.delete(tag) }
        try first.save()
        for index in [0, 2, 4] { mine[index].setValue("mine", forKey: "name") }
        for index in [1, 3, 5] { second.delete(mine[index]) }
        let error = try #require(throws: CocoaError.self) { try second.save() }
        #expect(error.code == .managedObjectMerge)
        #expect((error.userInfo[NSDetailedErrorsKey] as? [CocoaError])?.count == 4)
        let named = error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject]
        #expect(named.map(Set.init) == Set(mine[0..<4]))
        #expect(second.updatedObjects.count == 3 && second.deletedObjects.count == 3)
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == ["theirs", "theirs", "4", "5"])
    }

    @Test(arguments: settling, [true, false])
    func `a conflict is settled in a transaction that is open, and undone with it`(
        policy: NSMergePolicyType, isCommitted: Bool
    ) throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let tag = try first.make("Tag", ["name": "old"])
        try first.save()
        let mine = try twin(tag, in: second)
        mine.setValue("mine", forKey: "name")
        tag.setValue("theirs", forKey: "name")
        try first.save()
        second.mergePolicy = NSMergePolicy(merge: policy)
        try second.beginWriting()
        let before = second.checkpoint()
        try second.save()
        #expect(mine.text("name") == (wins(policy) ? "mine" : "theirs"))
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTAG") == ["theirs"])
        if isCommitted {
            try second.commitTransactions()
        } else {
            second.undoTransactions { second.restore(before) }
        }
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTAG") == [isCommitted && wins(policy) ? "mine" : "theirs"])
        #expect(second.hasChanges == !isCommitted)
        second.keepTransactions(false)
    }

    @Test func `an error names deleted destination rows along with changed rows`() throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let (author, tag) = (try first.make("Author", ["name": "a"]), try first.make("Tag", ["name": "t"]))
        try first.save()
        let mine = try (twin(author, in: second), twin(tag, in: second))
        first.delete(author)
        tag.setValue("theirs", forKey: "name")
        try first.save()
        try second.make("Book", ["name": "b", "author": mine.0])
        mine.1.setValue("mine", forKey: "name")
        let error = try #require(coreDataError { try second.save() })
        #expect(error.errorCode == NSManagedObjectMergeError && error.details.count == 2)
    }

    // MARK: Values

    @Test func `a link that is rolled back with its owner points to the stored destination again`() throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let authors = try ["x", "a"].map { try first.make("Author", ["name": $0]) }
        let book = try first.make("Book", ["name": "b", "author": authors[0]])
        try first.save()
        let mine = try (authors + [book]).map { try twin($0, in: second) }
        mine[2].setValue(mine[1], forKey: "author")
        mine[1].setValue("mine", forKey: "name")
        authors[1].setValue("theirs", forKey: "name")
        try first.save()
        second.mergePolicy = NSMergePolicy.rollback
        try second.save()
        #expect(mine[2].object("author") === mine[0] && mine[0].set("books") == [mine[2]])
        #expect(try folder.raw().lines("SELECT ZAUTHOR FROM ZBOOK") == ["\(mine[0].objectID.key)"])
        #expect(try ContentionModel.issues(at: folder.url()) == [])
    }

    @Test func `a pair that was parted for an object which is rolled back is a pair again`() throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let people = try ["a", "p", "q"].map { try first.make("Person", ["name": $0]) }
        people[1].setValue(people[2], forKey: "partner")
        try first.save()
        let mine = try people.map { try twin($0, in: second) }
        mine[0].setValue(mine[1], forKey: "partner")
        #expect(mine[2].object("partner") == nil)
        people[0].setValue("theirs", forKey: "name")
        try first.save()
        second.mergePolicy = NSMergePolicy.rollback
        try second.save()
        #expect(mine.map { $0.object("partner")?.text("name") } == [nil, "q", "p"])
        let stored = try folder.raw().lines("SELECT ZNAME, ZPARTNER FROM ZPERSON ORDER BY ZNAME")
        #expect(stored == ["p|\(mine[2].objectID.key)", "q|\(mine[1].objectID.key)", "theirs|NULL"])
        #expect(try ContentionModel.issues(at: folder.url()) == [])
    }

    /// A row that is written anew must not look like the one that somebody else has read.
    @Test func `a row that was written anew is not taken for the one that was deleted`() throws {
        let model = ContentionModel.model()
        let contexts = try (0..<3).map { _ in try context(model) }
        let tag = try contexts[0].make("Tag", ["name": "1"])
        try contexts[0].save()
        let early = try twin(tag, in: contexts[1])
        tag.setValue("2", forKey: "name")
        try contexts[0].save()
        let late = try twin(tag, in: contexts[2])
        contexts[0].delete(tag)
        try contexts[0].save()
        early.setValue("anew", forKey: "name")
        contexts[1].mergePolicy = NSMergePolicy.overwrite
        try contexts[1].save()
        late.setValue("late", forKey: "name")
        #expect(coreDataError { try contexts[2].save() }?.errorCode == NSManagedObjectMergeError)
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTAG") == ["anew"])
    }

    @Test(arguments: settling, [Data(repeating: 2, count: 150_000), Data([1, 2]), nil])
    func `a save succeeds when content that it never read was replaced or cleared`(
        policy: NSMergePolicyType, content: Data?
    ) throws {
        let photo = Build.entity(
            "Photo",
            [
                Build.attribute("name"), Build.attribute("note"),
                Build.attribute("bytes", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let model = Build.model(photo)
        let (first, second) = (try context(model), try context(model))
        let old = Data(repeating: 1, count: 150_000)
        let object = try first.make("Photo", ["name": "old", "bytes": old])
        try first.save()
        let mine = try twin(object, in: second)
        #expect(mine.text("name") == "old")
        object.setValue(content, forKey: "bytes")
        object.setValue("theirs", forKey: "note")
        try first.save()
        mine.setValue("mine", forKey: "name")
        second.mergePolicy = NSMergePolicy(merge: policy)
        try second.save()
        let reader = try context(model)
        let stored = try #require(try reader.all("Photo").first)
        #expect(stored.text("name") == (policy == .rollbackMergePolicyType ? "old" : "mine"))
        #expect(stored.text("note") == (policy == .overwriteMergePolicyType ? nil : "theirs"))
        // Who overwrites a row as a whole writes the content that was there when the row was read, if it can still be read.
        let found = stored.value(forKey: "bytes") as? Data
        #expect(found == content || policy == .overwriteMergePolicyType && found == old)
        #expect(mine.value(forKey: "bytes") as? Data == found)
    }

    @Test(arguments: settling)
    func `a save succeeds when a row with content that it never read was deleted`(policy: NSMergePolicyType) throws {
        let photo = Build.entity(
            "Photo",
            [
                Build.attribute("name"),
                Build.attribute("bytes", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let model = Build.model(photo)
        let (first, second) = (try context(model), try context(model))
        let content = Data(repeating: 1, count: 150_000)
        let object = try first.make("Photo", ["name": "old", "bytes": content])
        try first.save()
        let mine = try twin(object, in: second)
        #expect(mine.text("name") == "old")
        first.delete(object)
        try first.save()
        mine.setValue("mine", forKey: "name")
        second.mergePolicy = NSMergePolicy(merge: policy)
        try second.save()
        // It is written anew as a whole, or not at all.
        let stored = try context(model).all("Photo")
        #expect(stored.count <= (wins(policy) ? 1 : 0))
        #expect(stored.allSatisfy { $0.value(forKey: "bytes") as? Data == content && $0.text("name") == "mine" })
        #expect((mine.managedObjectContext == nil) == stored.isEmpty && !second.hasChanges)
    }

    // MARK: Chains

    @Test(arguments: settling)
    func `a chain of unique values is followed to its end`(policy: NSMergePolicyType) throws {
        let node = Build.entity("Node", [Build.attribute("name"), Build.attribute("mark", .integer64AttributeType)])
        Build.connect(Build.toMany("children", node), Build.toOne("parent", node))
        let (children, parent) = (Build.toMany("children", node), Build.toOne("parent", node))
        Build.connect(children, parent)
        node.properties += [children, parent]
        node.uniquenessConstraints = [["name"], ["parent"]]
        let model = Build.model(node)
        let (first, second) = (try context(model), try context(model))
        // Each node is the only child of the one before. To which row one belongs is known when its parent's is.
        func makeChain(_ context: NSManagedObjectContext, _ start: Int) throws -> [NSManagedObject] {
            var nodes: [NSManagedObject] = []
            for index in 0..<40 {
                let node = try context.make("Node", ["mark": start + index])
                if index == 0 { node.setValue("root", forKey: "name") }
                node.setValue(nodes.last, forKey: "parent")
                nodes.append(node)
            }
            return nodes
        }
        let theirs = try makeChain(first, 0)
        try first.save()
        let mine = try makeChain(second, 100)
        second.mergePolicy = NSMergePolicy(merge: policy)
        try second.save()
        #expect(mine.map(\.objectID.key) == theirs.map(\.objectID.key))
        let marks = try folder.raw().lines("SELECT ZMARK FROM ZNODE ORDER BY ZMARK")
        #expect(marks == (0..<40).map { "\($0 + (wins(policy) ? 100 : 0))" })
        #expect(zip(mine.dropFirst(), mine).allSatisfy { $0.object("parent") === $1 })
    }

    @Test func `a chain of cascades reaches members that were added at each of its ends`() throws {
        let model = ContentionModel.model()
        let (first, second) = (try context(model), try context(model))
        let root = try first.make("Person", ["name": "root"])
        try first.save()
        let mine = try twin(root, in: second)
        _ = mine.list("children")
        var last = root
        for index in 0..<40 { last = try first.make("Person", ["name": "\(index)", "parent": last]) }
        try first.save()
        second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        second.delete(mine)
        try second.save()
        #expect(try folder.raw().lines("SELECT count(*) FROM ZPERSON") == ["0"])
    }
}

final class ContestedTag: NSManagedObject {
    var onSettling: () -> Void = {}
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        if flags == .mergePolicy { onSettling() }
    }
}
