import Foundation
import SwormPredicates

extension ObjectReference {
    /// The reason why a URL is not the id of a saved object.
    struct URLFailure: Error {
        let reason: String
    }

    /// Creates an identity from its URL, for example `x-coredata://STORE/Book/p1`.
    init(_ url: URL) throws(URLFailure) {
        guard url.scheme?.lowercased() == "x-coredata" else { throw URLFailure(reason: "its scheme is not x-coredata") }
        guard let store = url.host(percentEncoded: false), !store.isEmpty else {
            throw URLFailure(reason: "it names no store")
        }
        let parts = url.path(percentEncoded: false).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty else {
            throw URLFailure(reason: "it names no entity and key")
        }
        guard parts[2].first == "p", let key = Int64(parts[2].dropFirst()), key > 0, parts[2] == "p\(key)" else {
            throw URLFailure(reason: "'\(parts[2])' is not the key of a saved object")
        }
        self.init(storeIdentifier: store, entityName: String(parts[1]), key: key)
    }

    /// The identity as a URL. The URL of an unsaved object does not contain a store, and cannot be used later.
    var url: URL {
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = storeIdentifier ?? ""
        components.path = "/\(entityName)/\(isTemporary ? "t" : "p")\(key)"
        return components.url ?? URL(filePath: "/")
    }
}
