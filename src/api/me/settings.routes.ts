import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { matchesEntityTag } from '../../http/reply/etag.js';
import type { Clock } from '../../kernel/clock.js';
import { type ResultCodec, writeOnce } from '../../kernel/write-once.js';
import { getSettings, putSettings, SettingsMismatch } from '../../preferences/edit-settings.js';
import type { PreferenceStorage } from '../../preferences/preference-storage.js';
import type { Settings } from '../../preferences/preference-store.port.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import { getSettingsSchema, putSettingsSchema } from './preferences.schema.js';

export interface PreferenceRoutesDeps {
  readonly storage: PreferenceStorage;
  readonly clock: Clock;
}

/** Registers the routes of a client's settings, which are stored for its user. */
export async function settingsRoutes(app: FastifyInstance, deps: PreferenceRoutesDeps): Promise<void> {
  const write = { access: 'password', audit: 'none' } as const;
  app.get('/me/settings', { config: { access: 'password' }, schema: getSettingsSchema }, getSettingsHandler(deps));
  app.put('/me/settings', { config: write, schema: putSettingsSchema }, putSettingsHandler(deps));
}

const getSettingsHandler =
  ({ storage }: PreferenceRoutesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const settings = await getSettings(storage.committed.preferences, principalOf(request));
    reply.header('cache-control', 'private, no-cache');
    if (!matchesEntityTag(request.headers['if-none-match'], toEntityTag(settings))) return send(reply, settings);
    return reply.header('etag', toEntityTag(settings)).code(304).send();
  };

const putSettingsHandler =
  (deps: PreferenceRoutesDeps) =>
  async (request: FastifyRequest<{ Body: Record<string, unknown> }>, reply: FastifyReply) => {
    const owner = principalOf(request);
    const { 'if-match': ifMatch } = request.headers;
    const expects = (revision: number) => ifMatch === undefined || matchesEntityTag(ifMatch, toEntityTag({ revision }));
    const stored = await withCurrentTag(reply, () =>
      writeOnce(deps.storage, keyedRequest(request, deps), asText, (storage) =>
        putSettings(storage, owner, request.body, expects),
      ),
    );
    return send(reply, stored);
  };

/** Runs a change. If the settings were changed concurrently, the error carries the `ETag` of the current ones. */
async function withCurrentTag<T>(reply: FastifyReply, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof SettingsMismatch) reply.header('etag', toEntityTag(error.current));
    throw error;
  }
}

/** Stores the revision as `version`, its former name, which existing records use. */
const asText: ResultCodec<Settings> = {
  toRecord: ({ revision, json }) => ({ version: revision, json: Buffer.from(json).toString() }),
  fromRecord: (record) => {
    const { version, json } = record as { readonly version: number; readonly json: string };
    return { revision: version, json: Buffer.from(json) };
  },
};

function send(reply: FastifyReply, settings: Settings): FastifyReply {
  return reply.header('etag', toEntityTag(settings)).type('application/json; charset=utf-8').send(settings.json);
}

function toEntityTag({ revision }: Pick<Settings, 'revision'>): string {
  return `"${revision}"`;
}
