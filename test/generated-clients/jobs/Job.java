import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.RunsApi;
import org.openapitools.client.api.ScoresApi;
import org.openapitools.client.api.TracesApi;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.model.BatchEvalRunInput;
import org.openapitools.client.model.SpanInput;
import org.openapitools.client.model.TraceInput;

/** The main job with the generated Java client: stores a trace, evaluates it, prints the value of its score. */
public class Job {
  public static void main(String[] arguments) throws Exception {
    var assay = new ApiClient().setBasePath(System.getenv("ASSAY_URL"));
    ((ApiKeyAuth) assay.getAuthentication("apiKey")).setApiKey(System.getenv("ASSAY_KEY"));
    ((ApiKeyAuth) assay.getAuthentication("projectName")).setApiKey("default");
    var now = Instant.now().toString();

    var span = new SpanInput().name("lookup_order").kind(SpanInput.KindEnum.TOOL).startedAt(now);
    span.input(Map.of("order", 1042)).output("shipped");
    var trace = new TraceInput().name("support-agent").startedAt(now).endedAt(now);
    trace.input("Where is my order 1042?").output("It arrives tomorrow.").spans(List.of(span));
    var receipt = new TracesApi(assay).createTrace(trace, null, null, null, null);

    var runs = new RunsApi(assay);
    var selection = new BatchEvalRunInput().traceIds(List.of(receipt.getTraceId())).metrics(List.of("tool_correctness"));
    var run = runs.createTraceBatchRun(selection, null, null, null, null, null);
    while (Set.of("PENDING", "RUNNING").contains(run.getStatus().getValue())) {
      Thread.sleep(200);
      run = runs.getTraceRun(run.getId(), null, null, null, null);
    }
    var score = new ScoresApi(assay).getTraceScores(receipt.getTraceId(), null, null, null, null).get(0);
    System.out.println(score.getName() + " " + score.getValue());
    System.exit(0); // The client's connections would keep the process alive for minutes.
  }
}
