// Core Data's module exports Foundation, and code that imports it relies on that.
@_exported public import Foundation
// The enumerations, option keys and error codes of Core Data's API that the store uses too.
@_exported public import SwormStore
