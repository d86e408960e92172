import Foundation
import Sworm

extension NSMappingModel {
    /// Makes entity mappings find the policy for external values of Sworm 1.x, which the module SwormLegacy contains,
    /// under the name that it had.
    func findExternalBinaryDataPolicy() {
        let formerName = "ExternalBinaryDataEntityMigrationPolicy"
        guard let policy = NSClassFromString("SwormLegacy.\(formerName)") else { return }
        let name = NSStringFromClass(policy)
        for mapping in entityMappings ?? []
        where mapping.entityMigrationPolicyClassName == formerName && formerName != name {
            mapping.entityMigrationPolicyClassName = name
        }
    }
}
