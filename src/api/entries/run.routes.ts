import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Upload } from '../../attachments/attach-uploads.js';
import { appendBlock } from '../../entries/append-block.js';
import { closeRun } from '../../entries/close-run.js';
import type { GrowingRuns } from '../../entries/growing-runs.js';
import type { Block } from '../../entries/render-block.js';
import { parseJson } from '../../http/request/json-body.js';
import { jsonValidator } from '../../http/request/schema-validator.js';
import { principalOf } from '../access/request-principal.js';
import { toStoredValue } from '../attribute-value.js';
import type { EntryFormRoutesDeps } from './entry-form.routes.js';
import { type AddAttachmentQuery, parseEntryId, updateOptions } from './entry-parameters.js';
import { type FormParts, leaveFormsToHandlers, withMultipartForm } from './multipart-form.js';
import {
  appendBlockSchema,
  appendBlockWithFilesSchema,
  type CloseRunInput,
  closeRunSchema,
  type RunBlockInput,
  runSchemas,
} from './run.schema.js';
import { sendEntry } from './send-entry.js';
import { noteWritten } from './written-entry.js';

interface RunRoutesDeps extends EntryFormRoutesDeps {
  readonly growingRuns: GrowingRuns;
}

interface AppendParams {
  Params: { logId: string; sequence: number };
  Querystring: AddAttachmentQuery;
}

const blockParts: FormParts = { files: 'files', fields: ['logEntry'] };

/** Registers the routes that append to runs and close them. */
export async function runRoutes(app: FastifyInstance, deps: RunRoutesDeps): Promise<void> {
  for (const schema of runSchemas) app.addSchema(schema);
  const config = { access: 'entries' } as const;
  const block = '/logs/:logId/blocks/:sequence';
  app.put(block, { config, schema: appendBlockSchema }, appendHandler(deps));
  app.post('/logs/:logId/close', { config, schema: closeRunSchema }, closeHandler(deps));
  await app.register(async (scope) => {
    leaveFormsToHandlers(scope);
    const upload = { ...config, cost: 'upload' } as const;
    const validate = jsonValidator<RunBlockInput>(scope, { $ref: 'RunBlock#' });
    const schema = appendBlockWithFilesSchema;
    scope.put(`${block}/multipart`, { config: upload, schema }, appendWithFilesHandler(deps, validate));
  });
}

const appendHandler =
  (deps: RunRoutesDeps) =>
  async (request: FastifyRequest<AppendParams & { Body: RunBlockInput }>, reply: FastifyReply) =>
    append(deps, request, reply, { input: request.body, uploads: [] });

const appendWithFilesHandler =
  (deps: RunRoutesDeps, validate: (value: unknown) => RunBlockInput) =>
  async (request: FastifyRequest<AppendParams>, reply: FastifyReply) =>
    withMultipartForm(request.raw, deps, blockParts, (form) => {
      const part = form.fields.get('logEntry');
      const input = part === undefined || part.length === 0 ? {} : validate(parseJson(part));
      return append(deps, request, reply, { input, uploads: form.uploads });
    });

async function append(
  deps: RunRoutesDeps,
  request: FastifyRequest<AppendParams>,
  reply: FastifyReply,
  { input, uploads }: { readonly input: RunBlockInput; readonly uploads: readonly Upload[] },
) {
  const { sequence } = request.params;
  const { editor: author, markup, notify } = updateOptions(request);
  const entryId = parseEntryId(request.params.logId);
  request.context.auditTarget = `entry ${entryId}`;
  const block = toBlock(input);
  const appended = await appendBlock(deps, { entryId, sequence, block, markup, uploads, author, notify });
  noteWritten(request, { id: entryId, revision: appended.revision });
  return reply.send(appended);
}

const closeHandler =
  (deps: RunRoutesDeps) =>
  async (request: FastifyRequest<{ Params: { logId: string }; Body: CloseRunInput }>, reply: FastifyReply) => {
    const { status, blocks } = request.body;
    const author = principalOf(request);
    const entryId = parseEntryId(request.params.logId);
    return sendEntry(reply, await closeRun(deps, { entryId, author, status, blocks, notify: true }));
  };

function toBlock({ text, values = [] }: RunBlockInput): Block {
  return {
    text: text ?? '',
    values: values.map(({ name, value = '' }) => ({ name, value: toStoredValue(name, value) ?? '' })),
  };
}
