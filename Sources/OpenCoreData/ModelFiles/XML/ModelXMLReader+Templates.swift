import Foundation

extension ModelXMLReader {
    /// Returns the settings of a request template or of a fetched property's request.
    ///
    /// - Parameter owner: The request in the words of a message.
    mutating func request(from element: XMLTree, owner: String) -> RequestTemplate {
        var request = RequestTemplate()
        request.entityName = element.attributes["entity"]
        request.predicateText = element.attributes["predicateString"].flatMap { $0.isEmpty ? nil : $0 }
        request.fetchLimit = count("fetchLimit", of: element, owner: owner)
        request.fetchBatchSize = count("fetchBatchSize", of: element, owner: owner)
        request.resultType = UInt(clamping: count("resultType", of: element, owner: owner))
        request.includesSubentities = isOn("includesSubentities", of: element, owner: owner)
        request.includesPropertyValues = isOn("includesPropertyValues", of: element, owner: owner)
        request.returnsObjectsAsFaults = isOn("returnsObjectsAsFaults", of: element, owner: owner)
        request.returnsDistinctResults = flag("returnDistinctResults", of: element, owner: owner)
        return request
    }

    /// Returns a flag that is on if it is missing.
    private mutating func isOn(_ key: String, of element: XMLTree, owner: String) -> Bool {
        element.attributes[key].map(\.isEmpty) ?? true || flag(key, of: element, owner: owner)
    }

    /// Returns the request templates of a model by name.
    mutating func templates(of root: XMLTree) -> [String: RequestTemplate] {
        var templates: [String: RequestTemplate] = [:]
        for element in root.children(named: "fetchRequest") {
            guard let name = element.attributes["name"], !name.isEmpty else {
                report("A fetch request has no name.", at: element)
                continue
            }
            templates[name] = request(from: element, owner: "fetch request '\(name)'")
        }
        return templates
    }
}
