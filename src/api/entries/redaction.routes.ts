import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BlobStore } from '../../attachments/blob-store.port.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import type { GrowingRuns } from '../../entries/growing-runs.js';
import { redactEntry } from '../../entries/redact-entry.js';
import type { StoredRedaction } from '../../entries/redaction.js';
import type { Clock } from '../../kernel/clock.js';
import { principalOf } from '../access/request-principal.js';
import { parseEntryId } from './entry-parameters.js';
import {
  type RedactionInput,
  RedactionInputSchema,
  RedactionOutcomeSchema,
  RedactionSchema,
  redactEntrySchema,
} from './redaction.schema.js';

export interface RedactionRoutesDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly growingRuns: GrowingRuns;
}

/** Routes with which administrators remove content from entries. */
export async function redactionRoutes(app: FastifyInstance, deps: RedactionRoutesDeps): Promise<void> {
  for (const schema of [RedactionInputSchema, RedactionSchema, RedactionOutcomeSchema]) app.addSchema(schema);
  app.post(
    '/logs/:logId/redaction',
    { config: { access: 'admin', removesContent: true }, schema: redactEntrySchema },
    redactEntryHandler(deps),
  );
}

const redactEntryHandler =
  (deps: RedactionRoutesDeps) =>
  async (request: FastifyRequest<{ Params: { logId: string }; Body: RedactionInput }>) => {
    const { reason, title = false, text = false, properties = false, attachments = [] } = request.body;
    const { redactions, sameContent } = await redactEntry(deps, {
      entryId: parseEntryId(request.params.logId),
      parts: { title, text, properties, attachments },
      reason,
      by: principalOf(request),
    });
    return { redactions: redactions.map(toRedactionView), sameContent };
  };

function toRedactionView({ number, entryId, by, reason, atMs }: StoredRedaction) {
  return { number, entryId, by, reason, date: atMs };
}
