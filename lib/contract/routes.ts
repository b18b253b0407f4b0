import { createApiKey, deleteApiKey, getApiKey, listApiKeys, rotateApiKey } from "./access/api-keys.ts";
import { listAuditEvents } from "./access/audit.ts";
import { createCliCode, exchangeCliCode } from "./access/cli.ts";
import { listDeletions, listMyDeletions } from "./access/deletions.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./access/invitations.ts";
import { acceptInvitation, declineInvitation, deleteMe, getMe, listMyInvitations } from "./access/me.ts";
import { listMembers, removeMember, updateMember } from "./access/members.ts";
import {
  createMonitor,
  deleteMonitor,
  getMonitor,
  listFirings,
  listMonitors,
  listMonitorRuns,
  pauseMonitor,
  resumeMonitor,
  triggerMonitor,
  updateMonitor,
} from "./monitors/monitors.ts";
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "./access/organizations.ts";
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  listReachableProjects,
  updateProject,
} from "./access/projects.ts";
import { createRepricing, listRepricings } from "./access/repricings.ts";
import {
  getBilling,
  getSubscription,
  getUsage,
  listInvoices,
  listPlans,
  openCheckout,
  openPortal,
} from "./access/subscriptions.ts";
import { getDocs, getDocsTopic, getOpenApi } from "./openapi/documentation.ts";
import { ingestLangfuse } from "./langfuse/ingestion.ts";
import { listLangfuseProjects } from "./langfuse/projects.ts";
import { createLangfuseScores } from "./langfuse/scores.ts";
import { exportLogs } from "./otlp/export-logs.ts";
import { exportMetrics } from "./otlp/export-metrics.ts";
import { exportTraces, exportTracesLangfuse, exportTracesLangsmith } from "./otlp/export-traces.ts";
import { previewCustomMetric } from "./metrics/preview.ts";
import { listProviders } from "./metrics/providers.ts";
import type { Route } from "./route.ts";
import { getSpend } from "./runs/spend.ts";
import { getRunTemplate, getRunTemplateShort } from "./runs/template.ts";
import {
  compareSessionScores,
  getSessionScoreDistribution,
  getSessionScoreHistory,
  getSessionScoreSummary,
  getSessionScoreTrend,
  getTraceScoreDistribution,
  getTraceScoreSummary,
  getTraceScoreTrend,
} from "./scores/analytics.ts";
import { getCliLogin, getConsole, getHealth, getHealthLangfuse } from "./service.ts";
import { getSessionAnalytics } from "./sessions/analytics.ts";
import {
  copyGalleryMetric,
  createCustomMetric,
  deleteCustomMetric,
  getCustomMetric,
  importCustomMetric,
  listGalleryMetrics,
  listCustomMetrics,
  updateCustomMetric,
} from "./metrics/custom-metrics.ts";
import { listSessionMetrics } from "./metrics/session-metrics.ts";
import { deleteSession, getSession, listSessions } from "./sessions/sessions.ts";
import {
  createSessionScore,
  deleteSessionScore,
  getSessionScores,
  listSessionScores,
  updateSessionScore,
} from "./scores/session-scores.ts";
import { getTraceAnalytics } from "./traces/analytics.ts";
import { listTraceMetrics } from "./metrics/trace-metrics.ts";
import {
  createTraceScore,
  deleteTraceScore,
  getTraceScores,
  listTraceScores,
  updateTraceScore,
} from "./scores/trace-scores.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  deleteSessionRun,
  getSessionRun,
  listSessionRuns,
  listSessionRunScores,
  listSessionRunTargets,
  retrySessionRun,
} from "./runs/session-runs.ts";
import {
  createTraceBatchRun,
  createTraceRun,
  deleteTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunScores,
  listTraceRunTargets,
  retryTraceRun,
} from "./runs/trace-runs.ts";
import { createTraces } from "./traces/batch.ts";
import { createSpans, tagTraces, updateSpan, updateTrace } from "./traces/changes.ts";
import { deleteTrace, deleteTraces } from "./traces/deletion.ts";
import { listPrices } from "./traces/prices.ts";
import { createTrace, getSpan, getTrace, listTraces, listUsers } from "./traces/traces.ts";

/** All endpoints of the service. Handlers import single routes instead, except those that serve the OpenAPI document. */
export const routes: readonly Route[] = [
  getHealth,
  getOpenApi,
  getDocs,
  getDocsTopic,
  getConsole,
  getCliLogin,
  createTrace,
  createTraces,
  exportTraces,
  exportTracesLangfuse,
  exportTracesLangsmith,
  exportLogs,
  exportMetrics,
  getHealthLangfuse,
  listLangfuseProjects,
  createLangfuseScores,
  ingestLangfuse,
  listTraces,
  listUsers,
  getTraceAnalytics,
  getTrace,
  getSpan,
  createSpans,
  updateTrace,
  updateSpan,
  tagTraces,
  deleteTrace,
  deleteTraces,
  listPrices,
  listSessions,
  getSessionAnalytics,
  getSession,
  deleteSession,
  listTraceMetrics,
  listSessionMetrics,
  listProviders,
  getSpend,
  getRunTemplate,
  getRunTemplateShort,
  createTraceRun,
  createTraceBatchRun,
  listTraceRuns,
  getTraceRun,
  deleteTraceRun,
  retryTraceRun,
  listTraceRunTargets,
  listTraceRunScores,
  createSessionRun,
  createSessionBatchRun,
  listSessionRuns,
  getSessionRun,
  deleteSessionRun,
  retrySessionRun,
  listSessionRunTargets,
  listSessionRunScores,
  createTraceScore,
  listTraceScores,
  getTraceScores,
  updateTraceScore,
  deleteTraceScore,
  createSessionScore,
  listSessionScores,
  getSessionScores,
  updateSessionScore,
  deleteSessionScore,
  getTraceScoreSummary,
  getTraceScoreTrend,
  getTraceScoreDistribution,
  getSessionScoreSummary,
  getSessionScoreTrend,
  getSessionScoreDistribution,
  getSessionScoreHistory,
  compareSessionScores,
  createCustomMetric,
  listCustomMetrics,
  listGalleryMetrics,
  copyGalleryMetric,
  importCustomMetric,
  previewCustomMetric,
  getCustomMetric,
  updateCustomMetric,
  deleteCustomMetric,
  createMonitor,
  listMonitors,
  listMonitorRuns,
  getMonitor,
  updateMonitor,
  deleteMonitor,
  pauseMonitor,
  resumeMonitor,
  triggerMonitor,
  listFirings,
  createRepricing,
  listRepricings,
  listReachableProjects,
  getMe,
  deleteMe,
  listMyInvitations,
  listMyDeletions,
  acceptInvitation,
  declineInvitation,
  createOrganization,
  listOrganizations,
  getOrganization,
  updateOrganization,
  deleteOrganization,
  listMembers,
  updateMember,
  removeMember,
  createInvitation,
  listInvitations,
  revokeInvitation,
  createProject,
  listProjects,
  getProject,
  updateProject,
  deleteProject,
  createApiKey,
  listApiKeys,
  getApiKey,
  rotateApiKey,
  deleteApiKey,
  listAuditEvents,
  listDeletions,
  createCliCode,
  exchangeCliCode,
  listPlans,
  getSubscription,
  getUsage,
  getBilling,
  listInvoices,
  openCheckout,
  openPortal,
];
