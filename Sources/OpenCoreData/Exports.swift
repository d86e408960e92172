// The enumerations, option keys and error codes of Core Data's API that the store uses too.
@_exported public import SwormStore
