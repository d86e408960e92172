import Foundation
@testable import Sworm
import SwormPredicates
import Testing

@Suite("Tables")
struct TableTests {
    @Test func `options come to traits`() throws {
        let plan = Configured.mapping
        #expect(plan.issues == [])
        let code = try plan.attribute(\.code).traits
        #expect(code.isUnique && code.isIndexed && code.minimumLength == 1 && code.maximumLength == 8)
        #expect(code.pattern == "[a-z]+" && code.renamingIdentifier == "key" && code.storageType == .string)
        let count = try plan.attribute(\.count).traits
        #expect(count.storageType == .integer16 && count.minimum == .int(0) && count.maximum == .int(10))
        let ratio = try plan.attribute(\.ratio).traits
        #expect(ratio.storageType == .float && ratio.maximum == .double(1) && ratio.hashModifier == "v2")
        let picture = try plan.attribute(\.picture).traits
        #expect(picture.allowsExternalStorage && picture.isOptional)
        #expect(try !plan.attribute(\.picture).isOptional)
        let note = try plan.attribute(\.note).traits
        #expect(note.isPreservedOnDeletion && note.minimumLength == nil && note.maximumLength == 100)
    }

    @Test func `compound constraints and indexes name attributes`() {
        #expect(Configured.mapping.uniquenessConstraints == [["code", "count"]])
        #expect(Configured.mapping.indexes.map(\.name) == ["byCount", "byRatio"])
        #expect(Configured.mapping.indexes.first?.elements.map(\.attribute) == ["count", "code"])
        #expect(Configured.mapping.indexes.first?.elements.map(\.isAscending) == [false, true])
    }

    @Test func `relations are found with label, kind, destination, inverse and rule`() throws {
        let relations = Book.mapping.relations
        #expect(relations.map(\.label) == ["author", "editor", "reviews"])
        #expect(relations.map(\.kind) == [.toOne, .toOne, .toManyOrdered])
        #expect(relations.map { $0.destination.entityName } == ["Author", "Author", "Review"])
        #expect(relations.map(\.inverseName) == ["books", nil, "book"])
        #expect(relations.map(\.deleteRule) == [.nullify, .nullify, .cascade])
        let parent = try #require(Configured.mapping.relations.first)
        #expect(!parent.isOptional && parent.renamingIdentifier == "owner")
        let children = try #require(Configured.mapping.relations.last)
        #expect(children.isOptional && children.minimumCount == 1 && children.maximumCount == 5)
        #expect(children.deleteRule == .deny && children.hashModifier == "x" && children.inverseName == "parent")
    }

    @Test func `all entities are found from one, from several threads at once`() async {
        await withTaskGroup(of: Set<String>.self) { group in
            for index in 0..<8 {
                group.addTask {
                    let roots: [any ManagedObjectConvertible.Type] =
                        index % 2 == 0 ? [Book.self] : [Review.self, Author.self]
                    return Set(reachableEntities(from: roots).map { $0.mapping.entityName })
                }
            }
            for await names in group { #expect(names == ["Book", "Author", "Review"]) }
        }
        #expect(reachableEntities(from: [Review.self]).map { $0.mapping.entityName } == ["Review", "Book", "Author"])
    }

    @Test func `sound tables have no issues`() {
        #expect(tableIssues(from: [Book.self, Everything.self, Configured.self, Note.self, Reserved.self]) == [])
    }

    @Test func `all issues of a table are listed at once`() {
        let issues = Faulty.mapping.issues
        let kinds = Dictionary(grouping: issues, by: \.kind).mapValues(\.count)
        #expect(
            kinds == [
                .repeatedKeyPath: 1, .repeatedName: 2, .emptyName: 3, .attributeAndRelation: 1, .unfitOption: 8,
                .unknownKeyPath: 1, .repeatedIndex: 1,
            ])
        for issue in issues { #expect(issue.description.hasPrefix("Faulty")) }
    }

    @Test func `inverses must point back`() {
        let issues = tableIssues(from: [Faulty.self]).filter { !Faulty.mapping.issues.contains($0) }
        #expect(issues.map(\.kind) == [.foreignInverse, .sharedInverse])
        #expect(issues.map(\.member) == ["other", "again"])
    }

    @Test func `two ends that name different inverses are an issue`() {
        #expect(tableIssues(from: [Left.self]).map(\.kind) == [.oneSidedInverse])
    }

    @Test func `an entity without a name is an issue`() {
        struct Nameless: ManagedObjectConvertible {
            static let entityName = ""
            static let attributes: Set<Attribute<Nameless>> = []
        }
        #expect(Nameless.mapping.issues.map(\.kind) == [.emptyEntityName])
    }

    @Test(arguments: [
        ("titel", "title"), ("Title", "title"), ("auhtor", "author"), ("yaer", "year"), ("completely", nil), ("", nil),
        ("TITLE", "title"), ("x", nil), ("yr", nil), ("title", "title"),
    ])
    func `the nearest name`(name: String, nearest: String?) {
        #expect(nearestName(to: name, in: ["title", "author", "year", "subtitle"]) == nearest)
    }
}

struct Left: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Left>> = []
    struct Relations: Sendable {
        let right: ToOneRelation<Right> = .init("right", inverse: \.left)
        let other: ToOneRelation<Right> = .init("other")
    }
    static let relations = Relations()
}

struct Right: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Right>> = []
    struct Relations: Sendable {
        let left: ToOneRelation<Left> = .init("left", inverse: \.other)
    }
    static let relations = Relations()
}
