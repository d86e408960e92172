// How often reading a property of a managed object allocates memory.
//
//     swift run -c release --package-path Tests/Benchmarks Allocations
//
// Every line is one property, read through @Managed and by value(forKey:). The program ends with 1 when a read through
// @Managed allocates: it must not, except for the memory of the value itself, which these values do not need.
import CAllocations
import Foundation
import Sworm

enum Genre: Int16, SupportedAttributeType { case folk, jazz }

final class Song: NSManagedObject {
    @Managed("title") var title: String
    @Managed("note") var note: String?
    @Managed("plays") var plays: Int
    @Managed("rating") var rating: Double
    @Managed("isLoud") var isLoud: Bool
    @Managed("played") var played: Date?
    @Managed("missing") var missing: Date?
    @Managed("token") var token: UUID
    @Managed("genre", default: .folk) var genre: Genre

    static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Song"
        entity.managedObjectClassName = NSStringFromClass(Song.self)
        let attributes: [(String, NSAttributeType)] = [
            ("title", .stringAttributeType), ("note", .stringAttributeType), ("plays", .integer64AttributeType),
            ("rating", .doubleAttributeType), ("isLoud", .booleanAttributeType), ("played", .dateAttributeType),
            ("missing", .dateAttributeType), ("token", .UUIDAttributeType), ("genre", .integer16AttributeType),
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

func songs(in context: NSManagedObjectContext) throws -> [Song] {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Song.model())
    _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    context.persistentStoreCoordinator = coordinator
    for number in 0..<1000 {
        let song = Song(context: context)
        song.title = "Song \(number)"
        song.note = "loud"
        song.plays = number
        song.rating = 0.5
        song.isLoud = true
        song.played = Date(timeIntervalSinceReferenceDate: Double(number))
        song.token = UUID()
        song.genre = .jazz
    }
    try context.save()
    context.reset()
    return try context.fetch(NSFetchRequest<Song>(entityName: "Song"))
}

/// The allocations of one read, on average.
@inline(never)
func allocations(_ songs: [Song], _ read: (Song) -> Void) -> Double {
    // The first read fires faults and fills caches.
    for song in songs { read(song) }
    let before = allocation_count()
    for song in songs { read(song) }
    return Double(allocation_count() - before) / Double(songs.count)
}

@inline(never)
func use<Value>(_ value: Value) { withExtendedLifetime(value) {} }

guard allocation_count() >= 0 else {
    print("Allocations cannot be counted with this C library.")
    exit(2)
}
let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
let all = try songs(in: context)
let reads: [(key: String, read: (Song) -> Void)] = [
    ("title", { use($0.title) }), ("note", { use($0.note) }), ("plays", { use($0.plays) }),
    ("rating", { use($0.rating) }), ("isLoud", { use($0.isLoud) }), ("played", { use($0.played) }),
    ("missing", { use($0.missing) }), ("token", { use($0.token) }), ("genre", { use($0.genre) }),
]
var isMet = true
print("allocations of one read: @Managed, value(forKey:)")
for (key, read) in reads {
    let own = allocations(all, read)
    let keyed = allocations(all) { use($0.value(forKey: key)) }
    if own > 0 { isMet = false }
    print("\(key): \(own), \(keyed)\(own > 0 ? "  TOO MANY" : "")")
}
exit(isMet ? 0 : 1)
