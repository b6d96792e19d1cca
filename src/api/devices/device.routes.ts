import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceSources } from '../../../packages/control-system/device-sources.js';
import type { HistoryRange } from '../../../packages/control-system/sources.port.js';
import type { DeviceNames } from '../../entries/device-names.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { parseTime } from '../../search/time-expression.js';
import { getDeviceAlarmsSchema, getDeviceHistorySchema, getDeviceSchema, historyLimits } from './device.schema.js';

export interface DeviceRoutesDeps {
  /** Undefined when no source is configured. */
  readonly sources: DeviceSources | undefined;
  readonly deviceNames: DeviceNames;
  readonly clock: Clock;
  /** IANA zone for times without a zone. */
  readonly zone: string;
}

interface DeviceRequest {
  Params: { name: string };
}

interface HistoryRequest extends DeviceRequest {
  Querystring: { start?: string; end?: string; points?: number };
}

/** Registers the routes of devices. The data come from the control system, and are the same for all readers. */
export async function deviceRoutes(app: FastifyInstance, deps: DeviceRoutesDeps): Promise<void> {
  const config = { cost: 'device' } as const;
  app.get<DeviceRequest>('/devices/:name', { config, schema: getDeviceSchema }, getDevice(deps));
  const schema = getDeviceHistorySchema;
  app.get<HistoryRequest>('/devices/:name/history', { config, schema }, getHistory(deps));
  app.get<HistoryRequest>('/devices/:name/alarms', { config, schema: getDeviceAlarmsSchema }, getAlarms(deps));
}

const getDevice = (deps: DeviceRoutesDeps) => async (request: FastifyRequest<DeviceRequest>, reply: FastifyReply) => {
  const { name } = request.params;
  const sources = requireSources(deps, name);
  reply.header('cache-control', 'private, no-cache');
  return sources.device(name, (other) => deps.deviceNames.isDevice(other));
};

const getHistory = (deps: DeviceRoutesDeps) => async (request: FastifyRequest<HistoryRequest>, reply: FastifyReply) => {
  const { name } = request.params;
  const sources = requireSources(deps, name);
  const range = parseRange(request.query, deps);
  const history = await sources.history(name, range);
  if (!history) {
    const message =
      'No archiver is configured, so there are no histories of devices. Ask the operators to set archiverUrl.';
    throw new Fault('missing', 'device.no-history', message);
  }
  reply.header('cache-control', 'private, no-cache');
  return history;
};

const getAlarms = (deps: DeviceRoutesDeps) => async (request: FastifyRequest<HistoryRequest>, reply: FastifyReply) => {
  const { name } = request.params;
  const sources = requireSources(deps, name);
  const { startMs, endMs } = parseRange(request.query, deps);
  const alarms = await sources.alarms(name, { startMs, endMs });
  if (!alarms) {
    const message =
      'No alarm logger is configured, so there are no alarms of devices. Ask the operators to set alarmLoggerUrl.';
    throw new Fault('missing', 'device.no-alarms', message);
  }
  reply.header('cache-control', 'private, no-cache');
  return alarms;
};

/** @throws Fault missing `device.no-source`, `device.not-found` */
function requireSources({ sources, deviceNames }: DeviceRoutesDeps, name: string): DeviceSources {
  if (!sources) {
    throw new Fault('missing', 'device.no-source', 'This logbook is not connected to a control system.');
  }
  if (deviceNames.isDevice(name)) return sources;
  throw new Fault('missing', 'device.not-found', `${quoted(name)} is not a device. Check the name.`);
}

/** @throws Fault invalid `search.bad-time`, `device.bad-range` */
function parseRange({ start, end, points }: HistoryRequest['Querystring'], deps: DeviceRoutesDeps): HistoryRange {
  const { clock, zone } = deps;
  const nowMs = clock.nowMs();
  const time = (text: string, bound: 'start' | 'end') => parseTime(text, zone, nowMs, bound);
  const endMs = end === undefined ? nowMs : time(end, 'end');
  const startMs = start === undefined ? endMs - historyLimits.defaultRangeMs : time(start, 'start');
  if (startMs >= endMs || startMs < 0 || endMs > historyLimits.maxMs) {
    const range = `${quoted(start ?? 'one hour before the end')} to ${quoted(end ?? 'now')}`;
    throw new Fault(
      'invalid',
      'device.bad-range',
      `The range from ${range} is not valid. It must start before it ends, and lie between 1970 and 2199.`,
    );
  }
  return { startMs, endMs, points: points ?? historyLimits.defaultPoints };
}
