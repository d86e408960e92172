import Foundation
import SwormPredicates
import SwormSQLite
package import SwormRows
import SwormStore

extension NSManagedObjectContext {
    /// Returns the results of a request. See ``fetch(_:)``.
    final func results<T>(of request: NSFetchRequest<T>) throws -> [T] {
        beginFetch(request)
        let results: [Any]
        switch request.resultType {
        case .managedObjectIDResultType:
            results = try fetchIDs(request)
        case .countResultType:
            results = [NSNumber(value: try resultCount(of: request))]
        case .managedObjectResultType:
            try find(T.self, ofEntityNamed: request.entityName)
            results = try fetchObjects(request)
        case .dictionaryResultType:
            results = try fetchDictionaries(request)
        default:
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetch of \(request.entityName ?? "objects") has the unsupported result type \(request.resultType.rawValue). Fetch objects, ids, dictionaries or a count."
            )
        }
        return try typed(results, of: request.entityName)
    }

    /// Returns the number of objects that a request finds. See ``count(for:)``.
    final func resultCount<T>(of request: NSFetchRequest<T>) throws -> Int {
        beginFetch(request)
        let specification = try request.specification(in: requireCoordinator().compiledModel)
        return try count(
            specification, includesPendingChanges: request.includesPendingChanges, stores: request.affectedStores)
    }

    private func fetchObjects<T>(_ request: NSFetchRequest<T>) throws -> [NSManagedObject] {
        let coordinator = try requireCoordinator()
        let specification = try request.specification(in: coordinator.compiledModel)
        return try fetchObjects(
            specification, includesPendingChanges: request.includesPendingChanges, stores: request.affectedStores,
            isRefreshing: request.shouldRefreshRefetchedObjects,
            reading: try request.reading(specification, in: coordinator.compiledModel))
    }

    private func fetchIDs<T>(_ request: NSFetchRequest<T>) throws -> [NSManagedObjectID] {
        let coordinator = try requireCoordinator()
        let specification = try request.specification(in: coordinator.compiledModel)
        let origins = try self.origins(of: specification, in: request.affectedStores)
        guard origins.count == 1, nesting.parent == nil,
            !request.includesPendingChanges || pendingEffect(on: specification) == .none
        else {
            return try fetchObjects(
                specification, includesPendingChanges: request.includesPendingChanges, stores: request.affectedStores
            ).map(\.objectID)
        }
        try throwReadError()
        let origin = origins[0]
        return try withSession(of: origin) { try $0.identities(specification) }.map { row in
            NSManagedObjectID(entity: origin.compiled[row.entity], key: row.key, origin: origin)
        }
    }

    /// Returns the origins that a request queries. If stores are given, only their origins are returned.
    final func origins(of specification: FetchSpecification, in stores: [NSPersistentStore]?) throws -> [ObjectOrigin] {
        let holding = try requireCoordinator().origins(of: specification.entity)
        guard let stores else { return holding }
        return holding.filter { origin in stores.contains { $0.origin === origin } }
    }

    // MARK: By specification

    /// Returns the objects that a request finds, in its order.
    package final func fetchObjects(
        _ specification: FetchSpecification, includesPendingChanges: Bool = true, stores: [NSPersistentStore]? = nil,
        isRefreshing: Bool = false, reading: FetchReading = FetchReading()
    ) throws -> [NSManagedObject] {
        try throwReadError()
        let origins = try self.origins(of: specification, in: stores)
        let pending = includesPendingChanges ? pendingEffect(on: specification) : .none
        var objects: [NSManagedObject]
        if origins.count == 1, pending == .none {
            if reading.batchSize > 0, !isRefreshing, nesting.parent == nil {
                return try faults(specification, in: origins[0], reading: reading)
            }
            objects = try savedObjects(
                specification, in: origins[0], isRefreshing: isRefreshing, reading: reading)
            // The faults of a child read the batches of its parent.
            if reading.batchSize > 0, !isRefreshing { return objects }
        } else {
            objects = try mergedObjects(
                specification, origins: origins, pending: pending, isRefreshing: isRefreshing,
                reading: FetchReading(returnsFaults: reading.returnsFaults))
            // If a value could not be read, the predicate or the order has treated it as nil.
            try throwReadError()
        }
        try prefetch(reading.prefetch, of: objects)
        if !reading.returnsFaults {
            for object in objects where object.snapshot.isUnfired { try object.load() }
            if nesting.parent != nil { try readFetched(objects) }
        }
        return objects
    }

    /// Returns the number of objects that a request finds.
    package final func count(
        _ specification: FetchSpecification, includesPendingChanges: Bool = true, stores: [NSPersistentStore]? = nil
    ) throws -> Int {
        if includesPendingChanges, pendingEffect(on: specification) != .none {
            return try fetchObjects(specification, stores: stores).count
        }
        try throwReadError()
        if let parent = nesting.parent { return try countOfParent(parent, specification, stores: stores) }
        let origins = try self.origins(of: specification, in: stores)
        if origins.count == 1 { return try withSession(of: origins[0]) { try $0.count(specification) } }
        // Limit and offset apply to all stores together.
        var whole = specification
        whole.limit = 0
        whole.offset = 0
        var total = 0
        for origin in origins { total += try withSession(of: origin) { try $0.count(whole) } }
        total = max(0, total - specification.offset)
        return specification.limit > 0 ? min(total, specification.limit) : total
    }

    /// Decodes structs directly from rows. Returns nil if unsaved changes or several stores require that objects are
    /// used.
    ///
    /// - Parameter attributes: The slots of the attributes in the order of the plan's columns, from column 1 on.
    package final func decode<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>
    ) throws -> [T]? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: specification.entity)
        guard let origin = origins.first, origins.count == 1, nesting.parent == nil,
            pendingEffect(on: specification) == .none
        else {
            return nil
        }
        // An existing session needs no closure, which makes many small requests faster.
        if let session = try pinnedSession(origin) {
            return try session.decode(specification, attributes: attributes, plan: plan)
        }
        return try withSession(of: origin) { try $0.decode(specification, attributes: attributes, plan: plan) }
    }

    /// Decodes like `decode`, but one row at a time; or only the first row, into memory that the caller provides.
    /// Returns false, without having called the closure, if `decode` returns nil.
    package final func forEach<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>,
        at first: UnsafeMutablePointer<T>? = nil, body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws -> Bool {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: specification.entity)
        guard let origin = origins.first, origins.count == 1, nesting.parent == nil,
            pendingEffect(on: specification) == .none
        else {
            return false
        }
        // The closure may fetch and save through this context while the rows are iterated. A session that is ended in
        // the meantime stays open until the last row.
        if let session = try pinnedSession(origin) {
            try session.forEach(specification, attributes: attributes, plan: plan, at: first, body: body)
        } else {
            try withSession(of: origin) {
                try $0.forEach(specification, attributes: attributes, plan: plan, at: first, body: body)
            }
        }
        return true
    }

    // MARK: Unsaved changes

    /// The effect of unsaved changes on a request.
    enum PendingEffect {
        /// No effect: the stored rows are correct.
        case none
        /// Changed objects of the entity must be checked individually.
        case ownObjects
        /// All objects must be checked, because the predicate or the order follows relationships to objects that may
        /// have changed.
        case everything
    }

    /// Returns the effect of unsaved changes on a request.
    ///
    /// - Parameter expressions: The expressions that are read in addition to finding the objects.
    final func pendingEffect(
        on specification: FetchSpecification, reading expressions: [ExpressionTree] = []
    ) -> PendingEffect {
        guard hasChanges, let model = compiledModel else { return .none }
        let family = model[specification.entity].family
        var own = false
        var others = false
        for list in [insertedList, updatedList, deletedList] {
            for number in list.entities {
                if family.contains(number) { own = true } else { others = true }
            }
        }
        if specification.followsRelationships(in: model, and: expressions), own || others { return .everything }
        return own ? .ownObjects : .none
    }

    private func mergedObjects(
        _ specification: FetchSpecification, origins: [ObjectOrigin], pending: PendingEffect, isRefreshing: Bool,
        reading: FetchReading
    ) throws -> [NSManagedObject] {
        var broad = specification
        broad.offset = 0
        if pending == .everything {
            broad.predicate = nil
            broad.sorts = []
            broad.limit = 0
        } else if specification.limit > 0 {
            // Every changed object may be removed from the result, so read that number of additional rows.
            let changed = pending == .none ? 0 : insertedList.count + updatedList.count + deletedList.count
            let (wanted, overflow) = specification.limit.addingReportingOverflow(specification.offset)
            let (limit, more) = wanted.addingReportingOverflow(changed)
            broad.limit = overflow || more ? 0 : limit
        }
        let predicate = try specification.predicate.map { try PreparedPredicate($0) }
        var objects: [NSManagedObject] = []
        for origin in origins {
            // A request that the store rejects must be rejected here, too, whether or not there are unsaved changes.
            if pending == .everything { try withSession(of: origin) { try $0.check(specification) } }
            let stored = try savedObjects(broad, in: origin, isRefreshing: isRefreshing, reading: reading)
            for object in stored {
                // The parent still has the row of an object that is inserted again if it has undone the deletion, too.
                if pending != .none, !object.status.isDisjoint(with: [.deleted, .inserted]) { continue }
                if pending == .everything {
                    // Comparing in memory can take long if there are many members, and there is no running statement to
                    // interrupt.
                    try interruption.check()
                    guard try predicate?.matches(object) ?? true else { continue }
                } else if pending == .ownObjects, object.status.contains(.updated) {
                    continue
                }
                objects.append(object)
            }
        }
        if pending != .none {
            let coordinator = try requireCoordinator()
            let isPartial = try coordinator.origins(of: specification.entity).count > origins.count
            let family = coordinator.compiledModel[specification.entity].family
            let members = specification.includesSubentities ? family : family.lowerBound...family.lowerBound
            let dirty = pending == .everything ? insertedList.objects : insertedList.objects + updatedList.objects
            for object in dirty where members.contains(object.compiledEntity.number) {
                if isPartial, try !origins.contains(where: { try originForSaving(object, in: coordinator) === $0 }) {
                    continue
                }
                try interruption.check()
                // A changed object that the parent does not have is found again once the parent has it. The row of an
                // object that was read is looked for last, because that may read it in the parent.
                let isUnread = object.snapshot.isUnread
                if isUnread, try !isInParent(object) { continue }
                guard try predicate?.matches(object) ?? true else { continue }
                if !isUnread, object.status.contains(.updated), try !isInParent(object) { continue }
                objects.append(object)
            }
        }
        // A string search that was stopped has not matched yet, which must not be treated as a result.
        if LongWork.stops {
            throw interruption.token.failure
                ?? CoreDataError(
                    CocoaError.Code.userCancelled.rawValue, "The work was stopped. Nothing was read.")
        }
        try ObjectOrder(specification.sorts).sort(&objects, checking: interruption.check)
        let start = min(specification.offset, objects.count)
        let rest = objects.count - start
        let end = specification.limit > 0 ? start + min(rest, specification.limit) : objects.count
        return Array(objects[start..<end])
    }
}

extension FetchSpecification {
    /// Returns whether the predicate, the order or additional expressions read values beyond the entity's own rows.
    func followsRelationships(in model: CompiledModel, and expressions: [ExpressionTree]) -> Bool {
        let entity = model[entity]
        var paths = (predicate?.keyPaths ?? []) + sorts.map(\.path)
        for use in expressions.flatMap(\.keyPathUses) where use.start == .evaluatedObject { paths.append(use.keys) }
        return paths.contains { keys in
            func isSelf(_ key: String) -> Bool { ["self", "SELF"].contains(key) && entity.slot(named: key) == nil }
            guard let first = keys.first(where: { !isSelf($0) }) else { return false }
            switch entity.slot(named: first) {
            case .attribute: return false
            // The object itself changes together with a relationship that has an inverse. Without an inverse, it does
            // not change when the destination is deleted.
            case .relationship(let slot): return keys.count > 1 || entity.relationships[slot].inverse == nil
            // Only sub-entities or a subquery know this key, so everything must be checked.
            case nil: return keys.count > 1
            }
        }
    }
}
