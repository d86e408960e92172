// A test that imports this module can also migrate, and so can code that was written for Sworm 1.x.
@_exported public import SwormMigrations
