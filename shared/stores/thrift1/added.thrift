// The additions of HBase 2.6 to the older Hbase.thrift that happybase brings. Names and numbers are those of HBase's
// own IDL.

enum TThriftServerType {
  ONE = 1
  TWO = 2
}

exception IOError {
  1: string message
  2: bool canRetry
}

service Hbase {
  map<binary, bool> getTableNamesWithIsTableEnabled() throws (1: IOError io)
  TThriftServerType getThriftServerType()
  string getClusterId()
}
