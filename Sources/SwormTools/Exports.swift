// A test that has this import can migrate, too; so can code that was written for Sworm 1.x.
@_exported public import SwormMigrations
