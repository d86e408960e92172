public import Foundation
import SwormStore

/// An attribute of an entity: a named value of one type.
open class NSAttributeDescription: NSPropertyDescription {
    /// The type of the attribute's values. It must be set for stored attributes.
    open var attributeType: NSAttributeType = .undefinedAttributeType { didSet { changed() } }

    private var givenValueClassName: String?

    /// The name of the class of the attribute's values; for a transformable attribute, the class that was set.
    open var attributeValueClassName: String? {
        get { givenValueClassName ?? attributeType.valueClassName }
        set { givenValueClassName = newValue }
    }

    /// The value of the attribute in a newly inserted object; nil for none.
    ///
    /// The default value of a composite attribute is a dictionary with the names of its elements as keys.
    open var defaultValue: Any? { didSet { changed() } }

    /// The name of the value transformer of a transformable attribute; nil for the default one.
    open var valueTransformerName: String? { didSet { changed() } }

    /// Whether the store may save large values in separate files.
    open var allowsExternalBinaryDataStorage: Bool = false { didSet { changed() } }

    /// Whether the store's history preserves the value of a deleted object.
    open var preservesValueInHistoryOnDeletion: Bool = false { didSet { changed() } }

    /// Whether a cloud service is to encrypt the value. The flag is stored and has no effect here.
    open var allowsCloudEncryption: Bool = false

    /// The rules that validate a value when its object is saved.
    package var validationRules: [ValidationRule] = [] {
        didSet {
            validationIssue = nil
            changed()
        }
    }

    /// The error in the format of a validation predicate.
    private(set) var validationIssue: (any Error)?

    open override var validationPredicates: [NSPredicate] { validationRules.map(\.predicate) }

    open override func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        super.setValidationPredicates(validationPredicates, withValidationWarnings: validationWarnings)
        do {
            validationRules = try (validationPredicates ?? []).map { try ValidationRule($0) }
        } catch {
            validationRules = []
            validationIssue = error
            changed()
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.attributeType = attributeType
        copy.givenValueClassName = givenValueClassName
        copy.defaultValue = defaultValue
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        copy.allowsCloudEncryption = allowsCloudEncryption
        copy.validationRules = validationRules
        copy.validationIssue = validationIssue
    }
}

extension NSAttributeType {
    /// The name of the class that Core Data uses for the type's values.
    fileprivate var valueClassName: String? {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        case .undefinedAttributeType, .transformableAttributeType: nil
        }
    }
}
