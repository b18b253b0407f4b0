import java.lang.reflect.Field;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Starts DynamoDB Local bound to 127.0.0.1; without this class, DynamoDB Local listens on every address and has no option to change
 * that. Exits when standard input closes, so that DynamoDB Local never outlives the process that started it.
 *
 * The compiled class is in the repository, because a Java runtime has no compiler. To compile:
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
