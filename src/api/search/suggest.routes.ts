import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { type SuggestKey, suggestKeys, suggestLimits } from '../../search/suggestions.js';
import { acceptAnyQuery, findParameter, type SearchRoutesDeps } from './search.routes.js';
import { suggestSchema } from './suggest.schema.js';

/** Registers the route that suggests values and words that begin with the text that a user has typed. */
export async function suggestRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { cost: 'search' } } as const;
  app.get('/suggest', { ...shared, schema: suggestSchema }, suggest(deps));
}

const suggest =
  ({ searchIndex, permissions }: SearchRoutesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = {
      key: parseKey(findParameter(request, 'key')),
      prefix: parsePrefix(findParameter(request, 'q') ?? ''),
      size: parseSize(findParameter(request, 'size')),
      hiddenLogbooks: permissions.hiddenLogbooksFor(request.context.principal),
    };
    const found = await searchIndex.suggest(asked, { signal: clientDisconnected(reply) });
    return found.map(({ name, count }) => ({ value: name, count }));
  };

/** @throws Fault invalid `suggest.bad-key` */
function parseKey(value: string | undefined): SuggestKey {
  const key = suggestKeys.find((one) => one === value?.toLowerCase());
  if (key) return key;
  const problem = value === undefined ? 'The request has no “key”.' : `${quoted(value)} is not a key.`;
  throw new Fault('invalid', 'suggest.bad-key', `${problem} Use one of ${suggestKeys.join(', ')}.`);
}

/** @throws Fault invalid `suggest.too-long` */
function parsePrefix(value: string): string {
  if (value.length <= suggestLimits.prefixLength) return value;
  throw new Fault(
    'invalid',
    'suggest.too-long',
    `“q” is ${value.length} characters long; at most ${suggestLimits.prefixLength} are allowed. Shorten it.`,
  );
}

/** @throws Fault invalid `suggest.bad-size` */
function parseSize(value: string | undefined): number {
  if (value === undefined || value === '') return suggestLimits.defaultSize;
  if (/^\d{1,15}$/.test(value) && Number(value) >= 1) return Math.min(Number(value), suggestLimits.size);
  throw new Fault('invalid', 'suggest.bad-size', `“size” is ${quoted(value)}; it must be a whole number from 1.`);
}
