import SwormPredicates

extension ManagedObjectContext {
    /// Runs a closure, and returns its result with the part of the store that it has read.
    func recording<R>(_ body: (ManagedObjectContext) throws -> R) throws -> (result: R, region: TrackedRegion) {
        let recorder = RequestRecorder()
        let outer = bindings.recorder
        bindings.recorder = recorder
        defer { bindings.recorder = outer }
        let result = try body(self)
        return (result, recorder.region)
    }

    /// Records a request that is about to be run, if its reads are recorded.
    func record<PlainObject>(
        _ request: RequestContent, of mapping: EntityMapping<PlainObject>, attributes: [String]? = nil
    ) {
        guard let recorder = bindings.recorder else { return }
        recorder.note(
            request, of: bindings.description(of: mapping.entityName),
            attributes: attributes.map { $0.map { [$0] } } ?? mapping.decodedPaths)
    }
}
