#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormStore

/// The changes that a save of trees writes past objects.
struct TreeChanges {
    private let model: CompiledModel
    private var request = SaveRequest()
    private var deleted: [RowID] = []
    private var updates: [TreeRow: Int] = [:]
    private var plans: [ObjectIdentifier: InsertionPlan] = [:]

    init(in session: TreeSession) { model = session.model }

    var isEmpty: Bool { request.isEmpty && deleted.isEmpty }

    /// The number of new rows.
    var insertions: Int { request.insertions.count }

    /// Returns the row in terms of its hierarchy, in which keys are unique.
    func root(of row: TreeRow) -> TreeRow { TreeRow(entity: model[row.entity].root, key: row.key) }

    // MARK: Rows

    /// Inserts a row with the values of a type's attributes; a value that is not given is nil.
    ///
    /// - Throws: The error of a value that a save would reject.
    mutating func insert<T>(_ values: [AttributeValue?], as binding: EntityBinding<T>) throws -> TreeRow {
        let plan = try insertionPlan(of: binding)
        let entity = binding.entity
        var attributes = entity.defaultValues
        for (index, slot) in binding.attributes.enumerated() {
            attributes[slot] = try entity.checked(values[index] ?? binding.defaultValue(at: index), slot: slot)
        }
        let row = TreeRow(entity: entity.number, key: -Int64(request.insertions.count) - 1)
        request.insertions.append(
            SaveRequest.Insertion(row: row.id, attributes: attributes, toOnes: plan.destinations))
        return row
    }

    /// Sets attributes of a row that differ.
    ///
    /// - Returns: Whether the store holds other values afterwards.
    mutating func update<T>(
        _ row: TreeRow, as binding: EntityBinding<T>, from old: [AttributeValue], to new: [AttributeValue?]
    ) throws -> Bool {
        // A sub-entity may have other slots.
        guard row.entity == binding.entity.number else { throw NeedsObjects() }
        var values: [(slot: Int, value: AttributeValue)] = []
        for (index, value) in new.enumerated() {
            guard let value, !old[index].isStoredSame(as: value) else { continue }
            let slot = binding.attributes[index]
            let checked = try binding.entity.checked(value, slot: slot)
            // The attribute may have a smaller range or precision than the property.
            if checked.isStoredSame(as: (try? binding.entity.checked(old[index], slot: slot)) ?? old[index]) {
                continue
            }
            values.append((slot, checked))
        }
        if values.isEmpty { return false }
        let index = updateIndex(of: row)
        for (slot, value) in values {
            request.updates[index].attributes[slot] = value
        }
        return true
    }

    mutating func delete(_ row: TreeRow) { deleted.append(row.id) }

    private mutating func updateIndex(of row: TreeRow) -> Int {
        if let index = updates[row] { return index }
        updates[row] = request.updates.count
        request.updates.append(
            SaveRequest.Update(row: row.id, version: nil, attributes: SlotValues(), toOnes: []))
        return request.updates.count - 1
    }

    // MARK: Relations

    /// Sets the destination of a relation to one.
    mutating func setDestination(_ destination: TreeRow?, of row: TreeRow, at slot: Int) {
        if row.isNew {
            request.insertions[row.insertion].toOnes[slot] = destination?.id
        } else {
            request.updates[updateIndex(of: row)].toOnes.append((slot, destination?.id))
        }
    }

    /// Links or unlinks two objects of a relation to many whose inverse is to many too, or is missing.
    mutating func setLink(_ isLinked: Bool, from owner: TreeRow, along link: TreeLink, to destination: TreeRow) {
        let direct = SaveRequest.Link(owner: owner.id, relationship: link.slot, destination: destination.id)
        let found =
            if case .many(let inverse, _) = link.inverse, !link.isFirst {
                SaveRequest.Link(owner: destination.id, relationship: inverse, destination: owner.id)
            } else {
                direct
            }
        if isLinked { request.addedLinks.append(found) } else { request.removedLinks.append(found) }
    }

    /// Sets the order of a new object's members.
    mutating func setOrder(_ members: [TreeRow], of owner: TreeRow, at slot: Int) {
        for (member, key) in zip(members, OrderKeys.arranged(members.map { _ in nil })) {
            request.positions.append(
                SaveRequest.Position(
                    link: SaveRequest.Link(owner: owner.id, relationship: slot, destination: member.id), orderKey: key))
        }
    }

    /// Makes a transaction that changes one of the rows, or the members of one, conflict with this one.
    mutating func touch(_ rows: Set<TreeRow>) { request.touched = rows.map(\.id) }

    // MARK: Checks

    /// Throws an error if a new row lacks an object that its entity requires.
    func checkRequiredRelations() throws {
        var required: [Int: [Int]] = [:]
        for plan in plans.values where !plan.required.isEmpty { required[plan.entity] = plan.required }
        if required.isEmpty { return }
        for insertion in request.insertions {
            for slot in required[insertion.row.entity] ?? [] where insertion.toOnes[slot] == nil {
                throw NeedsObjects()
            }
        }
    }

    /// The facts about new rows of one type.
    private struct InsertionPlan {
        let entity: Int
        let destinations: [RowID?]
        let required: [Int]
    }

    private mutating func insertionPlan<T>(of binding: EntityBinding<T>) throws -> InsertionPlan {
        if let known = plans[ObjectIdentifier(binding)] { return known }
        try binding.checkInsertable()
        let entity = binding.entity
        for slot in entity.attributes.indices where !binding.attributes.contains(slot) {
            if entity.attributes[slot].derivation == nil {
                _ = try entity.checked(entity.defaultValues[slot], slot: slot)
            }
        }
        var required: [Int] = []
        for (slot, relationship) in entity.relationships.enumerated() where !relationship.isTransient {
            guard relationship.hasCountRules else { continue }
            if relationship.isToMany { throw NeedsObjects() }
            required.append(slot)
        }
        let plan = InsertionPlan(
            entity: entity.number, destinations: [RowID?](repeating: nil, count: entity.relationships.count),
            required: required)
        plans[ObjectIdentifier(binding)] = plan
        return plan
    }

    /// Writes all changes, or nothing.
    ///
    /// - Returns: False if they have to be written through objects. Nothing was written in that case.
    func write(to context: NSManagedObjectContext, of entity: ModelEntity) throws -> Bool {
        try context.writeRows(request, deleting: deleted, of: entity.number)
    }
}

extension TreeRow {
    fileprivate var id: RowID { RowID(entity: entity, key: key) }
    fileprivate var insertion: Int { Int(-key) - 1 }
}

extension TreeLink {
    /// Creates the facts about a relation of an entity.
    init<T>(_ relation: String, of binding: EntityBinding<T>, in session: TreeSession) throws {
        let slot = try binding.slot(of: relation)
        let relationship = binding.entity.relationships[slot]
        if relationship.isTransient { throw NeedsObjects() }
        let opposite = relationship.inverse.map { session.model[relationship.destination].relationships[$0] }
        self.slot = slot
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        hasCountRules = relationship.hasCountRules
        inverseHasCountRules = opposite?.hasCountRules ?? false
        guard let inverse = relationship.inverse, let opposite else {
            inverse = .none
            isFirst = true
            return
        }
        self.inverse = opposite.isToMany ? .many(inverse, isOrdered: opposite.isOrdered) : .one(inverse)
        isFirst = (relationship.owner, relationship.name) <= (opposite.owner, opposite.name)
    }
}
#endif
