import { createApiKey, deleteApiKey, getApiKey, listApiKeys, rotateApiKey } from "./api-keys.ts";
import { listAuditEvents } from "./audit.ts";
import { createCliCode, exchangeCliCode } from "./cli.ts";
import { listDeletions, listMyDeletions } from "./deletions.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./invitations.ts";
import { acceptInvitation, declineInvitation, getMe, listMyInvitations } from "./me.ts";
import { listMembers, removeMember, updateMember } from "./members.ts";
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
} from "./monitors.ts";
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "./organizations.ts";
import { createProject, deleteProject, getProject, listProjects, updateProject } from "./projects.ts";
import { exportTraces } from "./otlp.ts";
import { listProviders } from "./providers.ts";
import type { Route } from "./route.ts";
import { getRunTemplate, getRunTemplateShort } from "./run-template.ts";
import {
  compareSessionScores,
  getSessionScoreDistribution,
  getSessionScoreHistory,
  getSessionScoreSummary,
  getSessionScoreTrend,
  getTraceScoreDistribution,
  getTraceScoreSummary,
  getTraceScoreTrend,
} from "./score-analytics.ts";
import { getDocs, getHealth, getOpenApi } from "./service.ts";
import { getSessionAnalytics } from "./session-analytics.ts";
import { listSessionMetrics } from "./session-metrics.ts";
import { deleteSession, getSession, listSessions } from "./sessions.ts";
import {
  createSessionScore,
  deleteSessionScore,
  getSessionScores,
  listSessionScores,
  updateSessionScore,
} from "./session-scores.ts";
import { getTraceAnalytics } from "./trace-analytics.ts";
import { listTraceMetrics } from "./trace-metrics.ts";
import {
  createTraceScore,
  deleteTraceScore,
  getTraceScores,
  listTraceScores,
  updateTraceScore,
} from "./trace-scores.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  deleteSessionRun,
  getSessionRun,
  listSessionRuns,
  listSessionRunScores,
  listSessionRunTargets,
  retrySessionRun,
} from "./session-runs.ts";
import {
  createTraceBatchRun,
  createTraceRun,
  deleteTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunScores,
  listTraceRunTargets,
  retryTraceRun,
} from "./trace-runs.ts";
import { createTraces } from "./trace-batch.ts";
import { createSpans, tagTraces, updateSpan, updateTrace } from "./trace-changes.ts";
import { deleteTrace, deleteTraces } from "./trace-deletion.ts";
import { createTrace, getTrace, listTraces, listUsers } from "./traces.ts";

/** Every endpoint of the service. Only the handlers that describe the interface read it; others, their resource's file. */
export const routes: readonly Route[] = [
  getHealth,
  getOpenApi,
  getDocs,
  createTrace,
  createTraces,
  exportTraces,
  listTraces,
  listUsers,
  getTraceAnalytics,
  getTrace,
  createSpans,
  updateTrace,
  updateSpan,
  tagTraces,
  deleteTrace,
  deleteTraces,
  listSessions,
  getSessionAnalytics,
  getSession,
  deleteSession,
  listTraceMetrics,
  listSessionMetrics,
  listProviders,
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
  getMe,
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
];
