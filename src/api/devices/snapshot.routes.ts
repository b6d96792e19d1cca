import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceSources } from '../../../packages/control-system/device-sources.js';
import { resourceProperty, snapshotIdOf } from '../../../packages/control-system/snapshot-address.js';
import type { Permissions } from '../../auth/permissions.js';
import type { DeviceNames } from '../../entries/device-names.js';
import type { Entry } from '../../entries/entry.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { findReadable } from '../../entries/readable-entries.js';
import { entryNotFound } from '../../entries/update-entry.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { parseEntryId, toReader } from '../entries/entry-parameters.js';
import { getSnapshotSchema } from './snapshot.schema.js';

export interface SnapshotRoutesDeps {
  /** Undefined when no source is configured. */
  readonly sources: DeviceSources | undefined;
  readonly deviceNames: DeviceNames;
  readonly entries: EntryReader;
  readonly permissions: Permissions;
}

interface SnapshotRequest {
  Params: { logId: string; snapshotId: string };
  Querystring: { from?: number };
}

/** Registers the route of snapshots. Readers see only those that an entry names. */
export async function snapshotRoutes(app: FastifyInstance, deps: SnapshotRoutesDeps): Promise<void> {
  const options = { config: { cost: 'device' }, schema: getSnapshotSchema } as const;
  app.get<SnapshotRequest>('/logs/:logId/snapshots/:snapshotId', options, getSnapshot(deps));
}

const getSnapshot =
  (deps: SnapshotRoutesDeps) => async (request: FastifyRequest<SnapshotRequest>, reply: FastifyReply) => {
    const { logId, snapshotId } = request.params;
    const { from = 0 } = request.query;
    const id = parseEntryId(logId);
    const stored = await findReadable(deps.entries, toReader(request, deps), id);
    if (!stored) throw entryNotFound(id);
    if (!namesSnapshot(stored.entry, snapshotId)) {
      const message = `Entry ${id} has no property ${resourceProperty.name} with the snapshot ${quoted(snapshotId)}.`;
      throw new Fault('missing', 'device.no-snapshot', message);
    }
    const { sources, deviceNames } = deps;
    const comparison = await sources?.snapshot(snapshotId, from, (name) => deviceNames.isDevice(name));
    if (!comparison) {
      const message =
        'Save-and-restore is not configured, so saved values cannot be read. Ask the operators to set saveAndRestoreUrl.';
      throw new Fault('missing', 'device.no-save-and-restore', message);
    }
    reply.header('cache-control', 'private, no-cache');
    return comparison;
  };

function namesSnapshot({ properties }: Entry, snapshotId: string): boolean {
  return properties
    .filter(({ name }) => name === resourceProperty.name)
    .flatMap(({ attributes }) => attributes)
    .some(({ name, value }) => name === resourceProperty.attribute && snapshotIdOf(value ?? '') === snapshotId);
}
