import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.StartMiniClusterOption;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.thrift.ThriftServer;

/**
 * HBase's own mini-cluster in one process: a file system with three data nodes, ZooKeeper, a master, region servers, a
 * Thrift1 gateway and a Thrift2 gateway. Takes a command per connection, on a port of 127.0.0.1 that it prints when all is ready:
 *
 * <pre>
 * servers                  the region servers that live, one a line
 * regions TABLE            a region a line, in order: its first row, its server
 * split TABLE ROW          makes two regions of the one that holds a row; the second begins with the row
 * move TABLE ROW SERVER    moves the region that holds a row
 * flush TABLE              writes what is in memory to files
 * compact TABLE...         makes one file of all, and drops what is deleted
 * kill SERVER              ends a region server of this process, with nothing closed or written
 * </pre>
 *
 * Rows are in hex, with a dot behind. The last line of an answer is `ok`, or `error` and its reason.
 */
public class Cluster {
  private final HBaseTestingUtility cluster;
  private final Admin admin;

  /** Arguments: the folder for all files, the number of region servers, the ports of Thrift1 and Thrift2. */
  public static void main(String[] arguments) {
    try {
      Cluster cluster = new Cluster(Integer.parseInt(arguments[1]));
      cluster.writeConfiguration(Path.of(arguments[0]).resolve("outside"));
      cluster.startGateway(new ThriftServer(cluster.configuration()), arguments[2]);
      cluster.startGateway(new org.apache.hadoop.hbase.thrift2.ThriftServer(cluster.configuration()), arguments[3]);
      ServerSocket commands = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      System.out.println("commands on port " + commands.getLocalPort());
      while (true) {
        Socket caller = commands.accept();
        new Thread(() -> cluster.serve(caller)).start();
      }
    } catch (Exception error) {
      error.printStackTrace();
      System.exit(1); // other threads would go on
    }
  }

  private Cluster(int regionServers) throws Exception {
    cluster = new HBaseTestingUtility(HBaseConfiguration.create());
    cluster.startMiniCluster(
        StartMiniClusterOption.builder().numRegionServers(regionServers).numDataNodes(3).build());
    admin = cluster.getAdmin();
    admin.balancerSwitch(false, true);
  }

  /** With this on its class path a region server in a process of its own joins the cluster. */
  private void writeConfiguration(Path folder) throws IOException {
    Configuration outside = configuration();
    outside.setBoolean("hbase.cluster.distributed", true);
    outside.setClass("hbase.regionserver.impl", HRegionServer.class, HRegionServer.class);
    Files.createDirectories(folder);
    try (OutputStream file = Files.newOutputStream(folder.resolve("hbase-site.xml"))) {
      outside.writeXml(file);
    }
  }

  private Configuration configuration() {
    return new Configuration(cluster.getConfiguration());
  }

  private void startGateway(ThriftServer gateway, String port) throws Exception {
    String[] arguments = {"-p", port, "-b", "127.0.0.1", "--infoport", "-1", "start"};
    Thread thread = new Thread(() -> {
      try {
        gateway.run(arguments);
      } catch (Exception error) {
        error.printStackTrace();
      }
      System.exit(1); // without it the rest is of no use
    });
    thread.start();
    while (true) {
      try (Socket answered = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
        return;
      } catch (IOException notYet) {
        Thread.sleep(100);
      }
    }
  }

  private void serve(Socket caller) {
    try (caller;
        BufferedReader reader = new BufferedReader(new InputStreamReader(caller.getInputStream()));
        PrintStream writer = new PrintStream(caller.getOutputStream())) {
      String[] words = reader.readLine().split(" ");
      try {
        writer.print(answer(words) + "ok\n");
      } catch (Exception error) {
        writer.print("error " + error.toString().lines().findFirst().orElse("") + "\n");
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error); // the caller has gone
    }
  }

  private String answer(String[] words) throws Exception {
    TableName table = words.length > 1 && !words[0].equals("kill") ? TableName.valueOf(words[1]) : null;
    switch (words[0]) {
      case "servers":
        return lines(admin.getRegionServers().stream().map(ServerName::toString).sorted());
      case "regions":
        return regions(table);
      case "split":
        byte[] row = row(words[2]);
        admin.splitRegionAsync(regionOf(table, row).getRegionName(), row).get();
        return "";
      case "move":
        admin.move(regionOf(table, row(words[2])).getEncodedNameAsBytes(), ServerName.valueOf(words[3]));
        return "";
      case "flush":
        admin.flush(table);
        return "";
      case "compact":
        compact(Stream.of(words).skip(1).map(TableName::valueOf).toList());
        return "";
      case "kill":
        cluster.getMiniHBaseCluster().killRegionServer(ServerName.valueOf(words[1]));
        return "";
      default:
        throw new IllegalArgumentException("command: must be one of those above (got " + words[0] + ")");
    }
  }

  private RegionInfo regionOf(TableName table, byte[] row) throws IOException {
    try (RegionLocator locator = cluster.getConnection().getRegionLocator(table)) {
      return locator.getRegionLocation(row, true).getRegion();
    }
  }

  private String regions(TableName table) throws IOException {
    try (RegionLocator locator = cluster.getConnection().getRegionLocator(table)) {
      return lines(locator.getAllRegionLocations().stream()
          .map(each -> hex(each.getRegion().getStartKey()) + " " + each.getServerName()));
    }
  }

  private void compact(List<TableName> tables) throws Exception {
    for (TableName table : tables) {
      admin.flush(table);
      admin.majorCompact(table);
    }
    Thread.sleep(500); // until it has begun everywhere
    for (TableName table : tables) {
      while (admin.getCompactionState(table) != CompactionState.NONE) {
        Thread.sleep(100);
      }
    }
  }

  private static byte[] row(String hex) {
    return HexFormat.of().parseHex(hex.substring(0, hex.length() - 1));
  }

  private static String hex(byte[] row) {
    return HexFormat.of().formatHex(row) + ".";
  }

  private static String lines(Stream<String> texts) {
    return texts.map(text -> text + "\n").collect(Collectors.joining());
  }
}
