import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Saves of objects whose external data somebody else has replaced, cleared or deleted.
@Suite("Conflicts over external data")
struct ExternalConflictTests {
    enum Change: CaseIterable { case replaced, cleared, deleted }

    enum Edit: CaseIterable { case name, content, deletion }

    struct Case: Sendable, CustomTestStringConvertible {
        var policy: NSMergePolicyType
        var change: Change
        var edit: Edit
        /// Whether the context holds on to the state that it has read, so that the old content is still there.
        var isPinned: Bool
        var testDescription: String { "\(policy) \(change) \(edit)\(isPinned ? " pinned" : "")" }

        static let all = [
            NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ].flatMap { policy in
            Change.allCases.flatMap { change in
                Edit.allCases.flatMap { edit in
                    [true, false].map { Case(policy: policy, change: change, edit: edit, isPinned: $0) }
                }
            }
        }
    }

    /// A row in the end.
    struct Row: Equatable {
        var name: String?
        var content: Data?
    }

    /// The wanted end of a save.
    enum Ending: Equatable {
        case row(Row?)
        /// A conflict is thrown, and the row is as the other one has left it.
        case conflict
    }

    private static let old = Data(repeating: 7, count: 150_000)
    private static let theirs = Data(repeating: 8, count: 160_000)
    private static let mine = Data(repeating: 9, count: 170_000)

    private static func model() -> NSManagedObjectModel {
        Build.model(
            Build.entity(
                "Photo",
                [
                    Build.attribute("name"), Build.attribute("note"),
                    Build.attribute("bytes", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                ]))
    }

    private func wanted(_ test: Case) -> Ending {
        let theirs: Row? =
            switch test.change {
            case .replaced: Row(name: "old", content: Self.theirs)
            case .cleared: Row(name: "old", content: nil)
            case .deleted: nil
            }
        let contextWins =
            test.policy == .overwriteMergePolicyType || test.policy == .mergeByPropertyObjectTrumpMergePolicyType
        if test.policy == .errorMergePolicyType { return .conflict }
        if test.edit == .deletion { return .row(contextWins ? nil : theirs) }
        if test.policy == .rollbackMergePolicyType { return .row(theirs) }
        guard var row = theirs else {
            guard contextWins else { return .row(nil) }
            if test.edit == .content { return .row(Row(name: "old", content: Self.mine)) }
            // A row cannot be written anew without content that went with it and was never read.
            return .row(test.isPinned ? Row(name: "mine", content: Self.old) : nil)
        }
        if test.edit == .name {
            row.name = "mine"
            if test.policy == .overwriteMergePolicyType, test.isPinned { row.content = Self.old }
        } else if contextWins {
            row.content = Self.mine
        }
        return .row(row)
    }

    @Test(arguments: Case.all) func `every policy settles them, and no file stays without a row`(test: Case) throws {
        let folder = try StoreFolder()
        let (own, foreign) = try (
            GraphLibrary.coordinator(at: folder.url(), model: Self.model()),
            GraphLibrary.coordinator(at: folder.url(), model: Self.model())
        )
        let (context, other) = (GraphLibrary.context(own), GraphLibrary.context(foreign))
        try other.make("Photo", ["name": "old", "bytes": Self.old])
        try other.save()
        other.reset()
        context.mergePolicy = NSMergePolicy(merge: test.policy)
        if test.isPinned { try context.setQueryGenerationFrom(.current) }
        let photo = try #require(try context.all("Photo").first)
        #expect(photo.text("name") == "old")

        let theirs = try #require(try other.all("Photo").first)
        switch test.change {
        case .replaced: theirs.setValue(Self.theirs, forKey: "bytes")
        case .cleared: theirs.setValue(nil, forKey: "bytes")
        case .deleted: other.delete(theirs)
        }
        try other.save()
        foreign.sqliteStores.first?.removeUnusedExternalData()
        let present = [folder.externalFiles.count, test.change == .replaced ? 1 : 0]
        #expect(test.isPinned ? present[0] > present[1] : present[0] == present[1])

        switch test.edit {
        case .name: photo.setValue("mine", forKey: "name")
        case .content: photo.setValue(Self.mine, forKey: "bytes")
        case .deletion: context.delete(photo)
        }
        var error: (any Error)?
        do { try context.save() } catch let thrown { error = thrown }
        other.reset()
        let row = try other.all("Photo").first.map {
            Row(name: $0.text("name"), content: $0.value(forKey: "bytes") as? Data)
        }
        switch wanted(test) {
        case .row(let wanted):
            #expect(error == nil, "\(test): \(String(describing: error))")
            #expect(row == wanted, "\(test): \(String(describing: row)), not \(String(describing: wanted))")
        case .conflict:
            let code = (error as? CocoaError)?.code
            #expect(code == .managedObjectMerge, "\(test): \(String(describing: error))")
            #expect(row?.name == (test.change == .deleted ? nil : "old"))
        }
        context.rollback()
        try context.setQueryGenerationFrom(nil)
        if error == nil, !photo.isDeleted, let row {
            context.refresh(photo, mergeChanges: false)
            #expect(photo.value(forKey: "bytes") as? Data == row.content)
        }
        for store in own.sqliteStores + foreign.sqliteStores { store.removeUnusedExternalData() }
        let model = try Self.model().compiled()
        for store in own.sqliteStores + foreign.sqliteStores { store.close() }
        #expect(try StoreVerification.findings(of: folder.url(), model: model) == [])
    }
}
