import Foundation

extension StoreLocation {
    /// Returns the metadata of the store on a server; nil for a file and for memory, and if there is no store.
    ///
    /// - Throws: A ``StoreError`` if the server cannot be reached.
    package func serverMetadata() throws -> [String: Any]? {
        guard case .server(let server) = kind else { return nil }
        do {
            let opening = try server.opening()
            return try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: opening.type, at: opening.url, options: opening.options)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        } catch {
            throw translatedError(error, isOpening: true)
        }
    }
}
