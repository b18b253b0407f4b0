import java.lang.reflect.Field;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * DynamoDB Local, reachable from this machine only: by itself it listens on every address, and has no option for it. Ends when
 * its input does, so that it never outlives the process that started it.
 *
 * The class beside it is what runs, since a Java runtime has no compiler:
 * javac --release 17 -g:none -cp "DynamoDBLocal.jar:DynamoDBLocal_lib/*" LoopbackDynamoDb.java
 */
public final class LoopbackDynamoDb {
  public static void main(String[] options) throws Exception {
    DynamoDBProxyServer database = ServerRunner.createServerFromCommandLineArgs(options);
    Field field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    for (Connector connector : ((Server) field.get(database)).getConnectors()) {
      ((ServerConnector) connector).setHost("127.0.0.1");
    }
    database.start();
    while (System.in.read() != -1) {}
    System.exit(0);
  }
}
