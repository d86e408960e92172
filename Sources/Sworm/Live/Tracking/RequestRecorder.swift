import SwormPredicates

/// A recorder of the part of a store that a closure reads.
///
/// Requests are recorded with what they read. A handle gives access to all properties of its object, so its whole entity
/// is recorded.
final class RequestRecorder {
    private var builder = RegionBuilder()
    private var wholeEntities: Set<String> = []

    var region: TrackedRegion { builder.region }

    /// Records a request. An invalid request is not recorded, because it reads nothing.
    func note(_ request: RequestContent, of entity: NSEntityDescription?, attributes: [[String]]) {
        guard let entity else { return }
        try? builder.add(request, of: entity, attributes: attributes)
    }

    func note(_ tree: ProjectionTree, of entity: NSEntityDescription?) {
        guard let entity else { return }
        builder.add(tree, of: entity)
    }

    func noteHandles(of entity: NSEntityDescription?) {
        guard let entity, wholeEntities.insert(entity.stableName).inserted else { return }
        builder.addAll(of: entity)
    }
}
