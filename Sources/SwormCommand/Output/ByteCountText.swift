import Foundation

/// Human-readable byte counts.
enum ByteCountText {
    /// Returns the number with its unit: `512 bytes`, `1.5 MiB`.
    static func text(_ bytes: Int64) -> String {
        if bytes < 10_000 { return "\(bytes) bytes" }
        var value = Double(bytes) / 1024
        for unit in ["KiB", "MiB", "GiB"] {
            if value < 1024 || unit == "GiB" { return String(format: "%.1f %@", value, unit) }
            value /= 1024
        }
        return "\(bytes) bytes"
    }
}
