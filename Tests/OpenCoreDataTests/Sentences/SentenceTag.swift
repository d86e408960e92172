import Foundation
import OpenCoreData

/// A tag that notes which of its methods are called, and what it finds then.
final class SentenceTag: NSManagedObject {
    private var all: [String] = []
    /// All events of which it was told after its state had been replaced.
    private(set) var snapshotEvents: [NSSnapshotEventType] = []

    /// The notes that begin with a word.
    func notes(_ word: String) -> [String] { all.filter { $0.hasPrefix(word) } }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        all.append("awakeFromInsert")
    }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        snapshotEvents.append(flags)
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        all.append("prepareForDeletion, books: \(set("books").count)")
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        all.append("fault: will be, named \(text("name") ?? "nothing")")
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        all.append("fault: is \(isFault)")
    }

    override func willSave() {
        super.willSave()
        all.append("willSave, isDeleted: \(isDeleted)")
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        all.append("validate insertion")
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        all.append("validate update")
    }

    override func validateForDelete() throws {
        try super.validateForDelete()
        all.append("validate deletion")
    }
}
