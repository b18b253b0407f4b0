import * as apiKeys from "./access/api-keys.ts";
import * as audit from "./access/audit.ts";
import * as cli from "./access/cli.ts";
import * as deletions from "./access/deletions.ts";
import * as invitations from "./access/invitations.ts";
import * as masking from "./access/masking.ts";
import * as me from "./access/me.ts";
import * as members from "./access/members.ts";
import * as organizations from "./access/organizations.ts";
import * as projects from "./access/projects.ts";
import * as repricings from "./access/repricings.ts";
import * as subscriptions from "./access/subscriptions.ts";
import * as datasets from "./datasets/datasets.ts";
import * as datasetItems from "./datasets/items.ts";
import * as approval from "./experiments/approval.ts";
import * as experimentRuns from "./experiments/experiment-runs.ts";
import * as experiments from "./experiments/experiments.ts";
import * as gates from "./experiments/gates.ts";
import * as labelItems from "./labels/label-items.ts";
import * as labelSets from "./labels/label-sets.ts";
import * as labelTrust from "./labels/trust.ts";
import * as langfuseDatasets from "./langfuse/datasets.ts";
import * as langfuseIngestion from "./langfuse/ingestion.ts";
import * as langfuseMedia from "./langfuse/media.ts";
import * as langfuseProjects from "./langfuse/projects.ts";
import * as langfuseScores from "./langfuse/scores.ts";
import * as langsmithFeedback from "./langsmith/feedback.ts";
import * as langsmithRuns from "./langsmith/runs.ts";
import * as langsmithService from "./langsmith/service.ts";
import * as customMetrics from "./metrics/custom-metrics.ts";
import * as metricSources from "./metrics/metric-sources.ts";
import * as preview from "./metrics/preview.ts";
import * as providers from "./metrics/providers.ts";
import * as mcp from "./mcp.ts";
import * as metricLists from "./metrics/metric-lists.ts";
import * as alerts from "./monitors/alerts.ts";
import * as alertPreview from "./monitors/alert-preview.ts";
import * as firings from "./monitors/firings.ts";
import * as monitors from "./monitors/monitors.ts";
import * as documentation from "./openapi/documentation.ts";
import * as exportLogs from "./otlp/export-logs.ts";
import * as exportMetrics from "./otlp/export-metrics.ts";
import * as exportTraces from "./otlp/export-traces.ts";
import * as sessionRuns from "./runs/session-runs.ts";
import * as spend from "./runs/spend.ts";
import * as runTemplate from "./runs/template.ts";
import * as traceRuns from "./runs/trace-runs.ts";
import * as scoreAnalytics from "./scores/analytics.ts";
import * as sessionScoreAnalytics from "./scores/session-analytics.ts";
import * as scores from "./scores/score.ts";
import * as scoreComparison from "./scores/comparison.ts";
import * as sessionScores from "./scores/session-scores.ts";
import * as traceScores from "./scores/trace-scores.ts";
import * as service from "./service.ts";
import * as sessionAnalytics from "./sessions/analytics.ts";
import * as sessions from "./sessions/sessions.ts";
import * as traceAnalytics from "./traces/analytics.ts";
import * as traceBatch from "./traces/batch.ts";
import * as traceChanges from "./traces/changes.ts";
import * as traceDeletion from "./traces/deletion.ts";
import * as users from "./access/trace-users.ts";
import * as exports from "./traces/exports.ts";
import * as prices from "./traces/prices.ts";
import * as traces from "./traces/traces.ts";
import type { Route } from "./route.ts";

/** Endpoints by resource, in the order of the OpenAPI document. */
const resources: readonly (readonly Route[])[] = [
  [service.getHealth],
  [documentation.getOpenApi, documentation.getDocs, documentation.getDocsTopic, documentation.getLlmsText],
  [mcp.exchangeMcpMessages],
  [service.getConsole, service.getCliLogin, service.getConsoleAsset],
  [traces.createTrace, traceBatch.createTraces],
  [exportTraces.exportTraces, exportTraces.exportTracesLangfuse, exportTraces.exportTracesLangsmith],
  [exportTraces.exportTracesLangsmithEndpoint],
  [exportLogs.exportLogs, exportMetrics.exportMetrics],
  [service.getHealthLangfuse],
  [langfuseProjects.listLangfuseProjects, langfuseScores.createLangfuseScores, langfuseIngestion.ingestLangfuse],
  [langfuseMedia.createLangfuseMedia],
  [langfuseDatasets.createLangfuseDataset, langfuseDatasets.listLangfuseDatasets, langfuseDatasets.getLangfuseDataset],
  [langfuseDatasets.createLangfuseDatasetItem, langfuseDatasets.listLangfuseDatasetItems],
  [langfuseDatasets.createLangfuseDatasetRunItem],
  [langsmithRuns.ingestLangsmithRuns, langsmithRuns.ingestLangsmithBatch, langsmithRuns.createLangsmithRun],
  [langsmithRuns.updateLangsmithRun, langsmithFeedback.createLangsmithFeedback, langsmithService.getLangsmithInfo],
  [langsmithFeedback.updateLangsmithFeedback, langsmithService.listLangsmithSessions],
  [traces.listTraces, traces.listUsers, traceAnalytics.getTraceAnalytics, traces.getTrace],
  [traces.listSpans, traces.getSpan],
  [traceChanges.createSpans, traceChanges.updateTrace, traceChanges.updateSpan, traceChanges.tagTraces],
  [traceDeletion.deleteTrace, traceDeletion.deleteTraces, users.eraseUser, users.exportUser, prices.listPrices],
  [exports.listExportDays, exports.createExport],
  [sessions.listSessions, sessionAnalytics.getSessionAnalytics, sessions.getSession, sessions.deleteSession],
  [metricLists.listTraceMetrics, metricLists.listSessionMetrics, providers.listProviders],
  [datasets.listDatasets, datasets.createDataset, datasets.getDataset, datasets.updateDataset, datasets.deleteDataset],
  [datasetItems.createDatasetItems, datasetItems.listDatasetItems, datasetItems.getDatasetItem],
  [datasetItems.updateDatasetItem, datasetItems.deleteDatasetItem],
  [experiments.listExperiments, experiments.getExperiment, experiments.listExperimentItems],
  [experimentRuns.createExperimentRun, experiments.compareExperiments, gates.evaluateGate, approval.approveExperiment],
  [labelSets.createLabelSet, labelSets.listLabelSets, labelSets.getLabelSet, labelSets.deleteLabelSet],
  [labelItems.takeNextLabelItem, labelItems.putLabels, labelItems.listLabelItems, labelItems.uploadLabels],
  [labelSets.closeLabelSet, labelTrust.computeTrust, labelTrust.getTrust],
  [spend.getSpend, runTemplate.getRunTemplate, runTemplate.getRunTemplateShort],
  [traceRuns.createTraceRun, traceRuns.createTraceBatchRun, traceRuns.listTraceRuns, traceRuns.getTraceRun],
  [traceRuns.deleteTraceRun, traceRuns.retryTraceRun, traceRuns.listTraceRunTargets, traceRuns.listTraceRunScores],
  [sessionRuns.createSessionRun, sessionRuns.createSessionBatchRun, sessionRuns.listSessionRuns],
  [sessionRuns.getSessionRun, sessionRuns.deleteSessionRun, sessionRuns.retrySessionRun],
  [sessionRuns.listSessionRunTargets, sessionRuns.listSessionRunScores],
  [traceScores.createTraceScore, traceScores.listTraceScores, traceScores.getTraceScores, traceScores.updateTraceScore],
  [traceScores.putTraceScore, traceScores.deleteTraceScore],
  [scores.getScore],
  [sessionScores.createSessionScore, sessionScores.listSessionScores, sessionScores.getSessionScores],
  [sessionScores.putSessionScore, sessionScores.updateSessionScore, sessionScores.deleteSessionScore],
  [scoreAnalytics.getTraceScoreSummary, scoreAnalytics.getTraceScoreTrend, scoreAnalytics.getTraceScoreDistribution],
  [scoreAnalytics.getSessionScoreSummary, scoreAnalytics.getSessionScoreTrend],
  [scoreAnalytics.getSessionScoreDistribution],
  [sessionScoreAnalytics.getSessionScoreHistory, sessionScoreAnalytics.compareSessionScores],
  [scoreComparison.compareTraceScores],
  [customMetrics.createCustomMetric, customMetrics.listCustomMetrics, metricSources.listGalleryMetrics],
  [metricSources.copyGalleryMetric, metricSources.importCustomMetric],
  [preview.previewCustomMetric],
  [customMetrics.getCustomMetric, customMetrics.updateCustomMetric, customMetrics.deleteCustomMetric],
  [monitors.createMonitor, monitors.listMonitors, firings.listMonitorRuns, monitors.getMonitor],
  [monitors.updateMonitor, monitors.deleteMonitor, monitors.pauseMonitor, monitors.resumeMonitor],
  [monitors.triggerMonitor, firings.listFirings],
  [alerts.createAlert, alerts.listAlerts, alertPreview.previewAlert, alerts.getAlert, alerts.listAlertHistory],
  [alerts.updateAlert, alerts.deleteAlert, alerts.testAlert],
  [repricings.createRepricing, repricings.listRepricings],
  [projects.listReachableProjects, masking.previewMasking],
  [me.getMe, me.deleteMe, me.listMyInvitations],
  [deletions.listMyDeletions],
  [me.acceptInvitation, me.declineInvitation],
  [organizations.createOrganization, organizations.listOrganizations, organizations.getOrganization],
  [organizations.updateOrganization, organizations.deleteOrganization],
  [members.listMembers, members.updateMember, members.removeMember],
  [invitations.createInvitation, invitations.listInvitations, invitations.revokeInvitation],
  [projects.createProject, projects.listProjects, projects.getProject, projects.updateProject, projects.deleteProject],
  [apiKeys.createApiKey, apiKeys.listApiKeys, apiKeys.getApiKey, apiKeys.rotateApiKey, apiKeys.deleteApiKey],
  [audit.listAuditEvents],
  [deletions.listDeletions],
  [cli.createCliCode, cli.exchangeCliCode],
  [subscriptions.listPlans, subscriptions.getSubscription, subscriptions.getUsage, subscriptions.getBilling],
  [subscriptions.listInvoices, subscriptions.openCheckout, subscriptions.openPortal],
];

/** All endpoints of the service. Handlers import single routes instead, except those that serve the OpenAPI document. */
export const routes: readonly Route[] = resources.flat();
