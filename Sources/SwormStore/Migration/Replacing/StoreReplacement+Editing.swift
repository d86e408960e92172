package import Foundation

extension StoreReplacement {
    /// Lets the present copy be opened and written by others, where it is.
    ///
    /// - Parameters:
    ///   - model: The model of the copy.
    ///   - original: The model of the store that is to be replaced.
    ///   - tell: Called again and again while something is copied or checked. What it throws cancels the replacement.
    ///   - body: Works on the store at a place. It is in no use when this returns.
    package func edit(
        as model: CompiledModel, original: CompiledModel, tell: @escaping () throws -> Void,
        _ body: (_ place: URL) throws -> Void
    ) throws {
        try requireRoomForEditing()
        let copy = try present(tell)
        try ownExternalData(of: copy)
        try tell()
        try body(copy.url)
        let findings = try StoreVerification.findings(of: copy.url, model: model, disk: options.disk) {
            _, _ in try tell()
        }
        let grave = StoreVerification.grave(findings)
        guard !grave.isEmpty else { return }
        let new = StoreVerification.grave(grave, beyond: try originalFindings(original))
        guard new.isEmpty else { throw StoreMigration.unsound(files.main, new.map(\.message).sorted()) }
    }
}
