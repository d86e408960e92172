import SwormPredicates

/// The works of a center, with the regions with which they were registered.
///
/// Many works differ in the constants of their conditions only and read the same region, so works with equal regions form a
/// group.
struct RegisteredWorks: Sendable {
    private struct Entry: Sendable {
        let work: any LiveWork
        let region: TrackedRegion
        let group: Int
    }

    private struct Group: Sendable {
        let number: Int
        var count = 0
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var groups: [TrackedRegion: Group] = [:]
    private var lastGroup = 0

    var isEmpty: Bool { entries.isEmpty }

    var all: [any LiveWork] { entries.values.map(\.work) }

    /// Whether nothing is kept of removed works, for tests.
    var isForgotten: Bool { entries.isEmpty && groups.isEmpty }

    /// Returns the region with which a work was registered; nil if it is not.
    func region(of work: any LiveWork) -> TrackedRegion? { entries[ObjectIdentifier(work)]?.region }

    /// Registers a work, or a work whose region has changed.
    ///
    /// - Returns: The region with which it was registered before.
    mutating func register(_ work: any LiveWork, reading region: TrackedRegion) -> TrackedRegion? {
        let previous = remove(work)
        var group = groups[region] ?? Group(number: lastGroup + 1)
        group.count += 1
        lastGroup = max(lastGroup, group.number)
        groups[region] = group
        entries[ObjectIdentifier(work)] = Entry(work: work, region: region, group: group.number)
        return previous
    }

    /// Removes a work.
    ///
    /// - Returns: The region with which it was registered.
    mutating func remove(_ work: any LiveWork) -> TrackedRegion? {
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(work)) else { return nil }
        groups[entry.region]?.count -= 1
        if groups[entry.region]?.count == 0 { groups[entry.region] = nil }
        return entry.region
    }

    /// Returns the works whose results the changes may have changed.
    func touched(by changes: CommittedChanges) -> [any LiveWork] {
        let touched = Set(groups.filter { region, _ in region.isTouched(by: changes) }.values.map(\.number))
        return entries.values.filter { touched.contains($0.group) }.map(\.work)
    }
}
