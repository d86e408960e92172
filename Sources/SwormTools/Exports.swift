// A test that imports this module can also migrate.
@_exported public import SwormMigrations
