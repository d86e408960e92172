import Foundation
import Sworm
import Testing

/// Properties of subclasses of `NSManagedObject`, with the same source on all platforms.
struct ManagedTests {
    private let context: NSManagedObjectContext

    init() throws { context = try Self.context(of: Self.coordinator()) }

    private static func coordinator(
        _ model: NSManagedObjectModel = ShopModel.model()
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return coordinator
    }

    private static func context(of coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func `attributes of every type are saved and read`() throws {
        let item = ShopItem(context: context)
        let moment = Date(timeIntervalSinceReferenceDate: 1000)
        let id = UUID()
        let page = try #require(URL(string: "https://example.com/a"))
        item.flag = true
        item.small = 7
        item.large = 1 << 40
        item.ratio = 0.5
        item.price = Decimal(string: "9.99") ?? 0
        item.name = "Chair"
        item.data = Data([1, 2])
        item.moment = moment
        item.identifier = id
        item.page = page
        item.note = "wood"
        item.kind = .used
        try context.save()
        context.refresh(item, mergeChanges: false)
        #expect(item.isFault)
        #expect(item.flag && item.small == 7 && item.large == 1 << 40 && item.ratio == 0.5)
        #expect(item.price == Decimal(string: "9.99"))
        #expect(item.name == "Chair" && item.note == "wood")
        #expect(item.data == Data([1, 2]) && item.moment == moment && item.identifier == id && item.page == page)
        #expect(item.kind == .used)
    }

    @Test func `a new object has the defaults of its properties`() {
        let item = ShopItem(context: context)
        #expect(!item.flag && item.small == 0 && item.large == 0 && item.ratio == 0 && item.price == 0)
        #expect(item.name.isEmpty && item.data.isEmpty)
        #expect(item.moment == Date(timeIntervalSinceReferenceDate: 0))
        #expect(item.note == nil && item.kind == .new && item.owner == nil)
        #expect(item.tags.isEmpty && item.parts.isEmpty && item.partsInOrder.count == 0)
    }

    @Test func `setting a property marks the object as changed, and nil empties it`() throws {
        let item = ShopItem(context: context)
        item.name = "Chair"
        item.note = "wood"
        try context.save()
        #expect(!item.hasChanges)
        item.note = nil
        #expect(item.isUpdated)
        #expect(item.changedValues().keys.sorted() == ["note"])
        try context.save()
        #expect(item.value(forKey: "note") == nil)
    }

    @Test func `relationships are set on both sides`() throws {
        let owner = ShopOwner(context: context)
        let item = ShopItem(context: context)
        let other = ShopItem(context: context)
        item.owner = owner
        #expect(owner.items == [item])
        owner.items.insert(other)
        #expect(other.owner === owner)
        item.parts = [ShopItem(context: context), other]
        try context.save()
        context.refresh(item, mergeChanges: false)
        #expect(item.parts.count == 2 && item.parts.last === other)
        #expect(item.partsInOrder.array as? [ShopItem] == item.parts)
        item.partsInOrder = NSOrderedSet(array: item.parts.reversed())
        #expect(item.parts.first === other)
    }

    @Test func `a write does not remove members of a class that the property does not show`() throws {
        let (owner, item) = (ShopOwner(context: context), ShopItem(context: context))
        let part = ShopItem(context: context)
        owner.items = [item]
        item.parts = [part]
        owner.wrongItems = []
        #expect(owner.items == [item] && item.owner === owner)
        #if !canImport(CoreData)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        let message = error?.localizedDescription ?? ""
        #expect(message.contains("'items'") && message.contains("of the class ShopItem"))
        #endif
        item.wrongParts = []
        #expect(item.parts == [part])
        // A write that removes nothing unseen replaces the rejected one.
        owner.items = []
        item.parts = []
        owner.wrongItems = []
        item.wrongParts = []
        try context.save()
        #expect(owner.items.isEmpty && item.parts.isEmpty)
    }

    @Test func `a write removes a deleted member of a class that the property does not show`() throws {
        let model = ShopModel.model()
        // The deletion leaves the object among the members.
        model.entitiesByName["ShopItem"]?.relationshipsByName["owner"]?.deleteRule = .noActionDeleteRule
        let context = try Self.context(of: Self.coordinator(model))
        let (owner, item) = (ShopOwner(context: context), ShopItem(context: context))
        owner.items = [item]
        try context.save()
        context.delete(item)
        #expect(owner.items == [item] && item.isDeleted)
        owner.wrongItems = []
        try context.save()
        #expect(owner.items.isEmpty)
    }

    @Test func `a stored value that the type does not have is the default`() throws {
        let item = ShopItem(context: context)
        item.setValue(99, forKey: "kind")
        #expect(item.kind == .new)
    }

    @Test func `a composite attribute is a struct, and a property can be one of its elements`() throws {
        let item = ShopItem(context: context)
        #expect(item.size == nil && item.width == nil && item.sizes.unit == "cm")
        item.size = ShopSize(width: 2, unit: "m")
        try context.save()
        context.refresh(item, mergeChanges: false)
        #expect(item.size == ShopSize(width: 2, unit: "m") && item.width == 2)
        item.width = 3
        #expect(item.size?.width == 3 && item.sizes.unit == "m")
        #expect(item.changedValues().keys.sorted() == ["size"])
        try context.save()
        item.sizes = ShopSize(width: nil, unit: "mm")
        #expect(item.size == ShopSize(width: nil, unit: "mm"))
        item.size = nil
        try context.save()
        #expect(item.value(forKey: "size") == nil)
    }

    @Test func `a keyed property has the value of key-value coding`() throws {
        let item = ShopItem(context: context)
        item.sizeValues = ["width": 4.5]
        item.moment = Date(timeIntervalSinceReferenceDate: 7)
        try context.save()
        #expect(item.sizeValues?["width"] as? Double == 4.5 && item.width == 4.5)
        #expect(item.anyMoment as? Date == Date(timeIntervalSinceReferenceDate: 7))
        item.sizeValues = nil
        #expect(item.size == nil && item.isUpdated)
    }

    @Test func `a key path has the names of composite attributes, their elements and keyed properties`() {
        #expect(keyPath(\ShopItem.size) == "size" && keyPath(\ShopItem.sizes) == "size")
        #expect(keyPath(\ShopItem.width) == "size.width" && keyPath(\ShopItem.sizeValues) == "size")
        #expect(keyPath(\ShopItem.owner) == "owner" && keyPath(\ShopItem.parts) == "parts")
    }

    #if !canImport(CoreData)
    @Test func `a name that the model does not have is an error of the next save that names it`() throws {
        let item = ShopItem(context: context)
        #expect(item.misspelt.isEmpty)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        let message = error?.localizedDescription ?? ""
        #expect(message.contains("nane") && message.contains("name"))
        item.misspelt = "x"
        #expect(throws: CocoaError.self) { try context.save() }
    }

    @Test func `a type that the model does not have is an error of the next save that names the property`() throws {
        let item = ShopItem(context: context)
        item.name = "Chair"
        #expect(item.wrongType == 0)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.localizedDescription.contains("name") == true)
        #expect(item.wrongClass.isEmpty)
        #expect(throws: CocoaError.self) { try context.save() }
        item.wrongKeyed = "x"
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(item.name == "Chair")
    }

    @Test func `a missing value of an attribute of another type is an error of the next save`() throws {
        let item = ShopItem(context: context)
        #expect(item.wrongNote == nil)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        let message = error?.localizedDescription ?? ""
        #expect(message.contains("note") && message.contains("Date") && message.contains("String"))
        try context.save()
    }

    @Test func `integers of any width and numbers of other types are no error`() throws {
        let item = ShopItem(context: context)
        #expect(item.smallAsDouble == nil && item.smallAsInt == nil && item.smallAsBool == nil)
        item.small = 1
        #expect(item.smallAsDouble == 1 && item.smallAsInt == 1 && item.smallAsBool == true)
        try context.save()
    }
    #endif
}

/// A model with an attribute of every type and a relationship of every kind.
enum ShopModel {
    static func model() -> NSManagedObjectModel {
        let (item, owner) = (NSEntityDescription(), NSEntityDescription())
        item.name = "ShopItem"
        item.managedObjectClassName = NSStringFromClass(ShopItem.self)
        owner.name = "ShopOwner"
        owner.managedObjectClassName = NSStringFromClass(ShopOwner.self)
        let attributes: [(String, NSAttributeType)] = [
            ("flag", .booleanAttributeType), ("small", .integer16AttributeType), ("large", .integer64AttributeType),
            ("ratio", .doubleAttributeType), ("price", .decimalAttributeType), ("name", .stringAttributeType),
            ("data", .binaryDataAttributeType), ("moment", .dateAttributeType), ("identifier", .UUIDAttributeType),
            ("page", .URIAttributeType), ("note", .stringAttributeType), ("kind", .integer16AttributeType),
        ]
        let owners = relationship("owner", to: owner, isToMany: false)
        let items = relationship("items", to: item, isToMany: true)
        connect(owners, items)
        let parts = relationship("parts", to: item, isToMany: true)
        parts.isOrdered = true
        let wholes = relationship("wholes", to: item, isToMany: true)
        connect(parts, wholes)
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.isOptional = true
        size.elements = [attribute("width", .doubleAttributeType), attribute("unit", .stringAttributeType)]
        item.properties = attributes.map { attribute($0.0, $0.1) } + [size, owners, parts, wholes]
        owner.properties = [items]
        let model = NSManagedObjectModel()
        model.entities = [item, owner]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, isToMany: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = isToMany ? 0 : 1
        relationship.minCount = 0
        relationship.isOptional = true
        return relationship
    }

    private static func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}

enum ShopKind: Int16, SupportedAttributeType { case new, used }

struct ShopSize: CompositeConvertible, Equatable {
    var width: Double?
    var unit = "cm"

    static let attributes: Set<Attribute<ShopSize>> = [.init(\.width, "width"), .init(\.unit, "unit")]
}

final class ShopItem: NSManagedObject {
    @Managed("flag") var flag: Bool
    @Managed("small") var small: Int16
    @Managed("large") var large: Int
    @Managed("ratio") var ratio: Double
    @Managed("price") var price: Decimal
    @Managed("name") var name: String
    @Managed("data") var data: Data
    @Managed("moment") var moment: Date
    @Managed("identifier") var identifier: UUID
    @Managed("page") var page: URL
    @Managed("note") var note: String?
    @Managed("kind", default: .new) var kind: ShopKind
    @Managed("owner") var owner: ShopOwner?
    @Managed("wholes") var tags: Set<ShopItem>
    @Managed("parts") var parts: [ShopItem]
    @Managed("parts") var partsInOrder: NSOrderedSet
    @Managed("size") var size: ShopSize?
    @Managed("size") var sizes: ShopSize
    @Managed("size.width") var width: Double?
    @Managed(keyed: "size") var sizeValues: [String: Any]?
    @Managed(keyed: "moment") var anyMoment: Any?
    @Managed("small") var smallAsDouble: Double?
    @Managed("small") var smallAsInt: Int?
    @Managed("small") var smallAsBool: Bool?
    @Managed("nane") var misspelt: String
    @Managed("name") var wrongType: Int
    @Managed("note") var wrongNote: Date?
    @Managed(keyed: "owner") var wrongKeyed: String?
    @Managed("owner") var wrongClass: Set<ShopItem>
    @Managed("parts") var wrongParts: [ShopOwner]
}

final class ShopOwner: NSManagedObject {
    @Managed("items") var items: Set<ShopItem>
    @Managed("items") var wrongItems: Set<ShopOwner>
}
