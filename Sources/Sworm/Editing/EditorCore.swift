/// The part of an editing context that must still work when the editing context is released: its context, and its last
/// save.
@MainActor
final class EditorCore {
    let store: PersistentContainer
    let lasting: LastingContext
    let savesItself: Bool
    /// The task that waits for the next save.
    var waiting: Task<Void, Never>?
    private var isFinished = false

    init(_ store: PersistentContainer, savesItself: Bool, news: CommitNews) throws {
        self.store = store
        self.savesItself = savesItself
        lasting = try LastingContext(store, for: .editor, news: news)
    }

    /// Saves, and merges the commits that a save has met. Unsaved changes have precedence, property by property.
    func save() throws {
        try lasting.runIfOpen {
            var repetition = 0
            while true {
                do {
                    return try lasting.save()
                } catch StoreError.Code.conflict where repetition < 3 {
                    // The commit may have been made by another process, and not be known yet.
                    repetition += 1
                    lasting.news.noteAnything()
                    lasting.mergeCommits()
                }
            }
        }
    }

    /// Saves for the last time, and ends the context.
    ///
    /// - Returns: Whether nothing was lost.
    @discardableResult
    func finish() -> Bool {
        EditingContext.released.withLock { $0.removeAll { $0 === self } }
        if isFinished { return true }
        isFinished = true
        waiting?.cancel()
        lasting.onMerge = { [store] merged in for error in merged.losses { store.logError?(error) } }
        if savesItself, lasting.instance.hasChanges {
            do { try save() } catch { store.logError?(error) }
        }
        let count = lasting.changeCount
        if count > 0 {
            store.logError?(
                StoreError(
                    .scopeEnded,
                    "An editing context was released with unsaved changes of \(count) \(count == 1 ? "object" : "objects"), which are lost. Save it, or let it save itself."
                ))
        }
        lasting.end()
        return count == 0
    }
}
