import Foundation
import Sworm

/// Properties of subclasses of `NSManagedObject`, against the same values by key-value coding.
func managedBenches() -> [Bench] {
    let songs = Songs()
    return [
        songs.bench(
            "@Managed String", { $0.title.utf8.count }, { ($0.value(forKey: "title") as? String ?? "").utf8.count }),
        songs.bench("@Managed Int", { $0.plays }, { $0.value(forKey: "plays") as? Int ?? 0 }),
        songs.bench("@Managed Date?", { number($0.played) }, { number($0.value(forKey: "played") as? Date) }),
        songs.bench(
            "set @Managed Int", { $0.plays = 7 }, { $0.setValue(7, forKey: "plays") },
            after: { $0.value(forKey: "plays") as? Int ?? 0 }),
    ]
}

private func number(_ date: Date?) -> Int { date.map { Int($0.timeIntervalSinceReferenceDate) } ?? -1 }

/// Objects of one context, which all sides read.
private final class Songs {
    private let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    private var objects: [Song] = []
    private let count = 10_000
    private let rounds = 10

    /// A bench of reading one property of every object.
    func bench(
        _ name: String, _ own: @escaping (Song) -> Int, _ keyed: @escaping (NSManagedObject) -> Int
    ) -> Bench {
        func side(_ role: Side.Role, _ read: @escaping (Song) -> Int) -> Side {
            Side(role, prepare: { try self.load() }, fingerprint: { (sum: Int) in sum }) {
                var sum = 0
                for _ in 0..<self.rounds {
                    for object in self.objects { sum &+= read(object) }
                }
                return sum
            }
        }
        return Bench(
            Bar(name, .ratio, than: .keyed, must: 1.3, aim: 1.0), sides: [side(.own, own), side(.keyed, keyed)])
    }

    /// A bench of setting one property of every object.
    func bench(
        _ name: String, _ own: @escaping (Song) -> Void, _ keyed: @escaping (NSManagedObject) -> Void,
        after value: @escaping (NSManagedObject) -> Int
    ) -> Bench {
        func side(_ role: Side.Role, _ set: @escaping (Song) -> Void) -> Side {
            Side(
                role, prepare: { try self.load() }, cleanUp: { self.context.rollback() },
                fingerprint: { (objects: [Song]) in objects.reduce(0) { $0 &+ value($1) } }
            ) {
                for object in self.objects { set(object) }
                return self.objects
            }
        }
        return Bench(
            Bar(name, .ratio, than: .keyed, must: 1.3, aim: 1.0), sides: [side(.own, own), side(.keyed, keyed)])
    }

    /// Fetches the objects, and reads their rows.
    private func load() throws {
        if context.persistentStoreCoordinator == nil { try fill() }
        guard objects.isEmpty else { return }
        let request = NSFetchRequest<Song>(entityName: "Song")
        request.sortDescriptors = [NSSortDescriptor(key: "plays", ascending: true)]
        request.returnsObjectsAsFaults = false
        objects = try context.fetch(request)
        guard objects.count == count else { throw Failure("\(objects.count) songs were fetched.") }
    }

    private func fill() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Song.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context.persistentStoreCoordinator = coordinator
        for number in 0..<count {
            let song = Song(context: context)
            song.title = "Song \(number)"
            song.plays = number
            if number % 3 > 0 { song.played = Date(timeIntervalSinceReferenceDate: Double(number)) }
        }
        try context.save()
        context.reset()
    }
}

private final class Song: NSManagedObject {
    @Managed("title") var title: String
    @Managed("plays") var plays: Int
    @Managed("played") var played: Date?

    static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Song"
        entity.managedObjectClassName = NSStringFromClass(Song.self)
        let attributes: [(String, NSAttributeType)] = [
            ("title", .stringAttributeType), ("plays", .integer64AttributeType), ("played", .dateAttributeType),
        ]
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
