import Foundation
import SwormStore

/// The transformer of archives: it converts data that contains a keyed archive to the archived object, and back.
///
/// The objects are those of property list classes: strings, numbers, dates, data, UUIDs, URLs, `NSNull`, and arrays, sets and
/// dictionaries of such objects. Archives are read as data: no class is instantiated because an archive names it. Apple's
/// frameworks read the archives that are written here.
///
/// It is the transformer of attributes that name none. A subclass can restrict the classes of the archived object. For objects
/// of other classes, register a ``ValueTransformer`` of your own.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that an archived object may have. Objects in a collection may be of any property list class.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self,
            NSUUID.self, NSNull.self,
        ]
    }

    /// Returns whether archives can be created: true.
    open override class func allowsReverseTransformation() -> Bool { true }

    /// Returns the object in an archive: a `String`, an `NSNumber`, a `Date`, `Data`, a `UUID`, a `URL`, an `NSNull`, an
    /// array, a set, or a dictionary.
    ///
    /// - Parameter value: The archive, as data.
    /// - Returns: nil for anything else, and for an object whose class is not allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
        Data(foundation: value).flatMap { try? unarchived($0) }
    }

    /// Returns an archive of an object.
    ///
    /// - Parameter value: An object of a property list class that is allowed.
    /// - Returns: The archive as `Data`; nil for any other value.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { try? archived($0) }
    }

    /// Returns the object in an archive; nil for an archive of nil.
    ///
    /// - Throws: An ``ArchiveError`` that describes the problem with the archive.
    final func unarchived(_ data: Data) throws(ArchiveError) -> Any? {
        guard let content = try ArchivedValue(archive: data) else { return nil }
        guard allows(content.className) else {
            throw ArchiveError(
                "the archive contains an \(content.className), which is none of the transformer's allowedTopLevelClasses"
            )
        }
        return content.value
    }

    /// Returns an archive of an object.
    ///
    /// - Throws: An ``ArchiveError`` that describes the problem with the object.
    final func archived(_ value: Any) throws(ArchiveError) -> Data {
        var writer = KeyedArchiveWriter()
        guard let root = writer.value(value) else {
            throw ArchiveError(
                "a value of the type \(type(of: value)) is, or contains, an object that is not of a property list class, or it is nested too deeply"
            )
        }
        let data = writer.data(root: root)
        // The class of an object is that under which it is read.
        _ = try unarchived(data)
        return data
    }

    private func allows(_ className: String) -> Bool {
        guard let found = Self.classes[className] else { return false }
        return Self.allowedTopLevelClasses.contains { allowed in
            found == allowed || (found == NSDecimalNumber.self && allowed == NSNumber.self)
        }
    }

    private static let classes: [String: AnyClass] = [
        "NSArray": NSArray.self, "NSDictionary": NSDictionary.self, "NSSet": NSSet.self, "NSString": NSString.self,
        "NSNumber": NSNumber.self, "NSDecimalNumber": NSDecimalNumber.self, "NSDate": NSDate.self,
        "NSData": NSData.self,
        "NSURL": NSURL.self, "NSUUID": NSUUID.self, "NSNull": NSNull.self,
    ]
}

extension Data {
    /// Creates data from either of the types that Foundation has for it; nil from anything else.
    init?(foundation value: Any?) {
        switch value {
        case let data as Data: self = data
        case let data as NSData: self.init(referencing: data)
        default: return nil
        }
    }
}
