package import Foundation

extension StoreReplacement {
    /// Calls a closure that changes the current copy, and verifies the copy afterwards.
    ///
    /// - Parameters:
    ///   - model: The model of the copy.
    ///   - original: The model of the store that is to be replaced.
    ///   - checkCancellation: A closure that is called repeatedly during copying and checking. An error that it throws
    ///     cancels the replacement.
    ///   - body: A closure that works on the store at the given URL. The store must no longer be in use when it
    ///     returns.
    package func edit(
        as model: CompiledModel, original: CompiledModel, checkCancellation: @escaping () throws -> Void,
        _ body: (_ place: URL) throws -> Void
    ) throws {
        try requireRoomForEditing()
        let copy = try present(checkCancellation)
        try ownExternalData(of: copy)
        try checkCancellation()
        try body(copy.url)
        let findings = try StoreVerification.findings(of: copy.url, model: model, disk: options.disk) {
            _, _ in try checkCancellation()
        }
        let grave = StoreVerification.grave(findings)
        guard !grave.isEmpty else { return }
        let new = StoreVerification.grave(grave, beyond: try originalFindings(original))
        guard new.isEmpty else { throw StoreMigration.unsound(files.main, issues: new.map(\.message).sorted()) }
    }
}
