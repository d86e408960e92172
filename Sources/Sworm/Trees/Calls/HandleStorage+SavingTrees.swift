import Foundation

extension HandleStorage {
    /// Returns a save of trees through objects, or its preview.
    func treeSaver(repeats policy: RepeatPolicy, isPreview: Bool = false) -> TreeSaver {
        let context = workspace.bindings.context
        let takesLock = !isPreview && scope.allowsBulkWriting
        return TreeSaver(
            context, bindings: workspace.bindings, repeats: policy, now: Date(), isRecording: isPreview,
            beginWriting: takesLock ? { [binding] in try binding.beginWriting(in: context) } : nil)
    }

    /// Runs one save of a tree. If it throws an error, nothing of it is kept.
    func saving<R>(_ body: (TreeSaver) throws -> R) throws -> R {
        let context = workspace.bindings.context
        let before = Checkpoint(of: context)
        do {
            return try translatingErrors { try body(treeSaver(repeats: .equal)) }
        } catch {
            context.restore(before)
            throw error
        }
    }
}
