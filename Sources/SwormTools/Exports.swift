// Tests that import this module can also use migrations.
@_exported public import SwormMigrations
