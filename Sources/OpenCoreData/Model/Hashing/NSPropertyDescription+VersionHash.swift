public import Foundation
import SwormStore

extension NSPropertyDescription {
    /// The 32 bytes that identify this version of the property.
    ///
    /// The hash of a composite attribute depends on its elements only, and that of a derived attribute on its
    /// expression only.
    public var versionHash: Data { Data(VersionHash.full(self)) }
}

extension NSEntityDescription {
    /// The 32 bytes that identify this version of the entity, inherited properties included.
    public var versionHash: Data { Data(VersionHash.entity(self)) }
}
