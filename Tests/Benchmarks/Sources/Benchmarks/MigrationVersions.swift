import Foundation
import Sworm
import SwormTools

/// The versions of a model of tracks, of their genres, and of photos with large content.
enum TracksV1 {
    struct Song: ManagedObjectConvertible {
        var number: Int64 = 0
        var plays: Int32 = 0
        var isLoved = false
        var rating = 0.0
        var created = Date(timeIntervalSinceReferenceDate: 0)
        var title = ""
        var artist = ""
        var album = ""
        var identifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var note: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.number, "number", .indexed), .init(\.plays, "plays"), .init(\.isLoved, "isLoved"),
            .init(\.rating, "rating"), .init(\.created, "created"), .init(\.title, "title"),
            .init(\.artist, "artist"), .init(\.album, "album"), .init(\.identifier, "identifier"),
            .init(\.note, "note"),
        ]
        struct Relations: Sendable { let genre = ToOneRelation<Genre>("genre", inverse: \.songs) }
        static let relations = Relations()
    }

    struct Genre: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let songs = ToManyRelation<Song>("songs") }
        static let relations = Relations()
    }

    struct Photo: ManagedObjectConvertible {
        var name = ""
        var content = Data()
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"), .init(\.content, "content", .external),
        ]
        struct Relations: Sendable { let cover = ToOneRelation<Photo>("cover") }
        static let relations = Relations()
    }
}

/// Attributes come and are renamed. `ALTER TABLE` is enough.
enum TracksV2 {
    struct Song: ManagedObjectConvertible {
        var number: Int64 = 0
        var plays: Int32 = 0
        var isLoved = false
        var rating = 0.0
        var created = Date(timeIntervalSinceReferenceDate: 0)
        var title = ""
        var artist = ""
        var album = ""
        var identifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var remark: String?
        var mood: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.number, "number", .indexed), .init(\.plays, "plays"), .init(\.isLoved, "isLoved"),
            .init(\.rating, "rating"), .init(\.created, "created"), .init(\.title, "title"),
            .init(\.artist, "artist"), .init(\.album, "album"), .init(\.identifier, "identifier"),
            .init(\.remark, "remark", .renamed(from: "note")), .init(\.mood, "mood"),
        ]
        struct Relations: Sendable { let genre = ToOneRelation<Genre>("genre", inverse: \.songs) }
        static let relations = Relations()
    }

    struct Genre: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let songs = ToManyRelation<Song>("songs") }
        static let relations = Relations()
    }

    struct Photo: ManagedObjectConvertible {
        var caption = ""
        var content = Data()
        static let attributes: Set<Attribute<Self>> = [
            .init(\.caption, "caption", .renamed(from: "name")), .init(\.content, "content", .external),
        ]
        struct Relations: Sendable { let cover = ToOneRelation<Photo>("cover") }
        static let relations = Relations()
    }
}

/// What led to one object leads to several, and a number has more room. Tables are made anew.
enum TracksV3 {
    struct Song: ManagedObjectConvertible {
        var number: Int64 = 0
        var plays: Int64 = 0
        var isLoved = false
        var rating = 0.0
        var created = Date(timeIntervalSinceReferenceDate: 0)
        var title = ""
        var artist = ""
        var album = ""
        var identifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        var note: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.number, "number", .indexed), .init(\.plays, "plays"), .init(\.isLoved, "isLoved"),
            .init(\.rating, "rating"), .init(\.created, "created"), .init(\.title, "title"),
            .init(\.artist, "artist"), .init(\.album, "album"), .init(\.identifier, "identifier"),
            .init(\.note, "note"),
        ]
        struct Relations: Sendable { let genre = ToManyRelation<Genre>("genre", inverse: \.songs) }
        static let relations = Relations()
    }

    struct Genre: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let songs = ToManyRelation<Song>("songs") }
        static let relations = Relations()
    }

    struct Photo: ManagedObjectConvertible {
        var content = Data()
        static let attributes: Set<Attribute<Self>> = [.init(\.content, "content", .external)]
        struct Relations: Sendable { let cover = ToManyRelation<Photo>("cover") }
        static let relations = Relations()
    }
}

extension MigrationPlan.Version {
    static let first = MigrationPlan.Version(
        "1", TracksV1.Song.self, TracksV1.Photo.self)
}

/// A way from the first version to another.
enum MigrationWay: String, CaseIterable {
    case inPlace = "in place"
    case byCopy = "by copy"
    case closures = "custom, structs"
    case objects = "custom, objects"
    case mapping

    /// What it is about, for the table.
    var title: String {
        switch self {
        case .inPlace: "inferred, columns added and renamed"
        case .byCopy: "inferred, tables made anew"
        case .closures: "custom stage with structs"
        case .objects: "custom stage with objects"
        case .mapping: "mapping model"
        }
    }

    var plan: MigrationPlan {
        switch self {
        case .inPlace: MigrationPlan([.first, .init("2", TracksV2.Song.self, TracksV2.Photo.self)])
        case .byCopy: MigrationPlan([.first, .init("2", TracksV3.Song.self, TracksV3.Photo.self)])
        case .closures:
            MigrationPlan([
                .first,
                .init(
                    "2", TracksV2.Song.self, TracksV2.Photo.self,
                    stage: .custom(
                        .change(TracksV1.Song.self, to: TracksV2.Song.self) { old, new in
                            new.mood = old.isLoved ? "loved" : nil
                        },
                        .change(TracksV1.Photo.self, to: TracksV2.Photo.self) { old, new in
                            new.caption = "The photo \(old.name)"
                        })),
            ])
        case .objects:
            MigrationPlan([
                .first,
                .init(
                    "2", TracksV2.Song.self, TracksV2.Photo.self,
                    stage: .custom(
                        .changeManagedObjects(of: "Song", to: "Song") { old, new, _ in
                            let isLoved = old.value(forKey: "isLoved") as? Bool ?? false
                            new.setValue(isLoved ? "loved" : nil, forKey: "mood")
                        },
                        .changeManagedObjects(of: "Photo", to: "Photo") { old, new, _ in
                            new.setValue("The photo \(old.value(forKey: "name") ?? "")", forKey: "caption")
                        })),
            ])
        case .mapping:
            MigrationPlan([
                .first,
                .init(
                    "2", TracksV2.Song.self, TracksV2.Photo.self,
                    stage: .mapping { old, new in
                        try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
                    }),
            ])
        }
    }
}
