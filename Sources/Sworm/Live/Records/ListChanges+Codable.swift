extension ListChanges {
    private enum CodingKeys: String, CodingKey { case removed, inserted, moved, updated, sections }

    /// Creates differences from their encoded form, in which sections may be missing.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        removed = try container.decode([Int].self, forKey: .removed)
        inserted = try container.decode([Int].self, forKey: .inserted)
        moved = try container.decode([Move].self, forKey: .moved)
        updated = try container.decode([Int].self, forKey: .updated)
        sections = try container.decodeIfPresent(Sections.self, forKey: .sections) ?? Sections()
    }

    /// Encodes the differences. Sections are left out if none appears or disappears.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(removed, forKey: .removed)
        try container.encode(inserted, forKey: .inserted)
        try container.encode(moved, forKey: .moved)
        try container.encode(updated, forKey: .updated)
        if !sections.isEmpty { try container.encode(sections, forKey: .sections) }
    }
}
