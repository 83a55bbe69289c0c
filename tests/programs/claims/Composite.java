import org.apache.hadoop.hbase.types.DataType;
import org.apache.hadoop.hbase.types.OrderedInt64;
import org.apache.hadoop.hbase.types.OrderedString;
import org.apache.hadoop.hbase.types.RawLong;
import org.apache.hadoop.hbase.types.RawStringTerminated;
import org.apache.hadoop.hbase.types.Struct;
import org.apache.hadoop.hbase.types.StructBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/** Composite keys of HBase's own client, and what Java makes of published expressions: a line with a name for each. */
public class Composite {
    static final long TIME_MS = 1580976517000L;

    static String key(Struct struct, Object... values) {
        try {
            var bytes = new SimplePositionedMutableByteRange(struct.encodedLength(values));
            struct.encode(bytes, values);
            return Bytes.toHex(bytes.getBytes());
        } catch (IllegalArgumentException error) {
            return error.getMessage();
        }
    }

    static Struct of(DataType<?> text, DataType<?> time) {
        return new StructBuilder().add(text).add(time).toStruct();
    }

    static void print(String name, String value) {
        System.out.println(name + "\t" + value);
    }

    public static void main(String[] arguments) {
        Struct raw = of(new RawStringTerminated(new byte[] {0, 1}), new RawLong());
        Struct ordered = of(OrderedString.ASCENDING, OrderedInt64.DESCENDING);
        print("raw", key(raw, "s-17", Long.MAX_VALUE - TIME_MS));
        print("raw, with a terminator inside", key(raw, "a\0\1", Long.MAX_VALUE - TIME_MS));
        print("ordered", key(ordered, "s-17", TIME_MS));
        print("ordered, with a terminator inside", key(ordered, "a\0\1", TIME_MS));
        for (long time : new long[] {TIME_MS, 0, -1}) {
            print("timestampBytes " + time, Bytes.toHex(Bytes.toBytes(Long.MAX_VALUE - time)));
        }
        for (String text : arguments) {
            int hash = text.hashCode();
            print("hash of " + text, hash + " " + hash % 8 + " " + Math.floorMod(hash, 8));
        }
    }
}
