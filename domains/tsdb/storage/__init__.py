"""The bytes of OpenTSDB's tables: qualifiers, UIDs, points, annotations, and the settings of a store."""
