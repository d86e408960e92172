import Foundation
import Sworm

// Plain types for stores that Apple's framework wrote, as an application of these models would declare them.

enum SurfJournal {
    struct Entry: Equatable {
        var date: Date?
        var height: String?
        var location: String?
        var period: String?
        var rating: Int16?
        var wind: String?
    }
}

extension SurfJournal.Entry: ManagedObjectConvertible {
    static let entityName = "JournalEntry"
    static let attributes: Set<Attribute<SurfJournal.Entry>> = [
        .init(\.date, "date"), .init(\.height, "height"), .init(\.location, "location"), .init(\.period, "period"),
        .init(\.rating, "rating"), .init(\.wind, "wind"),
    ]
}

enum Bookmarks {
    /// A bookmark or a folder of the first version.
    struct Item: Equatable {
        var uuid = ""
        var title: String?
        var url: String?
        var isFolder = false
        var isFavorite = false
    }

    /// The same in the last version, where a favourite may be in several folders.
    struct LaterItem: Equatable {
        var uuid = ""
        var title: String?
        var url: String?
        var isFolder = false
        var isPendingDeletion: Bool?
        var modifiedAt: Date?
    }
}

extension Bookmarks.Item: ManagedObjectConvertible {
    static let entityName = "BookmarkEntity"
    static let attributes: Set<Attribute<Bookmarks.Item>> = [
        .init(\.uuid, "uuid"), .init(\.title, "title"), .init(\.url, "url"), .init(\.isFolder, "isFolder"),
        .init(\.isFavorite, "isFavorite"),
    ]
    struct Relations: Sendable {
        let parent = ToOneRelation<Bookmarks.Item>("parent")
        let children = ToManyOrderedRelation<Bookmarks.Item>("children", inverse: \.parent, deleteRule: .cascade)
        let favoriteFolder = ToOneRelation<Bookmarks.Item>("favoriteFolder")
        let favorites = ToManyOrderedRelation<Bookmarks.Item>("favorites", inverse: \.favoriteFolder)
    }
    static let relations = Relations()
}

extension Bookmarks.LaterItem: ManagedObjectConvertible {
    static let entityName = "BookmarkEntity"
    static let attributes: Set<Attribute<Bookmarks.LaterItem>> = [
        .init(\.uuid, "uuid"), .init(\.title, "title"), .init(\.url, "url"), .init(\.isFolder, "isFolder"),
        .init(\.isPendingDeletion, "isPendingDeletion"), .init(\.modifiedAt, "modifiedAt"),
    ]
    struct Relations: Sendable {
        let parent = ToOneRelation<Bookmarks.LaterItem>("parent")
        let children = ToManyOrderedRelation<Bookmarks.LaterItem>("children", inverse: \.parent, deleteRule: .cascade)
        let favoriteFolders = ToManyRelation<Bookmarks.LaterItem>("favoriteFolders")
        let favorites = ToManyOrderedRelation<Bookmarks.LaterItem>("favorites", inverse: \.favoriteFolders)
    }
    static let relations = Relations()
}

enum Garage {
    struct Car: Equatable {
        var maker: String?
        var model: String?
        var numberPlate = ""
        var markedForDeletionAsOf: Date?
    }

    struct SportCar: Equatable {
        var numberPlate = ""
        var isLimitedEdition: Bool?
    }

    struct Person: Equatable {
        var id = UUID()
        var firstName: String?
        var lastName: String?
        var updatedAt = Date(timeIntervalSinceReferenceDate: 0)
    }
}

extension Garage.Car: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Garage.Car>> = [
        .init(\.maker, "maker"), .init(\.model, "model"), .init(\.numberPlate, "numberPlate", .unique),
        .init(\.markedForDeletionAsOf, "markedForDeletionAsOf"),
    ]
    struct Relations: Sendable { let owner = ToOneRelation<Garage.Person>("owner", inverse: \.cars) }
    static let relations = Relations()
}

extension Garage.SportCar: ManagedObjectConvertible {
    static let entityName = "ExpensiveSportCar"
    static let attributes: Set<Attribute<Garage.SportCar>> = [
        .init(\.numberPlate, "numberPlate"), .init(\.isLimitedEdition, "isLimitedEdition"),
    ]
    struct Relations: Sendable { let owner = ToOneRelation<Garage.Person>("owner") }
    static let relations = Relations()
}

extension Garage.Person: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Garage.Person>> = [
        .init(\.id, "id"), .init(\.firstName, "firstName"), .init(\.lastName, "lastName"),
        .init(\.updatedAt, "updatedAt"),
    ]
    struct Relations: Sendable { let cars = ToManyRelation<Garage.Car>("cars") }
    static let relations = Relations()
}

enum Moods {
    struct Country: Equatable {
        var numericISO3166Code: Int16 = 0
        var numberOfMoods: Int64 = 0
        var updatedAt = Date(timeIntervalSinceReferenceDate: 0)
        var markedForDeletionDate: Date?
    }

    struct Mood: Equatable {
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var latitude: Double?
        var longitude: Double?
        var rating: Int16 = 0
        var remoteID: String?
        var creatorID: String?
        var markedForRemoteDeletion = false
    }
}

extension Moods.Country: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Moods.Country>> = [
        .init(\.numericISO3166Code, "numericISO3166Code"), .init(\.numberOfMoods, "numberOfMoods"),
        .init(\.updatedAt, "updatedAt"), .init(\.markedForDeletionDate, "markedForDeletionDate"),
    ]
    struct Relations: Sendable { let moods = ToManyRelation<Moods.Mood>("moods", inverse: \.country) }
    static let relations = Relations()
}

extension Moods.Mood: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Moods.Mood>> = [
        .init(\.date, "date"), .init(\.latitude, "latitude"), .init(\.longitude, "longitude"),
        .init(\.rating, "rating"), .init(\.remoteID, "remoteID"), .init(\.creatorID, "creatorID"),
        .init(\.markedForRemoteDeletion, "markedForRemoteDeletion"),
    ]
    struct Relations: Sendable { let country = ToOneRelation<Moods.Country>("country") }
    static let relations = Relations()
}
