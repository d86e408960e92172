import Foundation
import Sworm

/// A shelf of books: every kind of relation, unique keys, cascading and nullifying delete rules.
enum Shelf {
    struct Volume: Equatable, Sendable {
        var id = 0
        var title = ""
        var pages = 0
        var printed: Date?
        var price: Decimal?
    }
    struct Writer: Equatable, Sendable {
        var id = 0
        var name = ""
    }
    struct Cover: Equatable, Sendable {
        var color = ""
    }
    struct Remark: Equatable, Sendable {
        var text = ""
    }
}

extension Shelf.Volume: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.title, "title"), .init(\.pages, "pages", .indexed),
        .init(\.printed, "printed"), .init(\.price, "price"),
    ]
    struct Relations: Sendable {
        let writers = ToManyRelation<Shelf.Writer>("writers", inverse: \.volumes)
        let cover = ToOneRelation<Shelf.Cover>("cover", inverse: \.volume, deleteRule: .cascade)
        let remarks = ToManyOrderedRelation<Shelf.Remark>("remarks", inverse: \.volume, deleteRule: .cascade)
        let sequel = ToOneRelation<Shelf.Volume>("sequel", inverse: \.prequels)
        let prequels: ToManyRelation<Shelf.Volume> = .init("prequels")
    }
    static let relations = Relations()
}

extension Shelf.Writer: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.id, "id", .unique), .init(\.name, "name")]
    struct Relations: Sendable { let volumes = ToManyRelation<Shelf.Volume>("volumes") }
    static let relations = Relations()
}

extension Shelf.Cover: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.color, "color")]
    struct Relations: Sendable { let volume = ToOneRelation<Shelf.Volume>("volume") }
    static let relations = Relations()
}

extension Shelf.Remark: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.text, "text")]
    struct Relations: Sendable { let volume = ToOneRelation<Shelf.Volume>("volume") }
    static let relations = Relations()
}

/// The errors that a container has reported.
final class ErrorLog: Sendable {
    private let kept = Locked<[any Error]>([])

    var errors: [any Error] { kept.withLock { $0 } }
    var codes: [StoreError.Code] { errors.compactMap { ($0 as? StoreError)?.code } }
    func add(_ error: any Error) { kept.withLock { $0.append(error) } }
}

/// Takes a value to another thread, as code without the compiler's checks might.
struct Smuggled<Value>: @unchecked Sendable {
    // The tests that use it look at what happens on the wrong thread, and wait for that thread. Hence the unchecked
    // conformance.
    let value: Value
}

/// Runs a body on a thread of its own and waits for it.
func onOtherThread<R>(_ body: @escaping @Sendable () -> R) -> R? {
    let result = Locked<R?>(nil)
    let done = DispatchSemaphore(value: 0)
    let box = Smuggled(value: body)
    Thread {
        let value = Smuggled(value: box.value())
        result.withLock { $0 = value.value }
        done.signal()
    }.start()
    done.wait()
    return result.withLock { Smuggled(value: $0) }.value
}

/// The error that the body throws, as a `StoreError`, when it waits for something.
func storeError<R>(_ body: () async throws -> R) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
