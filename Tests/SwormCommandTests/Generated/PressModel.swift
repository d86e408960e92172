// Generated from Press.xcdatamodel. Without a default in the model, a new value has the zero value of its type.

import Foundation
import Sworm

enum Publication {
    case sheetCase(Sheet)
    case volume(Volume)

    var title: String {
        switch self {
        case .sheetCase(let object): object.title
        case .volume(let object): object.title
        }
    }

    var code: Int32? {
        switch self {
        case .sheetCase(let object): object.code
        case .volume(let object): object.code
        }
    }

    struct Place: CompositeConvertible, CompositeOwner {
        var city = "Rome"
        struct Size: CompositeConvertible {
            var width: Double?
            var height: Double?

            static let attributes: Set<Attribute<Size>> = [
                .init(\.width, "width"),
                .init(\.height, "height"),
            ]
        }
        var size: Size?

        static let attributes: Set<Attribute<Place>> = [
            .init(\.city, "city"),
            .init(\.size, "size"),
        ]
    }
    var place: Place? {
        switch self {
        case .sheetCase(let object): object.place
        case .volume(let object): object.place
        }
    }

    var sheet: Double? {
        switch self {
        case .sheetCase(let object): object.sheet
        case .volume(let object): object.sheet
        }
    }
}

extension Publication: SuperentityConvertible, CompositeOwner {
    struct Subentities: Sendable {
        let sheetCase = Subentity(Publication.sheetCase)
        let volume = Subentity(Publication.volume)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .sheetCase(let object): object
        case .volume(let object): object
        }
    }

    init() { self = .sheetCase(Sheet()) }

    static let attributes: Set<Attribute<Publication>> = [
        .init(shared: \.title, named: "title"),
        .init(shared: \.code, named: "code", .unique),
        .init(shared: \.place, named: "place"),
        .init(shared: \.sheet, named: "sheet"),
    ]

    struct Relations: Sendable {
        let publisher = ToOneRelation<Publisher>("publisher", inverse: \.publications)
        let previous = ToOneRelation<Publication>("previous")
        let next: ToManyRelation<Publication> = .init("next", inverse: \.previous)
    }
    static let relations = Relations()
    static let fetchIndexes: [FetchIndex<Publication>] = [.init("byTitle", .ascending(\.title))]
}

enum Sheet {
    case eveningSheet(EveningSheet)
    case plainSheet(PlainSheet)

    var title: String {
        switch self {
        case .eveningSheet(let object): object.title
        case .plainSheet(let object): object.title
        }
    }

    var code: Int32? {
        switch self {
        case .eveningSheet(let object): object.code
        case .plainSheet(let object): object.code
        }
    }

    var place: Publication.Place? {
        switch self {
        case .eveningSheet(let object): object.place
        case .plainSheet(let object): object.place
        }
    }

    var sheet: Double? {
        switch self {
        case .eveningSheet(let object): object.sheet
        case .plainSheet(let object): object.sheet
        }
    }

    var isDaily: Bool {
        switch self {
        case .eveningSheet(let object): object.isDaily
        case .plainSheet(let object): object.isDaily
        }
    }

    struct Size: CompositeConvertible {
        var width: Double?
        var height: Double?

        static let attributes: Set<Attribute<Size>> = [
            .init(\.width, "width"),
            .init(\.height, "height"),
        ]
    }
    var size: Size? {
        switch self {
        case .eveningSheet(let object): object.size
        case .plainSheet(let object): object.size
        }
    }
}

extension Sheet: SuperentityConvertible, CompositeOwner {
    typealias Superentity = Publication

    struct Subentities: Sendable {
        let eveningSheet = Subentity(Sheet.eveningSheet)
        let plainSheet = Subentity(Sheet.plainSheet)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .eveningSheet(let object): object
        case .plainSheet(let object): object
        }
    }

    init() { self = .eveningSheet(EveningSheet()) }

    static let attributes: Set<Attribute<Sheet>> = [
        .init(shared: \.title, named: "title"),
        .init(shared: \.code, named: "code"),
        .init(shared: \.place, named: "place"),
        .init(shared: \.sheet, named: "sheet"),
        .init(shared: \.isDaily, named: "isDaily"),
        .init(shared: \.size, named: "size"),
    ]

    struct Relations: Sendable {
        let publisher = ToOneRelation<Publisher>("publisher")
        let previous = ToOneRelation<Publication>("previous")
        let next = ToManyRelation<Publication>("next")
    }
    static let relations = Relations()
}

/// An object of the entity Sheet itself.
struct PlainSheet {
    var title = "untitled"
    var code: Int32?
    var place: Publication.Place?
    var sheet: Double?
    var isDaily = true
    var size: Sheet.Size?
}

extension PlainSheet: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Sheet
    static let entityName = "Sheet"
    static let attributes: Set<Attribute<PlainSheet>> = [
        .init(\.title, "title"),
        .init(\.code, "code"),
        .init(\.place, "place"),
        .init(\.sheet, "sheet"),
        .init(\.isDaily, "isDaily"),
        .init(\.size, "size"),
    ]

    struct Relations: Sendable {
        let publisher = ToOneRelation<Publisher>("publisher")
        let previous = ToOneRelation<Publication>("previous")
        let next = ToManyRelation<Publication>("next")
    }
    static let relations = Relations()
}

struct EveningSheet {
    var title = "untitled"
    var code: Int32?
    var place: Publication.Place?
    var sheet: Double?
    var isDaily = true
    var size: Sheet.Size?
    var hour: Int16 = 18
}

extension EveningSheet: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Sheet
    static let attributes: Set<Attribute<EveningSheet>> = [
        .init(\.title, "title"),
        .init(\.code, "code"),
        .init(\.place, "place"),
        .init(\.sheet, "sheet"),
        .init(\.isDaily, "isDaily"),
        .init(\.size, "size"),
        .init(\.hour, "hour"),
    ]

    struct Relations: Sendable {
        let publisher = ToOneRelation<Publisher>("publisher")
        let previous = ToOneRelation<Publication>("previous")
        let next = ToManyRelation<Publication>("next")
        let reviews = ToManyOrderedRelation<Review>("reviews", inverse: \.sheet, deleteRule: .cascade)
    }
    static let relations = Relations()
    static let fetchIndexes: [FetchIndex<EveningSheet>] = [.init("byHour", .ascending(\.hour), .descending(\.title))]
}

struct Volume {
    var title = "untitled"
    var code: Int32?
    var place: Publication.Place?
    var sheet: Double?
    var pages: Int?
    var isbn: String?
}

extension Volume: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Publication
    static let attributes: Set<Attribute<Volume>> = [
        .init(\.title, "title"),
        .init(\.code, "code"),
        .init(\.place, "place"),
        .init(\.sheet, "sheet"),
        .init(\.pages, "pages", .range(1...)),
        .init(\.isbn, "isbn", .unique),
    ]

    struct Relations: Sendable {
        let publisher = ToOneRelation<Publisher>("publisher")
        let previous = ToOneRelation<Publication>("previous")
        let next = ToManyRelation<Publication>("next")
    }
    static let relations = Relations()
}

struct Publisher {
    var name: String?
}

extension Publisher: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Publisher>> = [.init(\.name, "name")]

    struct Relations: Sendable {
        let publications = ToManyRelation<Publication>("publications", deleteRule: .deny)
    }
    static let relations = Relations()
}

struct Review {
    var mark: Float?
}

extension Review: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Review>> = [.init(\.mark, "mark")]

    struct Relations: Sendable {
        let sheet = ToOneRelation<EveningSheet>("sheet")
    }
    static let relations = Relations()
}
