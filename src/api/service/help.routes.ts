import type { FastifyInstance } from 'fastify';
import { findHelp, helpPages } from './help.js';

const open = { schema: { hide: true }, config: { access: 'open' } } as const;

/** Routes of the help pages, each with and without a language in its name. English is the fallback. */
export async function helpRoutes(app: FastifyInstance): Promise<void> {
  for (const page of helpPages) {
    const send = async (language: string) => findHelp(page, language);
    app.get(`/${page}.html`, open, async (_request, reply) => reply.type(html).send(await send('en')));
    app.get<{ Params: { language: string } }>(`/${page}_:language.html`, open, async ({ params }, reply) =>
      reply.type(html).send(await send(params.language)),
    );
  }
}

const html = 'text/html; charset=utf-8';
