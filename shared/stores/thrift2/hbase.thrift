// The part of HBase's Thrift2 that the suite uses: puts whose cells have timestamps of their own; and of tables what Thrift1 cannot
// say: namespaces, split keys, block sizes and configuration. Names and numbers are those of HBase's own IDL.

enum TThriftServerType {
  ONE = 1
  TWO = 2
}

enum TBloomFilterType {
  NONE = 0
  ROW = 1
  ROWCOL = 2
  ROWPREFIX_FIXED_LENGTH = 3
}

enum TCompressionAlgorithm {
  LZO = 0
  GZ = 1
  NONE = 2
  SNAPPY = 3
  LZ4 = 4
  BZIP2 = 5
  ZSTD = 6
}

struct TTableName {
  1: optional binary ns
  2: required binary qualifier
}

struct TColumnFamilyDescriptor {
  1: required binary name
  // All attributes of the family by HBase's own names, such as BLOCKSIZE, KEEP_DELETED_CELLS; only in answers.
  2: optional map<binary, binary> attributes
  3: optional map<binary, binary> configuration // strings in HBase's own IDL, which are the same on the wire
  4: optional i32 blockSize
  5: optional TBloomFilterType bloomnFilterType // HBase's own spelling
  6: optional TCompressionAlgorithm compressionType
  10: optional i32 maxVersions
  13: optional i32 timeToLive
  14: optional bool blockCacheEnabled
  20: optional bool inMemory
}

struct TTableDescriptor {
  1: required TTableName tableName
  2: optional list<TColumnFamilyDescriptor> columns
}

struct TNamespaceDescriptor {
  1: required string name
  2: optional map<string, string> configuration
}

struct TColumnValue {
  1: required binary family
  2: required binary qualifier
  3: required binary value
  4: optional i64 timestamp
}

struct TPut {
  1: required binary row
  2: required list<TColumnValue> columnValues
  3: optional i64 timestamp
}

exception TIOError {
  1: optional string message
  2: optional bool canRetry
}

service THBaseService {
  void putMultiple(1: required binary table, 2: required list<TPut> tputs) throws (1: TIOError io)
  TTableDescriptor getTableDescriptor(1: required TTableName table) throws (1: TIOError io)
  void createTable(1: required TTableDescriptor desc, 2: optional list<binary> splitKeys) throws (1: TIOError io)
  void createNamespace(1: required TNamespaceDescriptor namespaceDesc) throws (1: TIOError io)
  void deleteNamespace(1: required string name) throws (1: TIOError io)
  TThriftServerType getThriftServerType()
}
