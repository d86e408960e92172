/// The words for a fact that changed.
enum DriftWords {
    /// - Returns: The words that follow the name of the entity or property.
    static func change(of subject: String, from old: String, to new: String) -> String {
        if let pair = flags[subject], new == "true" || new == "false" { return new == "true" ? pair.on : pair.off }
        return "changed its \(names[subject] ?? subject) from \(old) to \(new)"
    }

    private static let flags: [String: (on: String, off: String)] = [
        "isOptional": ("became optional", "became required"),
        "isTransient": ("became transient, and is not stored any more", "became stored"),
        "isAbstract": ("became abstract", "became concrete"),
        "isToMany": ("became a relationship to many", "became a relationship to one"),
        "isOrdered": ("became ordered", "became unordered"),
        "allowsExternalStorage": ("may now be stored in files", "may no longer be stored in files"),
        "preservedOnDeletion": ("is now preserved on deletion", "is no longer preserved on deletion"),
        "isEncrypted": ("is now encrypted in the cloud", "is no longer encrypted in the cloud"),
        "isSearchable": ("is now indexed by Spotlight", "is no longer indexed by Spotlight"),
    ]

    private static let names: [String: String] = [
        "superentity": "super-entity", "versionHashModifier": "hash modifier", "deleteRule": "delete rule",
        "minCount": "minimum count", "maxCount": "maximum count", "entity": "fetched entity",
        "valueClass": "class of values", "userInfo": "user info", "sort": "sort order", "fetchLimit": "fetch limit",
        "fetchOffset": "fetch offset", "fetchBatchSize": "batch size", "resultType": "result type",
    ]
}
