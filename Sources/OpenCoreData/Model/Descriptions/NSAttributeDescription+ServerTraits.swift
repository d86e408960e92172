import SwormStore

extension NSAttributeDescription {
    /// The traits that the attribute has in a store on a server only.
    ///
    /// It is kept in the user information, which model files and archived models have too and Core Data ignores: the value of
    /// `SwormStorage` is `exact`, and that of `SwormIndex` has the words `folded` and `searched`.
    package var serverTraits: ServerTraits {
        get {
            func words(_ key: String) -> [Substring] {
                (userInfo?[key] as? String)?.split { !$0.isLetter } ?? []
            }
            var traits: ServerTraits = []
            if words(Self.storageKey).contains("exact") { traits.insert(.exactDate) }
            let indexes = words(Self.indexKey)
            if indexes.contains("folded") { traits.insert(.foldedIndex) }
            if indexes.contains("searched") { traits.insert(.searchColumn) }
            return traits
        }
        set {
            guard newValue != serverTraits else { return }
            var indexes: [String] = []
            if newValue.contains(.foldedIndex) { indexes.append("folded") }
            if newValue.contains(.searchColumn) { indexes.append("searched") }
            var info = userInfo ?? [:]
            info[Self.storageKey] = newValue.contains(.exactDate) ? "exact" : nil
            info[Self.indexKey] = indexes.isEmpty ? nil : indexes.joined(separator: " ")
            userInfo = info.isEmpty ? nil : info
        }
    }

    private static let storageKey = "SwormStorage"
    private static let indexKey = "SwormIndex"
}
